import Crypto
import HTTP

/// The permissions of a page besides being read. With any of these, a page still loads nothing from other hosts, cannot be framed, is not
/// cached, and sends no Referer to other servers.
package struct PagePolicy: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Send forms to this server. The answer to a form must not redirect to another server.
    package static let forms = PagePolicy(rawValue: 1)
    /// Send forms to this server, which may answer with a redirect to another one: browsers apply `form-action` to redirects, too.
    package static let formsToAnywhere = PagePolicy(rawValue: 4)
    /// Tell this server with each form that it is from this page: browsers otherwise say `Origin: null`. For pages whose address holds no
    /// secret. <https://www.w3.org/TR/referrer-policy/#referrer-policy-same-origin>
    package static let origin = PagePolicy(rawValue: 8)
    /// Run script files of this server, and let them call it.
    package static let scripts = PagePolicy(rawValue: 2)

    /// Ask the browser for passkeys of its person, and have it make them. No frame of the page may.
    package static let passkeys = PagePolicy(rawValue: 16)

    /// Show pages of this server in frames, those that permit it. Nothing that such a page holds can lead its frame to another server.
    package static let ownFrames = PagePolicy(rawValue: 32)

    /// The headers of a page whose one inline style has this hash.
    ///
    /// - Parameters:
    ///   - schemes: those of the addresses that an answer to a form may redirect to, besides this server's own.
    ///   - hasLogo: whether the page has a picture inside.
    ///   - guest: a script of another server that the page loads.
    ///   - scriptHash: that of the page's one inline script. It may run without `scripts`, and calls no server.
    func headers(
        styleHash: String, redirectsTo schemes: [String] = [], hasLogo: Bool = false, guest: GuestScript? = nil, scriptHash: String? = nil
    ) -> Headers {
        let elsewhere = schemes.map { " \($0):" }.joined()
        let forms = contains(.formsToAnywhere) ? "" : contains(.forms) ? "form-action 'self'\(elsewhere); " : "form-action 'none'; "
        let others = (guest?.sources ?? []).map { " \($0)" }.joined()
        let frames = guest == nil ? "" : "frame-src\(others); "
        let inline = scriptHash.map { "script-src 'sha256-\($0)'; " } ?? ""
        let scripts = contains(.scripts) ? "script-src 'self'\(others); connect-src 'self'\(others); \(frames)" : inline
        let ownFrames = contains(.ownFrames) ? "frame-src 'self'; " : ""
        // A policy with a hash would refuse every style but that one.
        let style = guest?.bringsStyle == true ? "'unsafe-inline'\(others)" : "'sha256-\(styleHash)'"
        let pictures = hasLogo ? "img-src data:; " : ""
        let referrer = contains(.origin) ? "same-origin" : "no-referrer"
        var headers: Headers = [
            "content-type": "text/html; charset=utf-8",
            "content-security-policy":
                "default-src 'none'; \(scripts)\(ownFrames)\(pictures)style-src \(style); base-uri 'none'; \(forms)frame-ancestors 'none'",
            "cache-control": "no-store", "referrer-policy": referrer, "x-content-type-options": "nosniff", "x-frame-options": "DENY",
        ]
        if contains(.passkeys) {
            headers.add("permissions-policy", "publickey-credentials-get=(self), publickey-credentials-create=(self)")
        }
        return headers
    }

    /// That of an inline style or script.
    static func hash(_ text: String) -> String { Base64.encode(Digest.sha256(Array(text.utf8))) }
}

/// A script of another server on one of our pages, such as the widget of a captcha service.
package struct GuestScript: Sendable {
    /// The sources of its scripts, frames and calls, as policies write them. They come from the configuration, never from a request.
    let sources: [String]
    /// Whether it adds style elements to the page.
    let bringsStyle: Bool

    package init(sources: [String], bringsStyle: Bool) {
        self.sources = sources
        self.bringsStyle = bringsStyle
    }
}
