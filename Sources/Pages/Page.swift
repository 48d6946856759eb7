import Crypto
package import HTTP

/// The permissions of a page besides being read. With any of these, a page still loads nothing from other hosts, cannot be framed, is not
/// cached, and sends no Referer.
package struct PagePolicy: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Send forms to this server. The answer to a form must not redirect to another server.
    package static let forms = PagePolicy(rawValue: 1)
    /// Run script files of this server, and let them call it.
    package static let scripts = PagePolicy(rawValue: 2)

    /// The headers of a page whose one inline style has this hash.
    func headers(styleHash: String) -> Headers {
        let forms = contains(.forms) ? "'self'" : "'none'"
        let scripts = contains(.scripts) ? "script-src 'self'; connect-src 'self'; " : ""
        return [
            "content-type": "text/html; charset=utf-8",
            "content-security-policy":
                "default-src 'none'; \(scripts)style-src 'sha256-\(styleHash)'; base-uri 'none'; form-action \(forms); frame-ancestors 'none'",
            "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff", "x-frame-options": "DENY",
        ]
    }

    static func hash(_ style: String) -> String { Base64.encode(Digest.sha256(Array(style.utf8))) }
}

/// Small pages that belong to no project.
package enum Page {
    package static func message(status: Int, title: String, text: String) -> Response {
        Templates.standard.page("message", in: "en", ["title": .text(title), "text": .text(text)], status: status)
    }
}

/// A project's colour, `#rrggbb`.
enum Accent {
    /// Black or white, whichever reads better on the colour. <https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio>
    static func text(on accent: String) -> String {
        let channels = [1, 3, 5].map { start -> Double in
            let digits = accent.dropFirst(start).prefix(2)
            let share = Double(Int(digits, radix: 16) ?? 0) / 255
            // The square is close enough to the standard's curve to choose between two colours.
            return share * share
        }
        let luminance = 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
        return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? "#ffffff" : "#000000"
    }
}
