import Config

extension ProjectSettings {
    /// The record of what was done to the project's accounts: `audit` of a project's file.
    package struct Audit: Sendable {
        /// How long an audit event is kept; `nil` where `gatehouse.yaml` decides.
        package var keep: Duration?

        package init() {}
    }
}

extension ProjectSettings.Audit {
    init(_ section: Section) {
        self.init()
        keep = section.value("keep", expected: "a time from 1d to 3650d, such as 90d") { text in
            Duration(text: text).flatMap { (.seconds(86400)...(.seconds(3650 * 86400))).contains($0) ? $0 : nil }
        }
        section.finish()
    }
}
