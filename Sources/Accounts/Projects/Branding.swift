/// The look of a project in mails and on pages.
package struct Branding: Sendable, Equatable {
    package var name: String
    /// The colour of buttons and links: `#rrggbb`.
    package var accent: String
    /// The language that is used when neither the app nor the browser asks for an available one: a tag such as `en`.
    package var language: String

    package init(name: String, accent: String = "#2f5bea", language: String = "en") {
        self.name = name
        self.accent = accent
        self.language = language
    }
}
