/// The address of this server, as the operator configured it; no request changes it (SEC-07).
package struct Site: Sendable {
    /// Scheme, host and port, without a slash at the end.
    package let publicURL: String
    /// Whether the server runs in development mode: plain http, cookies without `Secure`.
    package let development: Bool

    package init(publicURL: String, development: Bool) {
        self.publicURL = publicURL
        self.development = development
    }
}
