import Crypto
import JSON
import Postgres
package import ProjectSettings
import Runtime
import Text

/// The secret by which a client goes on with a sign-in that waits for a second factor (Firebase's `mfaPendingCredential`).
package struct PendingCredential: KeptSecret {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    var hash: [UInt8] { Digest.sha256(bytes) }
}

/// Sign-ins whose person has given one proof and owes a second factor: rows that live for minutes.
///
/// One ends when a second factor was passed, after `tries` that were wrong, with every ending of the account's sessions, and when its second
/// factors change.
package struct PendingSignIns: Sendable {
    package static let lifetime: Duration = .seconds(600)
    /// How many second factors may be tried.
    static let tries: Int16 = 5

    let storage: Storage
    let clock: Clock
    let secrets: FactorSecrets

    /// A waiting sign-in with the account that it is to.
    package struct Waiting: Sendable {
        package let credential: PendingCredential
        package let account: Account
        let kind: Session.Kind
        let signInProvider: String
        let method: String
        let authTime: Instant
        /// The account's factors with their secrets.
        let factors: SecondFactors
        /// The newest used step of each authenticator app, by its id.
        let steps: String?
        /// Sealed: by which Firebase goes on with the same sign-in.
        let formerCredential: [UInt8]?
        /// The HMAC of digits that were mailed for this sign-in.
        let mailedCode: [UInt8]?
    }

    /// Stores a sign-in that waits for a second factor. Gives the sealed secrets of the account's factors.
    ///
    /// - Parameter method: the way to sign in, as metrics name it.
    static func insertion(
        of authentication: Authentication, _ credential: PendingCredential, method: String, kind: Session.Kind, in project: ProjectSettings,
        at now: Instant
    ) -> SQL {
        """
        INSERT INTO pending_sign_ins (project_id, pending_hash, account_id, kind, sign_in_provider, method, auth_time, created_at, expires_at)
        VALUES (\(project: project), \(credential.hash), \(authentication.account.id), \(kind.rawValue), \(authentication.signInProvider), \(method),
            \(authentication.time), \(now), \(now + lifetime))
        RETURNING (\(FactorSecrets.select(of: authentication.account.id, in: project)))
        """
    }

    /// The sign-in of the credential, for a call that sends a code or makes a challenge.
    ///
    /// Throws `secondFactor(.pendingUnknown)`, also for one that has ended, and `accountDisabled`.
    package func find(_ credential: PendingCredential, in project: ProjectSettings) async throws(AccountError) -> Waiting {
        let rows = try await storage.read(
            """
            SELECT \(Self.columns(in: project)) FROM pending_sign_ins p
            JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = p.account_id
            WHERE p.project_id = \(project: project) AND p.pending_hash = \(credential.hash) AND p.expires_at > \(clock.now())
                AND p.tries < \(Self.tries)
            """)
        return try waiting(rows, credential, in: project)
    }

    /// The same before a second factor is judged. It counts as a try, so that of any number at the same time only a few are judged.
    func take(_ credential: PendingCredential, in project: ProjectSettings) async throws(AccountError) -> Waiting {
        let rows = try await storage.write(
            """
            WITH p AS (
                UPDATE pending_sign_ins SET tries = tries + 1
                WHERE project_id = \(project: project) AND pending_hash = \(credential.hash) AND expires_at > \(clock.now())
                    AND tries < \(Self.tries)
                RETURNING *
            )
            SELECT \(Self.columns(in: project)) FROM p
            JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = p.account_id
            """)
        return try waiting(rows, credential, in: project)
    }

    private static func columns(in project: ProjectSettings) -> SQL {
        """
        p.kind, p.sign_in_provider, p.method, p.auth_time, p.created_at, p.former_credential, p.mailed_code, a.factor_secrets, a.totp_steps::text,
        \(Account.columns(in: project))
        """
    }

    private func waiting(
        _ rows: [Row], _ credential: PendingCredential, in project: ProjectSettings
    ) throws(AccountError) -> Waiting {
        guard let row = rows.first else { throw .secondFactor(.pendingUnknown) }
        let stored = try reading { try Stored(row) }
        guard let account = stored.account, let kind = Session.Kind(rawValue: stored.kind) else { throw .secondFactor(.pendingUnknown) }
        guard !account.disabled else { throw .accountDisabled }
        // A takeover ends the sessions that were there, and begins this one at the same time.
        guard !stored.created.isInEarlierSecond(than: account.validSince), account.sessionsEndedAt.map({ stored.created >= $0 }) ?? true
        else { throw .secondFactor(.pendingUnknown) }
        return Waiting(
            credential: credential, account: account, kind: kind, signInProvider: stored.signInProvider, method: stored.method,
            authTime: stored.authTime, factors: SecondFactors(try secrets.opened(account, stored.secrets, in: project)),
            steps: stored.steps,
            formerCredential: stored.formerCredential, mailedCode: stored.mailedCode)
    }

    /// The columns of a row.
    private struct Stored {
        let kind: String
        let signInProvider: String
        let method: String
        let authTime: Instant
        let created: Instant
        let formerCredential: [UInt8]?
        let mailedCode: [UInt8]?
        let secrets: [UInt8]?
        let steps: String?
        let account: Account?

        init(_ row: Row) throws(PostgresError) {
            var row = row.reader()
            kind = try row.next()
            signInProvider = try row.next()
            method = try row.next()
            authTime = try row.next()
            created = try row.next()
            formerCredential = try row.next()
            mailedCode = try row.next()
            secrets = try row.next()
            steps = try row.next()
            account = try Account(&row)
        }
    }
}

extension PendingSignIns.Waiting {
    /// Whether digits were mailed for this sign-in, in the place of an authenticator app's.
    package var hasMailedDigits: Bool { mailedCode != nil }

    /// The newest step of an authenticator app whose code was used; -1 for none.
    func lastStep(of factorID: String) -> Int64 {
        steps.flatMap { try? JSON.parse($0) }?[UTF8Text(factorID)]?.integer ?? -1
    }

    /// Uses the pending sign-in up. Must come after the statement that changes or locks the account.
    func spend(in project: ProjectSettings) -> SQL {
        .required(
            """
            DELETE FROM pending_sign_ins WHERE project_id = \(project: project) AND pending_hash = \(credential.hash) RETURNING pending_hash
            """)
    }
}

extension Account {
    /// Ends the sign-ins that wait for a second factor, whose list changes.
    func endPendingSignIns(in project: ProjectSettings) -> SQL {
        "DELETE FROM pending_sign_ins WHERE project_id = \(project: project) AND account_id = \(id)"
    }
}
