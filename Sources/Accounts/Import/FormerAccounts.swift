package import ProjectSettings
import Text

/// Finds the records that the people of a Firebase project have there, while they move here.
///
/// Google has them, which these rules do not ask: the target that does has the implementation (`Migration/Bridge/`), and a loop is made with it.
package protocol FormerAccounts: Sendable {
    /// The records of a person, each as an import would store it or with the reason why it cannot; none for a person whom the project does not have.
    /// Records have no password.
    ///
    /// Throws `formerIssuerUnavailable`.
    func accounts(
        of person: FormerPerson, in project: ProjectSettings, _ migration: FirebaseMigration
    ) async throws(AccountError) -> [Result<ImportedAccount, ImportFault>]
}

/// The name by which a person of a Firebase project is looked for there.
package enum FormerPerson: Sendable {
    case id(String)
    /// In canonical form.
    case address(String)
    /// A provider's word on the person: each of the subjects that it may be stored by, and the address.
    case identity(providerID: String, subjects: [String], email: String?)
}

extension FormerPerson {
    /// The text that limits count, and by which two requests know that they ask the same.
    var name: String {
        switch self {
        case .id(let id): "id \(id)"
        case .address(let email): "address \(email)"
        case .identity(let providerID, let subjects, _): ([providerID] + subjects).joined(separator: " ")
        }
    }
}
