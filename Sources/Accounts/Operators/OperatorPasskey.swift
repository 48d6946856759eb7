import Postgres
package import Runtime
import WebAuthn

/// A passkey of an operator, as the page that lists it shows it.
package struct OperatorPasskey: Sendable, Equatable {
    /// The authenticator's own name for it.
    package let credentialID: [UInt8]
    package let name: String
    /// The host name at which it is good.
    package let rpID: String
    package let createdAt: Instant
    package let lastUsedAt: Instant?
    /// When a copy of the authenticator was suspected first.
    package let flaggedAt: Instant?

    /// The columns of `operator_passkeys` to select.
    static let columns: SQL = "credential_id, name, rp_id, created_at, last_used_at, flagged_at"

    init(_ row: inout RowReader) throws(PostgresError) {
        credentialID = try row.next()
        name = try row.next()
        rpID = try row.next()
        createdAt = try row.next()
        lastUsedAt = try row.next()
        flaggedAt = try row.next()
    }
}

/// A use of an operator's passkey that passed all checks. It begins a session by `OperatorSessions.begin`, if its person is still an operator.
package struct UsedOperatorPasskey: Sendable {
    package let id: [UInt8]
    /// Whose it is.
    package let person: OperatorPerson
    /// The counter before the use.
    private let formerCount: Int64
    private let verified: VerifiedAssertion
    private let challenge: Challenge?

    init(_ stored: StoredOperatorPasskey, _ verified: VerifiedAssertion, answering challenge: Challenge?) {
        id = stored.id
        person = stored.person
        formerCount = stored.signCount
        self.verified = verified
        self.challenge = challenge
    }

    /// Notes the use, provided that no other one was noted since the passkey was read, and spends the challenge.
    func note(at now: Instant) -> [SQL] {
        let use: SQL = .required(
            """
            UPDATE operator_passkeys SET sign_count = \(Int64(verified.signCount)), last_used_at = \(now)
            WHERE credential_id = \(id) AND issuer = \(person.issuer) AND subject = \(person.subject) AND sign_count = \(formerCount)
            RETURNING credential_id
            """)
        return [use] + (challenge.map { [$0.spend(in: AuditEvents.server)] } ?? [])
    }
}

/// An operator's passkey with its key, as it was read to verify an assertion.
struct StoredOperatorPasskey: Sendable {
    let id: [UInt8]
    let person: OperatorPerson
    let operatorName: String
    let signCount: Int64
    private let userHandle: [UInt8]
    private let publicKey: [UInt8]
    private let isBackupEligible: Bool

    static let columns: SQL = "credential_id, issuer, subject, operator, sign_count, user_handle, public_key, backup_eligible"

    init(_ row: inout RowReader) throws(PostgresError) {
        id = try row.next()
        person = OperatorPerson(issuer: try row.next(), subject: try row.next())
        operatorName = try row.next()
        signCount = try row.next()
        userHandle = try row.next()
        publicKey = try row.next()
        isBackupEligible = try row.next()
    }

    /// Gives the ceremony the parts that it needs.
    func credential() throws(CeremonyError) -> StoredCredential {
        StoredCredential(
            key: try CredentialKey(cose: publicKey), signCount: UInt32(clamping: signCount), isBackupEligible: isBackupEligible,
            userHandle: userHandle)
    }
}
