package import JSON
package import Providers

/// A value that a template gets under a name.
package enum TemplateValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral {
    /// Plain text. The empty text counts as absent, so that `{{#name}}…{{/name}}` leaves its part out.
    case text(String)
    case flag(Bool)
    /// The items for which `{{#name}}…{{/name}}` repeats its content.
    case list([[String: TemplateValue]])
    /// A word of the page by its name, with values of its own beside the page's; absent when the page has no such word.
    case word(String, [String: TemplateValue] = [:])

    /// A provider's mark. It and a QR code are the values that are not escaped.
    case mark(ProviderMark)
    case qrCode(QRCode)

    package init(stringLiteral text: String) { self = .text(text) }
    package init(booleanLiteral flag: Bool) { self = .flag(flag) }

    package static func text(_ text: String?) -> TemplateValue { .text(text ?? "") }
}

extension [String: TemplateValue] {
    /// The values as the template engine reads them, every text escaped for the place where it will stand.
    ///
    /// - Parameter say: gives the word of this name, filled with its own values; not escaped.
    func prepared(
        _ escape: (String) -> String, say: (String, [String: TemplateValue]) -> String? = { _, _ in nil }
    ) -> Template.Values {
        compactMapValues { value -> Template.Value? in
            switch value {
            case .text(let text): text.isEmpty ? nil : .text(escape(text))
            case .flag(let flag): .flag(flag)
            case .mark(let mark): .text(mark.svg)
            case .qrCode(let code): .text(code.svg)
            case .list(let items): .list(items.map { $0.prepared(escape, say: say) })
            case .word(let name, let own): say(name, own).map { .text(escape($0)) }
            }
        }
    }
}

/// Makes text and JSON safe to stand in an HTML page.
package enum HTML {
    /// Escapes text for the content of elements and for quoted attributes. It looks at scalars, not at characters: a quotation mark with a
    /// combining accent behind it is one character, and still a quotation mark to a browser.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// JSON that cannot end the script element it stands in. A script element knows no HTML escapes.
    package static func island(_ data: JSON) -> String {
        var result = String.UnicodeScalarView()
        for scalar in data.text().unicodeScalars {
            if scalar == "<" { result.append(contentsOf: "\\u003c".unicodeScalars) } else { result.append(scalar) }
        }
        return String(result)
    }

    /// The text on one line: line breaks and control characters become spaces, and spaces at both ends are removed.
    static func singleLine(_ text: String) -> String {
        var scalars = Substring.UnicodeScalarView(
            text.unicodeScalars.map { $0.properties.generalCategory.isLineOrControl ? " " : $0 })
        scalars = scalars.drop { $0 == " " }
        while scalars.last == " " { scalars.removeLast() }
        return String(scalars)
    }
}

extension Unicode.GeneralCategory {
    fileprivate var isLineOrControl: Bool { self == .control || self == .lineSeparator || self == .paragraphSeparator }
}
