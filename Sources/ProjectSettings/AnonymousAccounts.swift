import Config

extension ProjectSettings {
    /// The fate of accounts that prove nothing of a person: `anonymous` of a project's file.
    package struct AnonymousAccounts: Sendable {
        /// How long such an account is kept that is not used; `nil` for ever.
        package var deleteAfter: Duration?

        package init() {}
    }
}

extension ProjectSettings.AnonymousAccounts {
    init(_ section: Section) {
        self.init()
        deleteAfter = section.value("deleteAfter", expected: "a time from 1d to 3650d, such as 30d") { text in
            Duration(text: text).flatMap { (.seconds(86400)...(.seconds(3650 * 86400))).contains($0) ? $0 : nil }
        }
        section.finish()
    }
}
