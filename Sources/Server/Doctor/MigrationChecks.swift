import Curl
import Migration
import ProjectSettings
import Projects
import Runtime

/// Asks Google about the Firebase projects that people come from, and about those that have their data.
struct MigrationChecks {
    let projects: [Project]
    let client: HTTPClient
    let clock: Clock

    /// One part for each project whose time is not over, and one for each that has data at Firebase.
    func parts() async -> [Checkup.Part] {
        var parts: [Checkup.Part] = []
        for settings in projects.map(\.settings) {
            if let migration = settings.openMigration(at: clock.now()) {
                let google = GoogleProject(migration, upstream: client, access: GoogleAccess(), clock: clock)
                parts.append(Checkup.Part("\(settings.id)  migration.firebase", await findings(google)))
            }
            if let firestore = settings.firestore {
                let keys = FirestoreKeys(firestore, upstream: client, clock: clock)
                parts.append(Checkup.Part("\(settings.id)  firestore", await findings(keys)))
            }
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
        return findings + (await findingsOfQuestions(to: google))
    }

    /// Tries what the project's file has this server ask about people: an impossible login, and a look for an account.
    private func findingsOfQuestions(to google: GoogleProject) async -> [Finding] {
        var findings: [Finding] = []
        if google.migration.passwords != .off {
            do { try await google.tryPassword() } catch {
                findings.append(
                    .fault(
                        "migration.passwords", "Google does not judge passwords: \(error)",
                        Self.remedy(
                            error,
                            else:
                                "at Google, turn on sign-in by e-mail and password, and let the API key use it without reCAPTCHA and App Check; "
                                + "or set passwords to off")))
            }
        }
        if google.migration.unknownUsers == .import {
            do { try await google.tryLookup() } catch {
                findings.append(
                    .fault(
                        "migration.unknownUsers", "The service account cannot look up accounts: \(error)",
                        Self.remedy(error, else: "give it the role Firebase Authentication Admin, or set unknownUsers to refuse")))
            }
        }
        return findings
    }

    private func findings(_ keys: FirestoreKeys) async -> [Finding] {
        var findings: [Finding] = []
        do { try await keys.trySigner() } catch {
            findings.append(
                .fault(
                    "firestore.serviceAccount", "Google does not know the key that signs custom tokens: \(error)",
                    Self.remedy(error, else: "download another key of the service account")))
        }
        do { try await keys.tryAdministrator() } catch {
            findings.append(
                .fault(
                    "firestore.administrator", "Google's sessions cannot be ended by the administrator's key: \(error)",
                    Self.remedy(error, else: "give its service account the role Firebase Authentication Admin in the project projectId")))
        }
        return findings
    }

    private static func remedy(_ error: GoogleFailure, else remedy: String) -> String {
        if case .unavailable = error { "let this server reach Google, and try again" } else { remedy }
    }
}
