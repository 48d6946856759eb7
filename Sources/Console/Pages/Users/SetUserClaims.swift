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
        return try await visit.asking("setUserClaims", fields: [ConsoleField("claims", .text, value: Self.escaped(claims))])
    }

    /// The same JSON, in which characters that cannot be seen, or that change how others are read, are written by their code points.
    private static func escaped(_ json: String) -> String {
        json.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\n"
            // They stand between the values: a text of JSON has neither.
            case "\t", "\r": text += " "
            case _ where ProfileText.isFit(String(scalar), most: 1): text.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            }
        }
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        var change = AdministratorChange()
        change.customAttributes = try CustomClaims.checked((form["claims"] ?? "").trimmed).map(FieldUpdate.set) ?? .clear
        return try await visit.changing(change)
    }
}
