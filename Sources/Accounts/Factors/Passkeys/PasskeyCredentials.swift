import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import WebAuthn

/// A passkey with its key and its account, as it was read to verify an assertion.
struct PasskeyCredential: Sendable {
    let account: Account
    let id: [UInt8]
    let rpID: String
    let publicKey: [UInt8]
    let signCount: Int64
    let isBackupEligible: Bool
    let isFlagged: Bool

    /// `nil` when no passkey has the id.
    init?(rows: [Row]) throws(AccountError) {
        guard var row = rows.first?.reader(), let account = try reading({ try Account(&row) }) else { return nil }
        self.account = account
        do {
            id = try row.next()
            rpID = try row.next()
            publicKey = try row.next()
            signCount = try row.next()
            isBackupEligible = try row.next()
            isFlagged = try row.next()
        } catch { throw .database(error) }
    }

    /// Gives the ceremony the parts that it needs.
    func stored() throws(CeremonyError) -> StoredCredential {
        StoredCredential(
            key: try CredentialKey(cose: publicKey), signCount: UInt32(clamping: signCount), isBackupEligible: isBackupEligible,
            userHandle: account.userHandle ?? [])
    }

    /// The proof of a second factor that its use with a verified person is.
    var proof: SecondFactorProof { SecondFactorProof(kind: SecondFactorProof.passkey, id: Passkey.factorID(of: id)) }

    /// Notes a use, provided that no other one was noted since it was read: then the counter must be judged again.
    func use(_ verified: VerifiedAssertion, in project: ProjectSettings, at now: Instant) -> SQL {
        .required(
            """
            UPDATE passkeys SET sign_count = \(Int64(verified.signCount)), backup_state = \(verified.isBackedUp),
                uv_initialized = uv_initialized OR \(verified.userVerified), last_used_at = \(now)
            WHERE project_id = \(project: project) AND credential_id = \(id) AND account_id = \(account.id) AND sign_count = \(signCount)
            RETURNING credential_id
            """)
    }
}

extension AuditedAct {
    /// Removes passkeys and ends the other sessions that they signed in.
    /// - Parameter spared: the session that goes on.
    func removal(of ids: [[UInt8]], from account: Account, sparing spared: [UInt8]?, in project: ProjectSettings) -> [SQL] {
        guard !ids.isEmpty else { return [] }
        let reason = "passkey removed"
        let sessions = account.endSessions(because: reason, sparing: spared, in: project, at: time)
        let theirs = ids.map(Passkey.factorID)
        return [
            removePasskeys(where: "encode(credential_id, 'hex') = ANY(\(ids.map(Hex.encode)))", in: project),
            end(
                "\(sessions) AND second_factor = \(SecondFactorProof.passkey) AND second_factor_id = ANY(\(theirs))", because: reason,
                in: project),
            account.deleteCodes(.allButRecovery, in: project),
        ]
    }
}

/// Finds the passkeys that assertions name, and flags those that seem to be copied.
struct PasskeyCredentials: Sendable {
    let clock: Clock
    let notices: OwnerNotices
    let storage: Storage

    /// Selects the passkey with this id, with its account.
    static func select(_ id: [UInt8], in project: ProjectSettings) -> SQL {
        """
        SELECT \(Account.columns(in: project)), c.credential_id, c.rp_id, c.public_key, c.sign_count, c.backup_eligible,
            c.flagged_at IS NOT NULL
        FROM passkeys c JOIN accounts a ON a.project_id = \(project: project) AND a.account_id = c.account_id
        WHERE c.project_id = \(project: project) AND c.credential_id = \(id)
        """
    }

    /// Flags a passkey whose authenticator has counted backwards, records it and tells the owner; once for each passkey, since a thief with
    /// a copy could make it count backwards again and again (SEC-45).
    /// - Returns: the refusal to throw.
    func suspectCopy(
        of credential: PasskeyCredential, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> AccountError {
        guard !credential.isFlagged else { return .passkeyRefused(.counter) }
        let account = credential.account
        let now = clock.now()
        let event = AccountEvent(.passkeySuspected, subject: Passkey.factorID(of: credential.id))
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        let mails = notices.statements(for: [event], from: account, to: account, language: language, in: project)
        let flag: SQL = .required(
            """
            UPDATE passkeys SET flagged_at = \(now)
            WHERE project_id = \(project: project) AND credential_id = \(credential.id) AND flagged_at IS NULL RETURNING credential_id
            """)
        _ = try await storage.write(
            all: [account.holdStanding(in: project), flag] + act.records(of: [event], in: project) + mails, waitingFor: account.id)
        notices.mails.wakeWorker(for: mails, in: project)
        return .passkeyRefused(.counter)
    }
}
