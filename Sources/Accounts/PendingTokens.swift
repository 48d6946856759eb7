import Crypto
import JSON
package import Postgres
package import Runtime

/// Pending tokens: a provider's proven answer, sealed, in the client's own hands, to be used once within minutes without asking the
/// provider again (Firebase's `pendingToken`). Nothing is stored until one is spent.
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

    /// - Parameter answer: what the provider proved, in the caller's own encoding.
    package func issue(_ answer: [UInt8], in project: ProjectSettings) -> String {
        let id = Random.bytes(16)
        let expires = (clock.now() + Self.lifetime).microseconds
        var plain = id
        for shift in stride(from: 56, through: 0, by: -8) { plain.append(UInt8(truncatingIfNeeded: expires >> Int64(shift))) }
        return Base64URL.encode(masterKey.pendingTokens.seal(plain + answer, context: Self.context(project)))
    }

    /// Spends the token and gives back what it holds. Throws `invalidPendingToken` for garbage, another project's, expired or spent ones.
    package func redeem(_ token: String, in project: ProjectSettings) async throws(AccountError) -> [UInt8] {
        guard let sealed = Base64URL.decodeStrict(token),
            let plain = try? masterKey.pendingTokens.open(sealed, context: Self.context(project)), plain.count >= 24
        else { throw .invalidPendingToken }
        let expires = Instant(microseconds: plain[16..<24].reduce(0) { $0 << 8 | Int64($1) })
        guard expires > clock.now() else { throw .invalidPendingToken }
        let rows = try await storage.write(
            """
            INSERT INTO spent_tokens (project_id, token_id, expires_at) VALUES (\(project.id), \(Array(plain[..<16])), \(expires))
            ON CONFLICT DO NOTHING RETURNING token_id
            """)
        guard !rows.isEmpty else { throw .invalidPendingToken }
        return Array(plain[24...])
    }

    private static func context(_ project: ProjectSettings) -> String { "project " + project.id }
}
