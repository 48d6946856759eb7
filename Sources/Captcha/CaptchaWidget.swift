import HTTP

/// The values that a page needs to draw a service's widget.
package struct CaptchaWidget: Sendable, Equatable {
    /// The name by which our script knows the interface of the service's script.
    package var kind: String
    package var siteKey: String
    /// The address of the service's script.
    package var script: String
    /// The sources that the page's Content-Security-Policy must allow for scripts, frames and calls.
    package var sources: [String]
    /// Whether the widget brings style elements of its own.
    package var bringsStyle: Bool

    /// - Parameter sources: what the service's own documents ask for. The origin of the script is always allowed, too.
    init(_ kind: String, siteKey: String, script: String, sources: [String], bringsStyle: Bool) {
        self.kind = kind
        self.siteKey = siteKey
        self.script = script
        let origin = URI.parse(script)?.origin
        self.sources = sources + [origin].compactMap { $0 }.filter { origin in !sources.contains { $0.hasPrefix(origin) } }
        self.bringsStyle = bringsStyle
    }
}
