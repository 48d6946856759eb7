import Config
import ProjectSettings
import Projects

/// The configuration's files, to read their settings again for an operator who looks at them.
struct ConfigurationFiles: Sendable {
    let path: String
    /// The process's, which the files may name secrets of.
    let environment: [String: String]
    let server: ServerSettings

    /// Every setting of `gatehouse.yaml`.
    func ofServer() -> [EffectiveSetting] {
        ConfigFile.effectiveSettings(of: path, environment: environment) { _ = ServerSettings($0) }
    }

    /// Every setting of a project's file.
    ///
    /// - Parameter name: of the file, without its folder.
    func ofProject(fileName name: String) -> [EffectiveSetting] {
        ConfigFile.effectiveSettings(of: "\(server.projects)/\(name)", environment: environment) { section in
            _ = ProjectFile.read(section, development: server.development, publicURL: server.publicURL)
        }
    }
}
