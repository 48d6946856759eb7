import Config
import HTTP

extension ProjectSettings {
    /// How results of browser sign-ins find their way back to the app: `redirect` of a project's file.
    package struct Redirect: Sendable {
        /// The address at which browsers reach `/__/auth/` for this project, if it is not the server's `publicURL`: for example the app's
        /// own host, which forwards `/__/auth/` to this server. Scheme, host and port.
        package var publicURL: String?
        /// Whether a popup that lost its opener may get its result through the server.
        package var relay = true
        /// Whether the app's page gets a one-time token in its fragment, for apps on another site.
        package var returnToken = false
        package var iframeTransport = IframeTransport.builtin

        package init() {}
    }

    /// The script that talks to the SDK from within the iframe.
    package enum IframeTransport: String, Sendable, CaseIterable {
        /// Our own script.
        case builtin
        /// Google's `api.js`, in case Google changes the SDK's half of the protocol.
        case google
    }
}

extension ProjectSettings.Redirect {
    init(_ section: Section, development: Bool) {
        self.init()
        publicURL = section.value(
            "publicURL", expected: "the https URL (http for loopback addresses in development) by which browsers reach /__/auth/"
        ) { text in
            guard let uri = URI.parse(text), uri.path == "/", uri.query == nil, uri.fragment == nil, uri.isSecure(orLoopbackIf: development)
            else { return nil }
            return uri.origin
        }
        relay = section.bool("relay", default: relay)
        returnToken = section.bool("returnToken", default: returnToken)
        iframeTransport = section.choice("iframeTransport", default: iframeTransport)
        section.finish()
    }
}
