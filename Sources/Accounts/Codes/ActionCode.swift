import Crypto
import Postgres
import Runtime

/// A secret in a mail that does one thing once: a person who has it can read the mailbox that it was sent to.
///
/// Asking for one stores its hash and puts the mail into the outbox, in one transaction (`ActionCodeMails`). Looking at one changes
/// nothing (`inspect`). Using one is a `DELETE` within the transaction that has the effect, so that of any number of uses one succeeds
/// (SEC-05): `PasswordReset`, `EmailActions`, `EmailLinkSignIns`.
package struct ActionCode: Sendable, Equatable {
    /// The name of the kind in links (`mode`) and in the table.
    package enum Kind: String, Sendable, CaseIterable {
        case resetPassword
        case verifyEmail
        case verifyAndChangeEmail
        /// Gives the account back to an address that it had when the code was made.
        case recoverEmail
        case signIn
        /// Takes away a second factor that was enrolled when the code was made.
        case revertSecondFactorAddition
    }

    package let kind: Kind
    /// `nil` for a sign-in, which belongs only to its address.
    let accountID: String?
    /// The account's address when the code was requested; for `recoverEmail` the address to go back to, for `signIn` the address that
    /// signs in. `nil` for an account without an address that is to get its first.
    package let email: String?
    /// The account's next address (`verifyAndChangeEmail`), or the one it has moved to (`recoverEmail`; the same as `email` when it has
    /// not moved, `nil` when it has lost its address).
    package let newEmail: String?
    /// Whether the account's address was proven when the code was made.
    let emailProven: Bool
    let created: Instant
    let expires: Instant
    /// The second factor that `revertSecondFactorAddition` takes away; `nil` for other kinds.
    package var factorID: String?
    /// That factor, as long as the account has it.
    package var factor: SecondFactors.Factor?
}

extension ActionCode {
    /// Whether it reports a change that left the account's address as it was.
    package var keepsEmail: Bool { kind == .recoverEmail && email == newEmail }
}

extension ActionCode.Kind {
    /// How long a code of this kind can be used.
    package var lifetime: Duration {
        switch self {
        case .resetPassword: .seconds(3600)
        case .signIn: .seconds(6 * 3600)
        case .verifyEmail, .verifyAndChangeEmail: .seconds(3 * 86400)
        // A person who is away notices late that an intruder has moved their account.
        case .recoverEmail, .revertSecondFactorAddition: .seconds(30 * 86400)
        }
    }
}

extension ActionCode {
    /// How long an expired code is distinguished from one that never existed.
    static let memory: Duration = .seconds(86400)

    /// The text of a new code, only for the mail, and the hash to store.
    static func secret() -> (text: String, hash: [UInt8]) {
        let bytes = Random.bytes(32)
        return (Base64URL.encode(bytes), Digest.sha256(bytes))
    }

    /// The hash by which a code is found; `nil` for a text that cannot be a code.
    static func hash(_ text: String) -> [UInt8]? {
        guard let bytes = Base64URL.decodeStrict(text), bytes.count == 32 else { return nil }
        return Digest.sha256(bytes)
    }

    static let columns = SQL(
        unsafe: "c.kind, c.account_id, c.email, c.new_email, c.email_proven, c.created_at, c.expires_at, c.enrollment_id")

    init?(_ row: inout RowReader) throws(PostgresError) {
        guard let kind = Kind(rawValue: try row.next()) else { return nil }
        self.init(
            kind: kind, accountID: try row.next(), email: try row.next(), newEmail: try row.next(), emailProven: try row.next(),
            created: try row.next(), expires: try row.next(), factorID: try row.next())
    }
}

/// A code as it was read, with the data that its use begins from.
struct PendingCode {
    let code: ActionCode
    let hash: [UInt8]
    let account: Account?
    let projectID: String

    /// The account of a code that is for one: it still exists, is enabled, and (except for `recoverEmail`) still has the address.
    func holder() throws(AccountError) -> Account {
        guard let account else { throw .accountNotFound }
        guard !account.disabled else { throw .accountDisabled }
        guard code.kind == .recoverEmail || account.email == code.email else { throw .invalidActionCode }
        return account
    }

    /// Uses the code up. Must come after the statement that changes the account, which all changes of an account lock first.
    func spend(at now: Instant) -> SQL {
        .required(
            """
            DELETE FROM action_codes
            WHERE project_id = \(project: projectID) AND code_hash = \(hash) AND kind = \(code.kind.rawValue) AND expires_at > \(now)
            RETURNING code_hash
            """)
    }
}
