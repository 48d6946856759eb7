package import Accounts
import Postgres
import ProjectSettings
package import Projects

/// Projects whose people have passkeys for another site than their file names. The start and a reload refuse them, since every passkey would
/// be dead; `gatehouse serve --accept-orphaned-passkeys` lets them.
package enum FrozenSites {
    /// The sites that the projects' files name.
    package static func configured(by projects: [Project]) -> [PasskeySites.Entry] {
        projects.compactMap { project in
            project.settings.passkeys.map { PasskeySites.Entry(projectID: project.settings.storageID, rpID: $0.rpID) }
        }
    }

    static func conflicts(_ projects: [Project], _ database: Database) async throws -> [PasskeySites.Entry] {
        try await PasskeySites(database: database).conflicts(with: configured(by: projects))
    }

    /// The sentence for an operator about such a project, with the way to mend it.
    package static func sentence(_ stored: PasskeySites.Entry) -> String {
        "project \(stored.projectID): people have passkeys for \(stored.rpID), which work for no other passkeys.rpId. Write that one again; or start "
            + "the server with --accept-orphaned-passkeys, and these passkeys sign in no more."
    }
}
