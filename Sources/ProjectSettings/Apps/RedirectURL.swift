import Config
import HTTP
import Text

/// An address that a plain browser app may be sent back to: an entry of `redirectURLs` of a project's file.
enum RedirectURL {
    static func read(_ section: Section, development: Bool) -> [String] {
        section.values(
            "redirectURLs",
            expected:
                "an https URL (http for loopback addresses in development) as browsers write it: lower-case host, a path, no default "
                + "port, no fragment; and without flow, code, state or iss in its query"
        ) { redirectURL($0, development: development) }
    }

    /// Pages compare these, character by character, with the address that the browser reports, so only the browser's own spelling can ever
    /// match.
    private static func redirectURL(_ text: String, development: Bool) -> String? {
        guard let uri = URI.ofPage(UTF8Text(text)), uri.fragment == nil, uri.description == text, uri.query.map({ !$0.isEmpty }) ?? true,
            let query = Form(uri.query ?? ""), ["flow", "code", "state", "iss"].allSatisfy({ query[$0] == nil })
        else { return nil }
        return uri.isSecure(orLoopbackIf: development) ? text : nil
    }

    /// Finds addresses to which no sign-in can come back, or that may be on a host of others.
    static func check(_ settings: ProjectSettings, _ section: Section) {
        for url in settings.redirectURLs {
            if url.utf8.contains(UInt8(ascii: "*")) {
                section.fault("redirectURLs", "\(url) has a *, which stands for itself here, so no page can match; write out each address")
            } else if let host = URI.ofPage(UTF8Text(url))?.host, !settings.authorizes(host: host) {
                section.note("redirectURLs", "\(url) is on \(host), which is not among authorizedDomains; add the host if it is the app's")
            }
        }
    }
}
