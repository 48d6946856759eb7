import Config
import TestKit

@testable import Projects

/// A project's file as a test wrote it, with what its reading found.
struct ReadProject {
    static let publicURL = "https://auth.example.com"

    let project: Project
    /// Without the folder.
    let faults: [String]
    let notes: [String]

    /// - Parameter more: what the file says besides what is required.
    init(_ more: String = "", id: String = "acme", number: Int = 7, development: Bool = false) throws {
        let smallest = "project: \(id)\nnumber: \(number)\napiKeys: [key-of-\(id)]\nauthorizedDomains: [app.example.com]\n"
        let folder = try TestFolder(["\(id).yaml": smallest + more])
        let faults = Faults()
        let section = ConfigFile.read("\(folder.path)/\(id).yaml", environment: ["SECRET": "secret"], faults: faults)
        project = ProjectFile.read(section, development: development, publicURL: Self.publicURL)
        (self.faults, notes) = withExtendedLifetime(folder) {
            (
                faults.all.map { String($0.description.dropFirst(folder.path.count + 1)) },
                faults.notes.map { String($0.description.dropFirst(folder.path.count + 1)) }
            )
        }
    }
}
