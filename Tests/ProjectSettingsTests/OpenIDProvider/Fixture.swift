import Config
import TestKit

@testable import ProjectSettings

/// Reads `openIDProvider` of the project `acme`.
struct ReadOpenIDProvider {
    let provider: ProjectSettings.OpenIDProvider
    /// Without the file's name, line and column.
    let faults: [String]
    let notes: [String]

    static let secret = "0123456789abcdefghijklmn"

    /// - Parameters:
    ///   - yaml: what stands below `openIDProvider`.
    ///   - files: other files of the folder, by name.
    init(_ yaml: String, development: Bool = false, files: [String: String] = [:]) throws {
        let folder = try TestFolder(files.merging(["acme.yaml": yaml]) { first, _ in first })
        let faults = Faults()
        let environment = ["SECRET": Self.secret, "SHORT": "secret", "UMLAUT": "sch\u{F6}ne lange Geheimnisse"]
        let section = ConfigFile.read("\(folder.path)/acme.yaml", environment: environment, faults: faults)
        provider = ProjectSettings.OpenIDProvider(section, project: "acme", development: development)
        self.faults = faults.all.map { "\($0.path): \($0.message)".replacing(folder.path + "/", with: "") }
        notes = faults.notes.map { "\($0.path): \($0.message)" }
    }

    /// One client, whose entry has these lines besides an id.
    init(client: String, development: Bool = false, files: [String: String] = [:]) throws {
        try self.init("clients: [{id: app, \(client)}]", development: development, files: files)
    }

    var client: OAuthClient? { provider.clients.first }
}
