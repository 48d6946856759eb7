import Accounts
import Pages
import ProjectSettings
import Projects
import Runtime
import Web

/// The service accounts of a project with their rights and keys. `gatehouse service-accounts` makes and revokes keys, since a key leaves in a file.
struct ServiceAccountsPage: ConsolePage {
    static let path = "/projects/{project}/serviceAccounts"
    static let place = ConsolePlace.serviceAccounts

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let keys = try await visit.accounts.operators.serviceAccounts.list(try visit.project.settings.id)
        return ConsoleView(
            "serviceAccounts",
            [
                "hasKeys": .flag(!keys.isEmpty),
                "keys": .list(
                    keys.map { key in
                        [
                            "account": .text(ConsoleVisit.inert(key.email)), "key": .text(key.keyID),
                            "rights": .text(key.rights.names.joined(separator: ", ")), "created": .text(Timestamp.minute(key.createdAt)),
                            "revoked": .text(key.revokedAt.map(Timestamp.minute)),
                        ]
                    }),
            ])
    }
}
