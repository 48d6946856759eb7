import Accounts
import HTTP
import Text
import Web

/// Deletes an account with all that belongs to it. The operator types its id, so that no other is deleted by mistake.
struct DeleteUser: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/delete"
    static let place = ConsolePlace.users
    static let role = Operator.Role.admin
    static let isDangerous = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        try await visit.asking("deleteUser", fields: [ConsoleField("uid")])
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let id = try visit.userID
        guard id.isExactly((form["uid"] ?? "").trimmed) else { throw ConsoleFault("faultOtherID") }
        try await visit.accounts.deletion.delete(id, by: try visit.administrator)
        return .goes(to: try visit.projectLink("/users"), note: "deleted")
    }
}
