/// How a project shows itself to people, in mails and on pages.
package struct Branding: Sendable, Equatable {
    package var name: String
    /// The colour of buttons and links: `#rrggbb`.
    package var accent: String
    /// What people are spoken to in when nothing says better: a tag such as `en`.
    package var language: String

    package init(name: String, accent: String = "#2f5bea", language: String = "en") {
        self.name = name
        self.accent = accent
        self.language = language
    }
}
