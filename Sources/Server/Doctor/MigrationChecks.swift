import Curl
import Migration
import ProjectSettings
import Projects
import Runtime

/// Asks Google about the Firebase projects that people come from.
struct MigrationChecks {
    let projects: [Project]
    let client: HTTPClient
    let clock: Clock

    /// One part for each project whose time is not over.
    func parts() async -> [Checkup.Part] {
        var parts: [Checkup.Part] = []
        for project in projects {
            guard let migration = project.settings.openMigration(at: clock.now()) else { continue }
            let google = GoogleProject(migration, upstream: client, access: GoogleAccess(), clock: clock)
            parts.append(Checkup.Part("\(project.settings.id)  migration.firebase", await findings(google)))
        }
        return parts
    }

    private func findings(_ google: GoogleProject) async -> [Finding] {
        var findings: [Finding] = []
        do { try await google.proveOwnership() } catch {
            findings.append(
                .fault(
                    "migration.project", "The service account does not show that the Firebase project is yours: \(error)",
                    Self.remedy(error, else: "compare projectId, projectNumber and serviceAccount with Google's console")))
        }
        do { try await google.tryKey() } catch {
            findings.append(
                .fault(
                    "migration.apiKey", "The API key does not redeem refresh tokens: \(error)",
                    Self.remedy(
                        error,
                        else: "let the key call the Identity Toolkit API and the Token Service API, from the addresses of this server")))
        }
        return findings
    }

    private static func remedy(_ error: GoogleFailure, else remedy: String) -> String {
        if case .unavailable = error { "let this server reach Google, and try again" } else { remedy }
    }
}
