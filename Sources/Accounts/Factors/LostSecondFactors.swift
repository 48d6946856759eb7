import Crypto
import Postgres
package import ProjectSettings
import Runtime
import Text

/// Second factors whose secrets stayed at the system that the account came from, since no call of it gives them: authenticator apps of Firebase's.
///
/// An account keeps such a factor, and no single proof opens it (SEC-55). While people move here, Firebase judges the app's code
/// (`FormerSecondFactors`). Otherwise digits that are mailed for this one sign-in stand in for it, where the project allows that. People enter both
/// in the place of the app's code, so that apps need no change. A new authenticator app takes the place of the lost one.
package struct LostSecondFactors: Sendable {
    let storage: Storage
    let clock: Clock
    let limits: RateLimits
    /// Authenticates the digits.
    let key: [UInt8]
    /// Seals what Firebase goes on with.
    let keys: SealingKeys
    /// `nil` where no way of mail is configured.
    let outbox: Outbox?
    /// `nil` where no people come from Firebase.
    let former: (any FormerSecondFactors)?

    /// Keeps what Firebase goes on with after the same first proof, so that it judges the code of the app.
    ///
    /// - Parameter credential: Firebase's `mfaPendingCredential`.
    package func keep(
        _ credential: String, for pending: PendingSignIn, in project: ProjectSettings
    ) async throws(AccountError) -> PendingSignIn {
        let sealed = keys.seal(Array(credential.utf8), context: Self.context(of: pending.credential, in: project))
        _ = try await storage.write(all: [set("former_credential", sealed, for: pending, in: project)])
        return PendingSignIn(due: pending.due, credential: pending.credential)
    }

    /// Mails digits for a sign-in to an account whose second factors are lost, where Firebase does not judge them.
    ///
    /// An account whose sessions were ended here gets none: a new password may have come by mail, and then the mailbox would be the only proof.
    ///
    /// Throws `tooManyAttempts` for the mailbox.
    /// - Parameter language: the tag of a language that the project's templates have.
    package func mailDigits(
        for pending: PendingSignIn, to account: Account, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) {
        guard pending.needsStandIn, project.multiFactor.lostFactors == .mail, let outbox, let email = account.email, account.emailVerified,
            account.sessionsEndedAt == nil
        else { return }
        try await limits.charge(Attempt(.sendEmailCode, from: client, email: email, in: project))
        let digits = EmailCodes.digits()
        let mail = OutgoingMail(.secondFactorCode, to: email, language: language, link: "", oneTimeCode: digits)
        _ = try await storage.write(all: [
            set("mailed_code", mac(UTF8Text(digits), for: pending.credential, in: project), for: pending, in: project),
            outbox.enqueue(mail, until: clock.now() + PendingSignIns.lifetime, for: pending.credential.hash, in: project),
        ])
        outbox.wakeWorker(in: project)
    }

    /// The statements that take an account's factors away, where all of them are lost and the project asks for nothing in their place; `nil` elsewhere.
    func dropping(
        from account: Account, in project: ProjectSettings, from client: Session.ClientInfo, at now: Instant
    ) async throws(AccountError) -> [SQL]? {
        guard project.multiFactor.lostFactors == .drop, account.factors.areAllApps,
            try Self.areLost(await storage.read(FactorSecrets.select(of: account.id, in: project)))
        else { return nil }
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        let drop = SQL.required(
            """
            UPDATE accounts SET second_factors = NULL, totp_steps = NULL
            WHERE project_id = \(project: project) AND account_id = \(account.id) AND factor_secrets IS NULL
                AND second_factors IS NOT DISTINCT FROM \(account.secondFactors) RETURNING account_id
            """)
        return [drop]
            + act.records(
                of: account.factors.factors.map { AccountEvent(.secondFactorRemoved, factorID: $0.id) }, in: project)
    }

    /// Whether the account has no secrets, by the rows of `FactorSecrets.select`.
    static func areLost(_ rows: [Row]) throws(AccountError) -> Bool {
        guard let row = rows.first else { return false }
        return try reading { try row.value(as: [UInt8]?.self) } == nil
    }

    private func set(_ column: SQL, _ value: [UInt8], for pending: PendingSignIn, in project: ProjectSettings) -> SQL {
        .required(
            """
            UPDATE pending_sign_ins SET \(column) = \(value)
            WHERE project_id = \(project: project) AND pending_hash = \(pending.credential.hash) RETURNING pending_hash
            """)
    }

    /// Judges what the person entered in the place of the lost app's code.
    ///
    /// Throws `wrongCode`, `secondFactor(.pendingUnknown)` where Firebase's sign-in is over, `secondFactor(.unanswerable)` where nothing stands in
    /// for the factor, and `formerIssuerUnavailable`.
    func judge(
        _ code: UTF8Text, of factor: SecondFactors.Factor, _ waiting: PendingSignIns.Waiting, language: String, in project: ProjectSettings
    ) async throws(AccountError) -> PassedSecondFactor {
        if let sealed = waiting.formerCredential, let former, let migration = project.openMigration(at: clock.now()) {
            guard let credential = try? keys.open(sealed, context: Self.context(of: waiting.credential, in: project)) else {
                throw .sealBroken("the sign-in at Firebase that waits for a second factor")
            }
            let proof = FormerProof(
                credential: String(decoding: credential, as: UTF8.self), factorID: factor.id, code: code.asString,
                accountID: waiting.account.id)
            guard try await former.proves(proof, at: migration, in: project) else { throw .wrongCode }
            return PassedSecondFactor(
                SecondFactorProof(kind: SecondFactorProof.totp, id: factor.id), spending: [],
                mails: reminder(to: waiting.account, language: language, in: project))
        }
        guard let mailed = waiting.mailedCode else { throw .secondFactor(.unanswerable) }
        guard constantTimeEqual(mailed, mac(code, for: waiting.credential, in: project)) else { throw .wrongCode }
        return PassedSecondFactor(SecondFactorProof(kind: SecondFactorProof.email, id: nil), spending: [])
    }

    /// The mail that asks the person to set the app up anew while Firebase still judges its codes.
    private func reminder(to account: Account, language: String, in project: ProjectSettings) -> [SQL] {
        guard let outbox, let email = account.email, account.emailVerified else { return [] }
        let mail = OutgoingMail(.secondFactorLost, to: email, language: language, link: "")
        return [outbox.enqueue(mail, until: clock.now() + .seconds(86400), for: Random.bytes(16), in: project)]
    }

    private func mac(_ digits: UTF8Text, for credential: PendingCredential, in project: ProjectSettings) -> [UInt8] {
        Digest.hmacSHA256(key: key, credential.hash + Array("\(project.storageID)\0\(digits.asString)".utf8))
    }

    private static func context(of credential: PendingCredential, in project: ProjectSettings) -> String {
        context(project.storageID, ofSignIn: Hex.encode(credential.hash))
    }

    /// - Parameter hash: hex digits of the pending credential's hash.
    static func context(_ project: String, ofSignIn hash: String) -> String { "\(project) \(hash)" }
}

/// A code that Firebase is to judge.
package struct FormerProof: Sendable {
    /// Firebase's `mfaPendingCredential`.
    package let credential: String
    /// The id of the factor, there as here.
    package let factorID: String
    package let code: String
    package let accountID: String
}

/// Has Firebase judge second factors whose secrets it keeps, while people move here.
///
/// These rules do not ask Google: the target that does has the implementation (`Migration/Bridge/`), and a loop is made with it.
package protocol FormerSecondFactors: Sendable {
    /// Whether the code is right. Throws `secondFactor(.pendingUnknown)` where Firebase's sign-in is over, and `formerIssuerUnavailable`.
    func proves(_ proof: FormerProof, at migration: FirebaseMigration, in project: ProjectSettings) async throws(AccountError) -> Bool
}
