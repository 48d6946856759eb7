package import HTTP

/// Where a call answers, and who may make it.
package struct Route: Sendable {
    package let method: HTTP.Method
    /// In canonical form. A segment in braces matches any one segment: `/{project}/oauth2/jwks`.
    package let path: String
    /// Other paths of the same call: the v3 names that iOS uses.
    package let aliases: [String]
    package let access: Access

    package enum Access: Sendable {
        case anyone
        /// `?key=` or `x-goog-api-key` of a project.
        case apiKey
        /// Whatever runs on this machine; only mounted in development mode (SEC-22).
        case development
    }

    package init(_ method: HTTP.Method, _ path: String, aliases: [String] = [], access: Access) {
        self.method = method
        self.path = path
        self.aliases = aliases
        self.access = access
    }

    /// A client call of the Identity Toolkit: `/v1/accounts:…`, and by its old name below `/identitytoolkit/v3/relyingparty/`.
    package static func client(_ method: HTTP.Method = .post, _ path: String, v3: String? = nil) -> Route {
        Route(method, path, aliases: v3.map { ["/identitytoolkit/v3/relyingparty/\($0)"] } ?? [], access: .apiKey)
    }
}
