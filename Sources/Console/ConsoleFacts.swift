package import Config
package import Messaging
package import Runtime

/// The server as the console shows it.
package struct ConsoleFacts: Sendable {
    let version: String
    /// The number of the newest migration that this binary knows.
    let schema: String
    let development: Bool
    /// When this process began.
    let startedAt: Instant
    /// Sends operators a mail to look at; `nil` where no way of mail is configured.
    let sampleMails: SampleMailSender?
    /// The name of `gatehouse.yaml`.
    let serverFile: String
    /// The settings of that file, read anew.
    let serverSettings: @Sendable () -> [EffectiveSetting]
    /// The same for a project's file, by its name.
    let projectSettings: @Sendable (String) -> [EffectiveSetting]

    package init(
        version: String, schema: String, development: Bool, startedAt: Instant, sampleMails: SampleMailSender?, serverFile: String,
        serverSettings: @escaping @Sendable () -> [EffectiveSetting],
        projectSettings: @escaping @Sendable (String) -> [EffectiveSetting]
    ) {
        self.version = version
        self.schema = schema
        self.development = development
        self.startedAt = startedAt
        self.sampleMails = sampleMails
        self.serverFile = serverFile
        self.serverSettings = serverSettings
        self.projectSettings = projectSettings
    }
}
