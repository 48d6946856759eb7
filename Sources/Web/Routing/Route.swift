package import Accounts
package import HTTP
import Text

/// The method and paths of a call, and who may make it.
package struct Route: Sendable {
    package let method: HTTP.Method
    /// In canonical form. A segment in braces matches any one segment: `/{project}/oauth2/jwks`.
    package let path: String
    /// Other paths of the same call: the v3 names that iOS uses.
    package let aliases: [String]
    package let access: Access
    /// Paths of a client call that is the same call for a person: a request there that has a bearer token is an administrator's.
    let bearerPaths: [String]
    /// The Google host that has this call. SDKs in emulator mode put its name in front of the path.
    package let host: GoogleHost?

    package enum GoogleHost: String, Sendable {
        case identityToolkit = "identitytoolkit.googleapis.com"
        case secureToken = "securetoken.googleapis.com"
        /// Key sets, and the v3 names of Identity Toolkit calls.
        case www = "www.googleapis.com"
    }

    package enum Access: Sendable {
        case anyone
        /// Anyone; the endpoint itself authenticates the relying party. Pages of its browser clients may read the answer.
        case relyingParty
        /// `?key=` or `x-goog-api-key` of a project.
        case apiKey
        /// An access token of a service account that has this right (`AdministratorEndpoint`).
        case administrator(Administrator.Right)
        /// Only programs of this machine, and only in development mode (SEC-22).
        case development

        /// Whether a key or a token says of which project the call is.
        var isOfProject: Bool {
            switch self {
            case .apiKey, .administrator: true
            case .anyone, .relyingParty, .development: false
            }
        }
    }

    package init(
        _ method: HTTP.Method, _ path: String, aliases: [String] = [], bearerPaths: [String] = [], access: Access, host: GoogleHost? = nil
    ) {
        self.method = method
        self.path = path
        self.aliases = aliases
        self.bearerPaths = bearerPaths
        self.access = access
        self.host = host
    }

    /// Every path that the call answers at: its own, its aliases, and its own behind its Google host. Each host's name works only with the
    /// calls of that host, so that a path that a proxy blocks does not have a second address.
    var paths: [String] { [path] + aliases + (host.map { ["/\($0.rawValue)\(path)"] } ?? []) }

    /// A client call of the Identity Toolkit: `/v1/accounts:…`, and by its old name below `/identitytoolkit/v3/relyingparty/`.
    package static func client(_ method: HTTP.Method = .post, _ path: String, v3: String? = nil) -> Route {
        Route(method, path, aliases: v3.map(oldNames) ?? [], access: .apiKey, host: .identityToolkit)
    }

    /// A call of administrators, which needs an access token.
    ///
    /// - Parameters:
    ///   - right: what the service account must be allowed to do.
    ///   - client: the client call that is the same call for a person. Its paths are an administrator's when the request has a bearer token.
    ///   - v3: the old name of a call that clients do not have.
    ///   - aliases: other paths of the same call.
    package static func administrator(
        _ method: HTTP.Method, _ path: String, right: Administrator.Right, client: Route? = nil, v3: String? = nil,
        aliases: [String] = []
    ) -> Route {
        Route(
            method, path, aliases: aliases + ofTenant(path) + (v3.map(oldNames) ?? []), bearerPaths: client?.paths ?? [],
            access: .administrator(right),
            host: .identityToolkit)
    }

    /// The path of the same call for a tenant. Every call about the accounts of a project has one.
    private static func ofTenant(_ path: String) -> [String] {
        let project = "/v1/projects/{project}"
        guard path.hasPrefix(project) else { return [] }
        let ofTenant = "\(project)/tenants/{tenant}\(path.dropFirst(project.count))"
        return [ofTenant, "/\(GoogleHost.identityToolkit.rawValue)\(ofTenant)"]
    }

    private static func oldNames(_ v3: String) -> [String] {
        let old = "/identitytoolkit/v3/relyingparty/\(v3)"
        return [old, "/\(GoogleHost.www.rawValue)\(old)"]
    }
}
