import Config
import ProjectSettings
import TestKit

@testable import Server

/// A configuration in files. It is sound, unless a test writes a mistake into it.
final class WrittenConfiguration {
    static let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    var environment = ["DATABASE": "postgresql://gatehouse@db.internal/gatehouse", "MASTER_KEY": key, "PASSWORD": "a password"]
    let projects: TestFolder
    private let folder: TestFolder

    var path: String { folder.path + "/gatehouse.yaml" }

    /// - Parameters:
    ///   - more: what the server's file says besides what is required.
    ///   - projects: content of project files by file name.
    convenience init(
        _ more: String = "", publicURL: String = "https://auth.example.com", projects: [String: String] = ["demo.yaml": project()]
    ) throws {
        try self.init(more, publicURL, TestFolder(projects))
    }

    private init(_ more: String, _ publicURL: String, _ projects: TestFolder) throws {
        self.projects = projects
        folder = try TestFolder([
            "gatehouse.yaml": """
            publicURL: \(publicURL)
            database: {env: DATABASE}
            masterKey: {env: MASTER_KEY}
            projects: \(projects.path)
            \(more)
            """
        ])
    }

    /// Another server's file for the same project files.
    func copied(_ more: String) throws -> WrittenConfiguration { try WrittenConfiguration(more, "https://auth.example.com", projects) }

    /// The file of a project, with these lines more.
    static func project(_ id: String = "demo", number: Int = 7, key: String = "key", _ more: String = "") -> String {
        "project: \(id)\nnumber: \(number)\napiKeys: [\(key)]\nauthorizedDomains: [app.example.com]\n\(more)"
    }

    /// The server's file alone, with its faults and notes.
    func settings() -> (settings: ServerSettings, faults: [String], notes: [String]) {
        let faults = Faults()
        let settings = ServerSettings(ConfigFile.read(path, environment: environment, faults: faults))
        return (settings, told(faults.all), told(faults.notes))
    }

    /// All files, with the faults and notes of all of them.
    func reading() throws -> (reading: ConfigurationReading, faults: [String], notes: [String]) {
        let reading = try ConfigurationReading(from: path, environment: environment)
        let faults = Faults([reading.faults] + reading.files.map(\.faults))
        return (reading, told(faults.all), told(faults.notes))
    }

    /// Faults as an operator reads them, without the folders.
    private func told(_ faults: [Fault]) -> [String] {
        faults.map { fault in
            let text = fault.description
            return [folder.path, projects.path].first { text.hasPrefix($0) }.map { String(text.dropFirst($0.utf8.count + 1)) } ?? text
        }
    }
}
