extension ProjectSettings {
    /// How results of browser sign-ins find their way back to the app.
    package struct Redirect: Sendable {
        /// Where browsers reach `/__/auth/` for this project when that is not the server's `publicURL`: the app's own host, say, which passes
        /// `/__/auth/` on to here. Scheme, host and port.
        package var publicURL: String?
        /// Whether a popup that lost its opener may hand its result over by way of the server.
        package var relay = true
        /// Whether the app's page is given a one-time token in its fragment, for hosts of another site.
        package var returnToken = false
        package var iframeTransport = IframeTransport.builtin

        package init() {}
    }

    /// Who speaks with the SDK from within the iframe.
    package enum IframeTransport: String, Sendable, CaseIterable {
        /// Our own script.
        case builtin
        /// Google's `api.js`, should the SDK's half ever change.
        case google
    }
}
