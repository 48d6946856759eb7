import Crypto
import JSON
package import Postgres
package import ProjectSettings
package import Runtime
import Text

/// Pending tokens: a provider's proven answer, sealed, which the client keeps. It can be used once within minutes, without asking the
/// provider again (Firebase's `pendingToken`). Nothing is stored until a token is used. One that was issued with an account, because the
/// proof signed in to it or has to be confirmed there, ends with that account, and when all of its sessions are ended.
package struct PendingTokens: Sendable {
    static let lifetime: Duration = .seconds(600)

    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock

    package init(database: Database, masterKey: MasterKey, clock: Clock) {
        storage = Storage(database: database)
        self.masterKey = masterKey
        self.clock = clock
    }

    /// The time when a provider proved something, and until when a pending token may repeat it. A token that is made from a token keeps
    /// both times.
    package struct Proof: Sendable {
        package let provenAt: Instant
        let expires: Instant
        /// The account that the first token was issued with; tokens that are made from it keep it.
        let accountID: String?
    }

    /// - Parameters:
    ///   - answer: the proven answer, in the caller's own encoding.
    ///   - accountID: the account that the token is about; `nil` when it is about none.
    ///   - proof: the proof of the pending token that the answer came from; `nil` when the provider itself has just answered.
    package func issue(_ answer: [UInt8], about accountID: String?, proof: Proof?, in project: ProjectSettings) -> String {
        let proof = proof ?? Proof(provenAt: clock.now(), expires: clock.now() + Self.lifetime, accountID: nil)
        var plain = Random.bytes(16)
        for time in [proof.expires, proof.provenAt] { plain += time.microseconds.bigEndianBytes }
        let account = Array((proof.accountID ?? accountID ?? "").utf8)
        plain += Int64(account.count).bigEndianBytes + account
        return Base64URL.encode(masterKey.pendingTokens.seal(plain + answer, context: Self.context(project)))
    }

    /// Uses the token up and returns its content. Throws `invalidPendingToken` for a token that is malformed, of another project, expired
    /// or used, or about an account that is gone or whose sessions were ended since.
    package func redeem(
        _ token: String, in project: ProjectSettings
    ) async throws(AccountError) -> (answer: [UInt8], proof: Proof) {
        guard let sealed = Base64URL.decodeStrict(token),
            let plain = try? masterKey.pendingTokens.open(sealed, context: Self.context(project)), plain.count >= 40
        else { throw .invalidPendingToken }
        let rest = plain[40...]
        // Another version may have kept no account.
        guard let length = Int(exactly: Int64(bigEndianBytes: plain[32..<40])), (0...rest.count).contains(length) else {
            throw .invalidPendingToken
        }
        let accountID = String(decoding: rest.prefix(length), as: UTF8.self)
        let proof = Proof(
            provenAt: Self.time(plain[24..<32]), expires: Self.time(plain[16..<24]), accountID: accountID.isEmpty ? nil : accountID)
        guard proof.expires > clock.now() else { throw .invalidPendingToken }
        let rows = try await storage.write(
            """
            INSERT INTO spent_tokens (project_id, token_id, expires_at)
            SELECT \(project: project), \(Array(plain[..<16])), \(proof.expires)
            WHERE \(accountID.isEmpty) OR EXISTS (SELECT 1 FROM accounts WHERE project_id = \(project: project) AND account_id = \(accountID)
                AND (sessions_ended_at IS NULL OR sessions_ended_at < \(proof.provenAt)))
            ON CONFLICT DO NOTHING RETURNING token_id
            """)
        guard !rows.isEmpty else { throw .invalidPendingToken }
        return (Array(rest.dropFirst(length)), proof)
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Instant {
        Instant(microseconds: Int64(bigEndianBytes: bytes))
    }

    private static func context(_ project: ProjectSettings) -> String { "project " + project.storageID }
}
