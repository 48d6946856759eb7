import Crypto
import Postgres
import Runtime

/// A secret in a mail that does one thing once: a person who has it can read the mailbox that it was sent to.
///
/// Asking for one stores its hash and puts the letter into the outbox, in one transaction (`ActionCodeMails`). Looking at one changes
/// nothing (`inspect`). Using one is a `DELETE` within the transaction that has the effect, so that of any number of uses one succeeds
/// (SEC-05): `PasswordReset`, `EmailActions`, `EmailLinkSignIns`.
package struct ActionCode: Sendable, Equatable {
    /// As links name it (`mode`) and the table keeps it.
    package enum Kind: String, Sendable, CaseIterable {
        case resetPassword
        case verifyEmail
        case verifyAndChangeEmail
        /// Gives the account back to an address that it had when the code was made.
        case recoverEmail
        case signIn
    }

    package let kind: Kind
    /// `nil` for a sign-in, which stands for its address alone.
    let accountID: String?
    /// The account's address when it was asked for; for `recoverEmail` the one to go back to, for `signIn` the one that signs in. `nil` for
    /// an account without one that is to get its first.
    package let email: String?
    /// Where the account goes (`verifyAndChangeEmail`) or went (`recoverEmail`; `email` itself where it stayed, `nil` where it lost it).
    package let newEmail: String?
    /// Whether the account's address was proven when the code was made.
    let emailProven: Bool
    let created: Instant
    let expires: Instant
}

extension ActionCode {
    /// Whether it tells of a change that left the account's address as it was.
    package var keepsEmail: Bool { kind == .recoverEmail && email == newEmail }
}

extension ActionCode.Kind {
    /// How long a code of this kind can be used.
    package var lifetime: Duration {
        switch self {
        case .resetPassword: .seconds(3600)
        case .signIn: .seconds(6 * 3600)
        case .verifyEmail, .verifyAndChangeEmail: .seconds(3 * 86400)
        // A person who is away when an intruder moves their account finds out late.
        case .recoverEmail: .seconds(30 * 86400)
        }
    }
}

extension ActionCode {
    /// How long an expired code is told from one that never was.
    static let memory: Duration = .seconds(86400)

    /// A new code's text, for the letter alone, and what of it is stored.
    static func secret() -> (text: String, hash: [UInt8]) {
        let bytes = Random.bytes(32)
        return (Base64URL.encode(bytes), Digest.sha256(bytes))
    }

    /// What a code's text is found by; `nil` for a text that is none.
    static func hash(_ text: String) -> [UInt8]? {
        guard let bytes = Base64URL.decodeStrict(text), bytes.count == 32 else { return nil }
        return Digest.sha256(bytes)
    }

    static let columns = SQL(unsafe: "c.kind, c.account_id, c.email, c.new_email, c.email_proven, c.created_at, c.expires_at")

    init?(_ row: inout RowReader) throws(PostgresError) {
        guard let kind = Kind(rawValue: try row.next()) else { return nil }
        self.init(
            kind: kind, accountID: try row.next(), email: try row.next(), newEmail: try row.next(), emailProven: try row.next(),
            created: try row.next(), expires: try row.next())
    }
}

/// A code as it was read, with what its use begins from.
struct PendingCode {
    let code: ActionCode
    let hash: [UInt8]
    let account: Account?
    let projectID: String

    /// The account of a code that stands for one: still there, enabled, and (but for `recoverEmail`) still at the address.
    func holder() throws(AccountError) -> Account {
        guard let account else { throw .accountNotFound }
        guard !account.disabled else { throw .accountDisabled }
        guard code.kind == .recoverEmail || account.email == code.email else { throw .invalidActionCode }
        return account
    }

    /// Uses the code up. Comes behind the statement that changes the account, which all changes of an account lock first.
    func spend(at now: Instant) -> SQL {
        .required(
            """
            DELETE FROM action_codes
            WHERE project_id = \(projectID) AND code_hash = \(hash) AND kind = \(code.kind.rawValue) AND expires_at > \(now)
            RETURNING code_hash
            """)
    }
}
