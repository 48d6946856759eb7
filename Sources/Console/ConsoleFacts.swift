package import Config

/// The server as the console shows it.
package struct ConsoleFacts: Sendable {
    let version: String
    /// The number of the newest migration that this binary knows.
    let schema: String
    let development: Bool
    /// The name of `gatehouse.yaml`.
    let serverFile: String
    /// The settings of that file, read anew.
    let serverSettings: @Sendable () -> [EffectiveSetting]
    /// The same for a project's file, by its name.
    let projectSettings: @Sendable (String) -> [EffectiveSetting]

    package init(
        version: String, schema: String, development: Bool, serverFile: String,
        serverSettings: @escaping @Sendable () -> [EffectiveSetting],
        projectSettings: @escaping @Sendable (String) -> [EffectiveSetting]
    ) {
        self.version = version
        self.schema = schema
        self.development = development
        self.serverFile = serverFile
        self.serverSettings = serverSettings
        self.projectSettings = projectSettings
    }
}
