import Config
package import Runtime

/// The Firebase project that this project's people come from, while they are moving here: `migration.firebase` of a project's file.
///
/// All of it ends at `until`, without a restart. Google's addresses are fixed (`Migration/Google/GoogleAddress.swift`); no setting changes them.
package struct FirebaseMigration: Sendable {
    /// `aud` of Google's ID tokens.
    package var projectID: String
    /// Google's refresh tokens are answered with it.
    package var projectNumber: Int64
    package var serviceAccount: GoogleServiceAccount
    /// A key of the Firebase project, for calls of this server.
    package var apiKey: Secret
    /// The first moment at which nothing of Google's counts any more.
    package var until: Instant
    /// Whether Google's refresh tokens are traded for sessions.
    package var sessions = true
    package var passwords = Passwords.off
    /// Whether changes of accounts are copied to the Firebase project.
    package var mirror = false
    package var unknownUsers = UnknownUsers.refuse

    /// When Google is asked about a password that an account here does not have.
    package enum Passwords: String, Sendable, CaseIterable {
        case off
        /// When it is wrong here, and nobody has changed it here since the import.
        case changed
        /// The same, where no hashes were imported: also about addresses without an account.
        case always
    }

    /// The fate of people of the Firebase project who have no account here.
    package enum UnknownUsers: String, Sendable, CaseIterable {
        /// They are unknown here, until an import brings them.
        case refuse
        /// Their accounts are imported when they come, or before another account gets their address.
        case `import`
    }

    /// - Parameters:
    ///   - until: the first moment at which nothing of Google's counts any more.
    package init(projectID: String, projectNumber: Int64, serviceAccount: GoogleServiceAccount, apiKey: Secret, until: Instant) {
        self.projectID = projectID
        self.projectNumber = projectNumber
        self.serviceAccount = serviceAccount
        self.apiKey = apiKey
        self.until = until
    }

    /// `iss` of Google's ID tokens.
    package var issuer: String { "https://securetoken.google.com/\(projectID)" }
}

extension ProjectSettings {
    /// The Firebase project whose tokens count at `now`; `nil` when there is none, or when its time is over.
    package func openMigration(at now: Instant) -> FirebaseMigration? {
        guard let firebaseMigration, now < firebaseMigration.until else { return nil }
        return firebaseMigration
    }
}

extension FirebaseMigration {
    /// - Parameter now: the present time; from `until` on, the operator is told to clean up at Google.
    init?(_ section: Section, now: Instant) {
        for (key, remedy) in [
            ("projectId", "the id of the Firebase project"),
            ("projectNumber", "the number of the Firebase project (its settings in Firebase's console show it)"),
            ("serviceAccount", "write {file: google.json}, the key of a service account of the Firebase project"),
            ("apiKey", "write {env: NAME} or {file: path}, an API key of the Firebase project for this server alone"),
            ("until", "the day on which people have moved, such as 2027-03-01"),
        ] {
            section.require(key, remedy)
        }
        let projectID = section.value("projectId", expected: "the id of a Firebase project, such as acme-prod") {
            ProjectSettings.isID($0) ? $0 : nil
        }
        let number = section.int("projectNumber", in: 1...Int(Int64.max))
        let serviceAccount = GoogleServiceAccount(section, "serviceAccount")
        let apiKey = section.secret("apiKey")
        let until = section.value("until", expected: "a date such as 2027-05-01, or a time such as 2027-05-01T12:00:00Z") {
            Instant(utc: $0)
        }
        let sessions = section.bool("sessions", default: true)
        let passwords = section.choice("passwords", default: Passwords.off)
        let mirror = section.bool("mirror", default: false)
        let unknownUsers = section.choice("unknownUsers", default: UnknownUsers.refuse)
        section.finish()
        guard let projectID, let number, let serviceAccount, let apiKey, let until else { return nil }
        self.init(
            projectID: projectID, projectNumber: Int64(number), serviceAccount: serviceAccount, apiKey: apiKey, until: until)
        self.sessions = sessions
        self.passwords = passwords
        self.mirror = mirror
        self.unknownUsers = unknownUsers
        if until <= now {
            section.note(
                "until",
                "is over, so tokens of the Firebase project \(projectID) count no more; delete the API key and the key of "
                    + "\(serviceAccount.email) at Google, their files here, and the section migration")
        }
    }
}
