package import Accounts
import Postgres
import ProjectSettings
package import Projects
import Providers

/// Providers whose users are stored under another issuer than their entry's. The start and a reload refuse them, and `check --live` prints
/// them.
package enum PinnedIssuers {
    /// The issuers that the projects' entries name.
    package static func configured(by projects: [Project]) -> [ProviderIssuers.Entry] {
        projects.flatMap { project in
            project.providers.values.map { provider in
                ProviderIssuers.Entry(projectID: project.settings.storageID, providerID: provider.id, issuer: provider.storedIssuer)
            }
        }
    }

    static func conflicts(_ projects: [Project], _ database: Database) async throws -> [ProviderIssuers.Entry] {
        try await ProviderIssuers(database: database).conflicts(with: configured(by: projects))
    }

    /// The sentence for an operator about such a provider, with the way to mend it.
    package static func sentence(_ pinned: ProviderIssuers.Entry) -> String {
        let users = "project \(pinned.projectID), provider \(pinned.providerID): users are stored under the issuer \(pinned.issuer)"
        guard pinned.issuer == DevelopmentProviders.issuer else {
            return "\(users). Another issuer has other users; give it a provider id of its own."
        }
        return "\(users): developers made them up in development mode. Take the entry out of the project's file, start the server in "
            + "development mode, call DELETE /emulator/v1/projects/\(pinned.projectID)/accounts, which removes all accounts of the project, and "
            + "put the entry back. A server in production needs a database of its own."
    }
}
