import Config

extension ProjectSettings {
    /// `customTokens` of a project's file.
    package struct CustomTokens: Sendable {
        /// Whether a custom token signs in only once; Firebase accepts it any number of times until it expires.
        package var singleUse = false

        package init() {}
    }
}

extension ProjectSettings.CustomTokens {
    init(_ section: Section) {
        self.init()
        singleUse = section.bool("singleUse", default: singleUse)
        section.finish()
    }
}
