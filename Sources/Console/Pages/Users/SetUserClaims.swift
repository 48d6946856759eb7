import Accounts
import HTTP
import Identity
import JSON
import Text
import Web

/// Sets the claims that a person's tokens have besides the usual ones, in place of all that they have.
struct SetUserClaims: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/claims"
    static let place = ConsolePlace.users
    static let role = Operator.Role.admin
    static let isDangerous = true

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let claims = try await visit.user().customAttributes ?? "{}"
        return try await visit.asking("setUserClaims", fields: [ConsoleField("claims", .json, value: claims)])
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        var change = AdministratorChange()
        change.customAttributes = try CustomClaims.checked((form["claims"] ?? "").trimmed).map(FieldUpdate.set) ?? .clear
        return try await visit.changing(change)
    }
}
