import Crypto
import Postgres
import ProjectSettings
import Runtime

/// Proofs that a person has a number which another account has (`temporaryProof`): by one, an app signs in to that account without another message.
/// Sealed; nothing is stored until a proof is used.
struct PhoneProofs: Sendable {
    static let lifetime: Duration = .seconds(3600)

    let storage: Storage
    let keys: SealingKeys
    let clock: Clock

    struct Proof: Sendable {
        fileprivate let nonce: [UInt8]
        fileprivate let expires: Instant
    }

    func issue(for number: String, in project: ProjectSettings) -> String {
        let plain = Random.bytes(16) + (clock.now() + Self.lifetime).microseconds.bigEndianBytes + Array(number.utf8)
        return Base64URL.encode(keys.seal(plain, context: Self.context(project)))
    }

    /// Throws `invalidPhoneProof` for a text that is not a proof of this number and project, and for one that has expired.
    func open(_ text: String, for number: String, in project: ProjectSettings) throws(AccountError) -> Proof {
        guard let sealed = Base64URL.decodeStrict(text), let plain = try? keys.open(sealed, context: Self.context(project)),
            plain.count >= 24,
            Array(plain[24...]) == Array(number.utf8)
        else { throw .invalidPhoneProof }
        let proof = Proof(nonce: Array(plain[..<16]), expires: Instant(microseconds: Int64(bigEndianBytes: plain[16..<24])))
        guard proof.expires > clock.now() else { throw .invalidPhoneProof }
        return proof
    }

    /// The statement that uses the proof up. Where it was used before, the whole write is undone (`AccountError.conflict`).
    func spend(_ proof: Proof, in project: ProjectSettings) -> SQL {
        .required(
            """
            INSERT INTO spent_tokens (project_id, token_id, expires_at) VALUES (\(project: project), \(proof.nonce), \(proof.expires))
            ON CONFLICT DO NOTHING RETURNING token_id
            """)
    }

    /// Whether the proof is still unused.
    func stands(_ proof: Proof, in project: ProjectSettings) async throws(AccountError) -> Bool {
        try await storage.read(
            "SELECT 1::bigint FROM spent_tokens WHERE project_id = \(project: project) AND token_id = \(proof.nonce)"
        ).isEmpty
    }

    private static func context(_ project: ProjectSettings) -> String { "phone proof " + project.storageID }
}
