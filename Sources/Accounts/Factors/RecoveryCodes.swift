import Crypto
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// A code on paper that stands in for a second factor once: 16 letters and digits, in four groups, of which none is easily taken for another.
/// <https://www.crockford.com/base32.html>
package struct RecoveryCode: Sendable, Equatable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let length = 16

    /// Without the hyphens.
    let letters: String

    static func random() -> RecoveryCode {
        // 256 is a multiple of 32, so each letter is as probable as any other.
        RecoveryCode(letters: String(decoding: Random.bytes(length).map { alphabet[Int($0) % 32] }, as: UTF8.self))
    }

    private init(letters: String) { self.letters = letters }

    /// Reads letters of both cases, with or without hyphens and spaces; O counts as 0, I and L as 1. `nil` for any other text.
    package init?(_ text: UTF8Text) {
        var letters: [UInt8] = []
        for byte in text.utf8 where byte != UInt8(ascii: "-") && byte != UInt8(ascii: " ") {
            let capital = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
            let letter: UInt8 =
                switch capital {
                case UInt8(ascii: "O"): UInt8(ascii: "0")
                case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
                default: capital
                }
            guard Self.alphabet.contains(letter), letters.count < Self.length else { return nil }
            letters.append(letter)
        }
        guard letters.count == Self.length else { return nil }
        self.letters = String(decoding: letters, as: UTF8.self)
    }

    /// As people see it.
    package var text: String {
        let bytes = Array(letters.utf8)
        return stride(from: 0, to: bytes.count, by: 4).map { String(decoding: bytes[$0..<$0 + 4], as: UTF8.self) }.joined(separator: "-")
    }
}

/// The recovery codes of accounts. They are shown once, when they are made; the database has only keyed hashes.
package struct RecoveryCodes: Sendable {
    package static let number = 10

    let storage: Storage
    let clock: Clock
    let idTokens: IDTokens
    let notices: OwnerNotices
    let key: [UInt8]

    /// Makes new codes for the caller's account, in place of all earlier ones. A mail tells the owner.
    ///
    /// Throws what `IDTokens.account` throws, `secondFactor(.notEnabled)`, `signInTooOld` unless the caller has signed in a moment ago and with a second
    /// factor, `secondFactor(.notFound)` for an account without any, and `tooManyAttempts` for the mailbox of the notice.
    package func make(
        forIDToken idToken: String, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> [RecoveryCode] {
        try await retryingConflicts { () async throws(AccountError) in
            let (account, token) = try await idTokens.account(of: idToken, charging: (.update, client), in: project)
            return try await make(for: account, by: token, language: language, in: project, from: client)
        }
    }

    /// The same for the person of a browser's session at our pages.
    package func make(
        in session: BrowserSession, language: String, of project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> [RecoveryCode] {
        try await make(for: session.account, by: session.token, language: language, in: project, from: client)
    }

    private func make(
        for account: Account, by token: IDToken, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> [RecoveryCode] {
        guard project.multiFactor.recoveryCodes else { throw .secondFactor(.notEnabled(.recoveryCode)) }
        guard account.secondFactors != nil else { throw .secondFactor(.notFound) }
        try idTokens.requireFresh(token, of: account, in: project)
        let codes = (0..<Self.number).map { _ in RecoveryCode.random() }
        let now = clock.now()
        let act = AuditedAct(by: .person, on: account.id, from: client, at: now)
        let event = AccountEvent(.recoveryCodesMade)
        try await notices.charge(for: [event], to: account, in: project, from: client)
        let mails = notices.statements(for: [event], from: account, to: account, language: language, in: project)
        let hashes = codes.map { Hex.encode(hash(of: $0, of: account.id, in: project)) }
        _ = try await storage.write(
            all: [account.holdStanding(in: project)] + token.holdSession(in: project) + [
                Self.deletion(of: account.id, in: project),
                """
                INSERT INTO recovery_codes (project_id, account_id, code_hash, created_at)
                SELECT \(project: project), \(account.id), decode(digits, 'hex'), \(now) FROM unnest(\(hashes)) AS digits
                """,
                act.record(event, in: project),
            ] + mails, waitingFor: account.id)
        notices.mails.wakeWorker(for: mails, in: project)
        return codes
    }

    /// How many codes of the account are left.
    package func left(of accountID: String, in project: ProjectSettings) async throws(AccountError) -> Int {
        let rows = try await storage.read(
            "SELECT count(*) FROM recovery_codes WHERE project_id = \(project: project) AND account_id = \(accountID)")
        return try reading { try rows.first?.value(as: Int.self) ?? 0 }
    }

    /// Throws `wrongCode` for a code that the account does not have, or has no more.
    /// A mail tells the owner of its use.
    func judge(
        _ code: RecoveryCode, of account: Account, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> PassedSecondFactor {
        let hash = hash(of: code, of: account.id, in: project)
        let condition: SQL = "project_id = \(project: project) AND account_id = \(account.id) AND code_hash = \(hash)"
        guard try await !storage.read("SELECT 1 FROM recovery_codes WHERE \(condition)").isEmpty else { throw .wrongCode }
        let act = AuditedAct(by: .person, on: account.id, from: client, at: clock.now())
        let event = AccountEvent(.recoveryCodeUsed)
        let mails = notices.statements(for: [event], from: account, to: account, language: language, in: project)
        return PassedSecondFactor(
            SecondFactorProof(kind: SecondFactorProof.recoveryCode, id: nil),
            spending: [.required("DELETE FROM recovery_codes WHERE \(condition) RETURNING code_hash"), act.record(event, in: project)],
            mails: mails)
    }

    /// The statement that takes an account's codes away.
    static func deletion(of accountID: String, in project: ProjectSettings) -> SQL {
        "DELETE FROM recovery_codes WHERE project_id = \(project: project) AND account_id = \(accountID)"
    }

    private func hash(of code: RecoveryCode, of accountID: String, in project: ProjectSettings) -> [UInt8] {
        Digest.hmacSHA256(key: key, Array("\(project.storageID)\0\(accountID)\0\(code.letters)".utf8))
    }
}
