import Crypto
import Identity
package import ProjectSettings
import Postgres
import Runtime
import Text

/// Six digits in a text message, by which a person proves that they have a phone.
///
/// The client gets a text that names the code (`sessionInfo`), and shows it with the digits. A code belongs to one project, one step (`PhonePurpose`)
/// and one number, can be tried five times and used once. Asking for another code leaves the former ones as they are, since any stranger can ask;
/// so wrong digits are counted for the number, over all its codes (SEC-24).
package struct PhoneCodes: Sendable {
    package static let lifetime: Duration = .seconds(300)
    static let tries: Int16 = 5

    let storage: Storage
    let clock: Clock
    let limits: RateLimits
    let deliveries: Deliveries
    let traffic: PhoneTraffic
    let hooks: SignInHooks
    /// Authenticates the codes.
    let key: [UInt8]

    /// Charges a message to its client alone. It comes before the client is asked to prove that it is an app, since that asks another server; the
    /// number is charged afterwards (`send`), so that strangers without a proof cannot use up what it may get.
    package func admit(_ client: Session.ClientInfo, in project: ProjectSettings) async throws(AccountError) {
        try await limits.charge(.messages(from: client, in: project))
    }

    /// Stores a code and has it sent. The answer is the same whether any account has the number or not (SEC-26).
    ///
    /// Where apps may not create accounts, a number without one gets no message: its person could not use the code.
    ///
    /// The project's hook is asked before the number is charged, alike for every number but test numbers.
    ///
    /// Throws `refusedByHook`, `hookUnavailable`, `tooManyAttempts` and `quotaExceeded`.
    /// - Parameters:
    ///   - language: the tag of a language that the project's templates have.
    ///   - appSignatureHash: stands at the end of the message.
    /// - Returns: the text that names the code.
    package func send(
        to destination: PhoneDestination, for purpose: PhonePurpose, language: String, appSignatureHash: String?,
        in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> String {
        let number = destination.number
        if !destination.isTest {
            try await hooks.ask(aboutMessageTo: number.text, for: purpose, in: project, from: client)
            let attempt = Attempt.messages(to: number, for: purpose, in: project, from: client)
            let rows = try await limits.charge(attempt, then: traffic.question(about: number.region, in: project, at: clock.now()))
            try await traffic.check(rows, of: number.region, in: project, at: clock.now())
        }
        let isDecoy = purpose == .signIn && !project.signIn.signUp ? try await !hasAccount(number.text, in: project) : false
        let secret = PhoneCodeSecret.random()
        let hash = Digest.sha256(secret.bytes)
        let code = destination.testCode ?? EmailCodes.digits()
        let now = clock.now()
        let expires = now + Self.lifetime
        var statements: [SQL] = [
            """
            INSERT INTO sms_codes (project_id, session_hash, purpose, phone_number, region, code_hash, account_id, factor_id, pending_hash, expires_at)
            VALUES (\(project: project), \(hash), \(purpose.name), \(number.text), \(destination.isTest ? nil : number.region),
                \(mac(code, of: secret, for: number.text, in: project)), \(purpose.accountID), \(purpose.factorID), \(purpose.pending), \(expires))
            """
        ]
        let message = OutgoingTextMessage(
            purpose: purpose.name, to: number.text, region: destination.isTest ? nil : number.region, language: language, code: code,
            appSignatureHash: appSignatureHash, session: deliveries.keepsDelivered ? secret.text : nil)
        if !destination.isTest {
            statements += [
                deliveries.insert(message, until: expires, for: hash, in: project, isDue: !isDecoy),
                traffic.count(sent: isDecoy ? 0 : 1, to: number.region, in: project, at: now),
            ]
        } else if deliveries.keepsDelivered {
            statements.append(deliveries.insert(message, until: expires, for: hash, in: project, isDue: false, attempts: 1))
        }
        _ = try await storage.write(all: statements)
        deliveries.wakeWorker(for: .sms, in: project)
        return secret.text
    }

    private func hasAccount(_ number: String, in project: ProjectSettings) async throws(AccountError) -> Bool {
        let found: SQL = "SELECT 1::bigint FROM accounts WHERE project_id = \(project: project) AND phone_number = \(number)"
        return try await !storage.read(found).isEmpty
    }

    /// Tries the digits. One statement takes the try, so that of any number of guesses at once no more than five are compared.
    ///
    /// Throws `codeSessionUnknown` for a text that names no code of this step, `codeSessionExpired` for a code that is too old or was tried too
    /// often, `tooManyAttempts`, and `wrongCode`.
    func prove(
        _ digits: String, of session: UTF8Text, for purpose: PhonePurpose, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> ProvenNumber {
        guard let secret = PhoneCodeSecret(session) else { throw .codeSessionUnknown }
        let hash = Digest.sha256(secret.bytes)
        let row: SQL = """
            project_id = \(project: project) AND session_hash = \(hash) AND purpose = \(purpose.name)
                AND account_id IS NOT DISTINCT FROM \(purpose.accountID) AND pending_hash IS NOT DISTINCT FROM \(purpose.pending)
            """
        let rows = try await storage.write(
            """
            UPDATE sms_codes SET tries = tries + 1 WHERE \(row) AND tries < \(Self.tries) AND expires_at > \(clock.now())
            RETURNING phone_number, region, factor_id, code_hash
            """)
        guard var found = rows.first?.reader() else {
            throw try await storage.read("SELECT 1::bigint FROM sms_codes WHERE \(row)").isEmpty ? .codeSessionUnknown : .codeSessionExpired
        }
        let proven = try reading { ProvenNumber(text: try found.next(), region: try found.next(), factorID: try found.next(), hash: hash) }
        let stored: [UInt8] = try reading { try found.next() }
        let isRight = constantTimeEqual(stored, mac(digits, of: secret, for: proven.text, in: project))
        // Wrong second factors are counted for the account, so that strangers who know the number cannot lock its owner out.
        if purpose.pending == nil { try await limits.charge(.phoneCode(of: proven.text, in: project, from: client), unlessRight: isRight) }
        guard isRight else { throw .wrongCode }
        return proven
    }

    /// The statements that use up a code, for the transaction that has the effect. Of two at once one is undone (`AccountError.conflict`).
    func spend(_ proven: ProvenNumber, in project: ProjectSettings) -> [SQL] {
        let spent: SQL = .required(
            "DELETE FROM sms_codes WHERE project_id = \(project: project) AND session_hash = \(proven.hash) RETURNING session_hash")
        guard let region = proven.region else { return [spent] }
        return [spent, traffic.count(entered: 1, from: region, in: project, at: clock.now())]
    }

    /// Whether the code is still unused.
    func stands(_ proven: ProvenNumber, in project: ProjectSettings) async throws(AccountError) -> Bool {
        let found: SQL = "SELECT 1::bigint FROM sms_codes WHERE project_id = \(project: project) AND session_hash = \(proven.hash)"
        return try await !storage.read(found).isEmpty
    }

    /// The messages whose codes still work, the newest first; only in development.
    package func recent(in project: ProjectSettings) async throws(AccountError) -> [OutgoingTextMessage] {
        try await deliveries.recentTextMessages(in: project)
    }

    private func mac(_ code: String, of secret: PhoneCodeSecret, for number: String, in project: ProjectSettings) -> [UInt8] {
        let parts = [Array(project.storageID.utf8), secret.bytes, Array(number.utf8), Array(code.utf8)]
        return Digest.hmacSHA256(key: key, parts.flatMap { Int64($0.count).bigEndianBytes + $0 })
    }
}

/// The name of a code for its client (`sessionInfo`). The database has its hash.
struct PhoneCodeSecret: KeptSecret {
    let bytes: [UInt8]
}

/// A number that the right digits have proven.
struct ProvenNumber: Sendable {
    let text: String
    /// `nil` for a test number.
    let region: String?
    /// The second factor that the code was sent for.
    let factorID: String?
    let hash: [UInt8]
}
