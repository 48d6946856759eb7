import Accounts
import HTTP
import ProjectSettings
import Projects
import Web

/// Gives everything that is stored of a person as a file, as `gatehouse users export` does: without secrets, and without other people.
struct ExportUser: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/export"
    static let place = ConsolePlace.users
    static let role = Operator.Role.admin
    static let isDangerous = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation { try await visit.asking("exportUser") }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let bytes = try await visit.accounts.administration.personalExport.recordedJSON(of: try visit.userID, by: try visit.administrator)
        return .file(name: "person-\(try visit.project.settings.addressName).json", type: "application/json", bytes)
    }
}
