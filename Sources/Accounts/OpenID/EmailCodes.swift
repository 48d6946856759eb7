import Crypto
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// Six digits in a mail, by which a person at the pages proves an address. They belong to one pending request, and so to one browser.
///
/// A code can be tried five times. Each mail is charged to the limits of its address, so that a guesser has few codes to try.
package struct EmailCodes: Sendable {
    let key: [UInt8]
    /// `nil` where no way of mail is configured.
    let outbox: Outbox?

    /// The step that the digits are for. It decides which addresses get them.
    package enum Purpose: Sendable, Equatable {
        /// Any address.
        case signUp
        /// The address of an account that is not disabled; with `makesAccounts`, also one without an account.
        case signIn(makesAccounts: Bool)
        /// The address of an account that is not disabled.
        case resetPassword
    }

    package static let lifetime: Duration = .seconds(600)
    static let tries: Int16 = 5

    /// Six digits, each code as probable as any other.
    static func digits() -> String {
        var number: UInt32
        // The largest multiple of a million of 32 bits; beyond it, some codes would be more probable.
        repeat { number = Random.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } } while number >= 4_294_000_000
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - text.utf8.count) + text
    }

    /// Voids digits that were mailed to addresses, and what they have proven: sessions of the accounts with these addresses end, and nothing
    /// that began before may be finished afterwards (SEC-50).
    /// - Parameter condition: of the column `email`, such as `= 'ada@example.com'`.
    static func voidProofs(of condition: SQL, in project: ProjectSettings) -> SQL {
        """
        UPDATE authorization_requests SET email_code = NULL, email_proven = false
        WHERE project_id = \(project: project) AND email \(condition) AND status = 'waiting'
        """
    }

    func mac(_ digits: UTF8Text, to email: String, for id: RequestID) -> [UInt8] {
        Digest.hmacSHA256(key: key, id.bytes + Array(digits.utf8) + Array(email.utf8))
    }
}

extension AuthorizationRequests {
    /// Mails six digits to an address, which the person at the pending request is to enter. A former code of the request is void.
    ///
    /// Where addresses are protected from enumeration, a mail that must not go out is a decoy: the database does the same work (SEC-15).
    /// Elsewhere such an address throws `noSuchEmail` or `accountDisabled`.
    /// - Parameter language: the tag of a language that the project's templates have.
    package func sendEmailCode(
        to email: String, for authorization: PendingAuthorization, _ purpose: EmailCodes.Purpose, language: String,
        in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        let attempt = Attempt(.sendEmailCode, from: client, email: email, in: project)
        var isDecoy = false
        if purpose == .signUp {
            try await limits.charge(attempt)
        } else {
            let account = try await codes.directory.account(email: email, charging: attempt, in: project)
            isDecoy = account?.disabled ?? (purpose != .signIn(makesAccounts: true))
            if isDecoy, !project.emailEnumerationProtection { throw account == nil ? .noSuchEmail : .accountDisabled }
        }
        let now = clock.now()
        let digits = EmailCodes.digits()
        let expires = now + EmailCodes.lifetime
        var statements: [SQL] = [
            .required(
                update(
                    authorization,
                    setting: """
                        email = \(email), email_code = \(emailCodes.mac(UTF8Text(digits), to: email, for: authorization.id)),
                        email_code_expires = \(expires), email_tries = 0, email_proven = false
                        """, in: project))
        ]
        if let outbox = emailCodes.outbox {
            var mail = OutgoingMail(.emailCode, to: email, language: language, link: "", oneTimeCode: digits)
            mail.hooked = HookedMail(purpose == .resetPassword ? .passwordReset : .signIn, to: email, in: project, from: client)
            statements.append(
                isDecoy
                    ? outbox.enqueueDecoy(of: mail, until: expires, for: authorization.id.bytes, in: project)
                    : outbox.enqueue(mail, until: expires, for: authorization.id.bytes, in: project))
        }
        _ = try await storage.write(all: statements)
        emailCodes.outbox?.wakeWorker(in: project)
    }

    /// Proves the address that the last code of the pending request was mailed to. The same digits prove it again while they live, for a form that is
    /// sent again, until a step has used the proof up (`spendProof`).
    ///
    /// Only tries that could have been right are counted; otherwise strangers could keep the owner of an address from proving it. Where the
    /// address is proven already, other digits than those that have proven it are wrong all the same.
    ///
    /// Throws `invalidActionCode` for wrong digits, also where right ones have proven the address, and `voidDigits`.
    package func proveEmail(
        _ digits: UTF8Text, of authorization: PendingAuthorization, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        guard let email = authorization.email else { throw .voidDigits }
        try await limits.counting(Attempt(.emailCode, from: client, email: email, in: project)) { () async throws(AccountError) in
            try await prove(email, by: digits, of: authorization, in: project)
        }
    }

