import Config

/// The look of a project in mails and on pages.
package struct Branding: Sendable, Equatable {
    package var name: String
    /// The colour of buttons and links: `#rrggbb`.
    package var accent: String
    /// The language that is used when neither the app nor the browser asks for an available one: a tag such as `en`.
    package var language: String
    /// A picture that stands above each page.
    package var logo: Logo?

    package init(name: String, accent: String = "#2f5bea", language: String = "en") {
        self.name = name
        self.accent = accent
        self.language = language
    }
}

extension Branding {
    init(_ section: Section, name: String) {
        self.init(name: section.string("name") ?? name)
        accent = section.value("accent", expected: "a colour such as \"#2f5bea\", in quotation marks", Branding.colour) ?? accent
        language =
            section.value("language", expected: "a language's tag, such as en or pt-BR") {
                LanguageTag.isWellFormed($0) ? $0 : nil
            } ?? language
        logo = section.bytes(ofFile: "logo", atMost: Logo.maxBytes).flatMap { file in
            let logo = Logo(file.bytes)
            if logo == nil { section.fault("logo", "the file \(file.path) is not an SVG, PNG, JPEG or WebP picture") }
            return logo
        }
        section.finish()
    }

    /// The colour in the form that all pages and mails rely on; `nil` for anything else.
    private static func colour(_ text: String) -> String? {
        text.utf8.count == 7 && text.hasPrefix("#") && text.utf8.dropFirst().allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
            ? text.lowercased() : nil
    }
}
