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
        /// Only programs of this machine, and only in development mode (SEC-22).
        case development
    }

    package init(_ method: HTTP.Method, _ path: String, aliases: [String] = [], access: Access, host: GoogleHost? = nil) {
        self.method = method
        self.path = path
        self.aliases = aliases
        self.access = access
        self.host = host
    }

    /// Every path that the call answers at: its own, its aliases, and its own behind its Google host. Each host's name works only with the
    /// calls of that host, so that a path that a proxy blocks does not have a second address.
    var paths: [String] { [path] + aliases + (host.map { ["/\($0.rawValue)\(path)"] } ?? []) }

    /// A client call of the Identity Toolkit: `/v1/accounts:…`, and by its old name below `/identitytoolkit/v3/relyingparty/`.
    package static func client(_ method: HTTP.Method = .post, _ path: String, v3: String? = nil) -> Route {
        let old = v3.map { "/identitytoolkit/v3/relyingparty/\($0)" }
        let aliases = old.map { [$0, "/\(GoogleHost.www.rawValue)\($0)"] } ?? []
        return Route(method, path, aliases: aliases, access: .apiKey, host: .identityToolkit)
    }
}