    private func prove(
        _ email: String, by digits: UTF8Text, of authorization: PendingAuthorization, in project: ProjectSettings
    ) async throws(AccountError) {
        let now = clock.now()
        let mac = emailCodes.mac(digits, to: email, for: authorization.id)
        let fits: SQL = "email_code = \(mac)"
        let rows = try await storage.write(
            """
            UPDATE authorization_requests SET email_proven = email_proven OR \(fits),
                email_tries = email_tries + CASE WHEN \(fits) THEN 0 ELSE 1 END
            WHERE project_id = \(project: project) AND request_id = \(authorization.id.bytes) AND status = 'waiting' AND expires_at > \(now)
                AND email = \(email) AND email_code IS NOT NULL AND email_code_expires > \(now) AND email_tries < \(EmailCodes.tries)
            RETURNING \(fits)
            """)
        guard let row = rows.first else { throw .voidDigits }
        guard try reading({ try row.value(as: Bool.self) }) else { throw .invalidActionCode }
    }

    /// Whether digits have proven the address of the account at this request, and no session of the account was ended since they were
    /// mailed (SEC-50).
    func hasProof(of account: Account, at authorization: PendingAuthorization, in project: ProjectSettings) async throws(AccountError)
        -> Bool
    {
        let rows = try await storage.read(
            "SELECT email_code_expires FROM authorization_requests WHERE \(authorization.proof(in: project, at: clock.now()))")
        guard let row = rows.first, let expires = try reading({ try row.value(as: Instant?.self) }) else { return false }
        return account.sessionsEndedAt.map { $0 + EmailCodes.lifetime < expires } ?? true
    }

    /// Makes a code that signs in with the address that digits have proven at this request, and uses the proof up. The code is not mailed.
    ///
    /// Throws `invalidActionCode` when the proof was used, or voided by an ending of the account's sessions, and `accountDisabled`.
    /// - Parameter account: the one with the address, if there is one.
    package func signInCode(
        for authorization: PendingAuthorization, of account: Account?, in project: ProjectSettings
    ) async throws(AccountError) -> String {
        guard let email = authorization.email else { throw .invalidActionCode }
        guard account?.disabled != true else { throw .accountDisabled }
        let (text, hash) = ActionCode.secret()
        let now = clock.now()
        let expires = now + EmailCodes.lifetime
        let code = ActionCode(
            kind: .signIn, accountID: nil, email: email, newEmail: nil, emailProven: false, created: now, expires: expires)
        // An ending locks the account before it voids proofs and codes. So it comes before all of this, or after all of it.
        let held = account.map { [$0.holdSessions(in: project)] } ?? []
        let made = [authorization.spendProof(in: project, at: now), code.insert(hash: hash, for: .address, in: project)]
        do { _ = try await storage.write(all: held + made, waitingFor: account?.id) } catch {
            guard case .conflict = error else { throw error }
            throw .invalidActionCode
        }
        return text
    }
}

extension Account {
    /// Locks the account until the commit, and undoes the write (`AccountError.conflict`) if sessions were ended since the account was read.
    fileprivate func holdSessions(in project: ProjectSettings) -> SQL {
        .required(
            """
            SELECT account_id FROM accounts
            WHERE project_id = \(project: project) AND account_id = \(id) AND NOT disabled AND \(sessionsStand) FOR SHARE
            """)
    }
}

extension PendingAuthorization {
    /// Uses the proof of the address up with its digits, and undoes the write that it is part of (`AccountError.conflict`) where another
    /// write has, or where an ending of the account's sessions has voided it. Must come after the statement that changes or locks the account.
    func spendProof(in project: ProjectSettings, at now: Instant) -> SQL {
        .required(
            """
            UPDATE authorization_requests SET email_proven = false, email_code = NULL WHERE \(proof(in: project, at: now))
            RETURNING request_id
            """)
    }

    /// A condition on a row in `authorization_requests`: that of the request, if digits have proven its address.
    fileprivate func proof(in project: ProjectSettings, at now: Instant) -> SQL {
        """
        project_id = \(project: project) AND request_id = \(id.bytes) AND status = 'waiting' AND expires_at > \(now)
            AND email = \(email) AND email_proven
        """
    }
}
