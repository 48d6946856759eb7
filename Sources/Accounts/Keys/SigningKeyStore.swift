import Crypto
package import JOSE
import JSON
package import Postgres
package import Runtime
import Text

/// The signing keys in the database: made at the first start, sealed with the master key, and rotated with overlap.
///
/// Rotation publishes the new key at once, but lets it sign only after `overlap`, when every back end that caches the key set has fetched
/// it again. The old key stays published until the last token that it signed has expired. ADR 0006.
package struct SigningKeyStore: Sendable {
    /// Longer than any cache of the key set that our answers allow.
    package static let overlap: Duration = .seconds(2 * 3600)
    private static let certificateLife: Duration = .seconds(10 * 365 * 86400)

    let storage: Storage
    let database: Database
    let masterKey: MasterKey
    let clock: Clock

    package init(database: Database, masterKey: MasterKey, clock: Clock) {
        storage = Storage(database: database)
        self.database = database
        self.masterKey = masterKey
        self.clock = clock
    }

    /// The facts about a key that `gatehouse keys list` shows.
    package struct Entry: Sendable {
        package let kid: String
        package let purpose: SigningKeyPurpose
        package let algorithm: String
        package let createdAt: Instant
        package let signsFrom: Instant
        package let retiresAt: Instant?

        package init(
            kid: String, purpose: SigningKeyPurpose = .idToken, algorithm: String, createdAt: Instant, signsFrom: Instant,
            retiresAt: Instant?
        ) {
            self.kid = kid
            self.purpose = purpose
            self.algorithm = algorithm
            self.createdAt = createdAt
            self.signsFrom = signsFrom
            self.retiresAt = retiresAt
        }
    }

    /// Reads the keys that are still published. Makes missing ones first, in a way that two servers that start at the same time agree on
    /// them.
    package func load(into keys: SigningKeys) async throws {
        // All keys are opened before one is made: with another master key than that of the servers, no server could open the new one.
        let published = try await withThrowingTaskGroup(of: (SigningKeyPurpose, [SigningKey]).self) { group in
            for purpose in SigningKeyPurpose.allCases { group.addTask { (purpose, try await self.published(purpose)) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for purpose in SigningKeyPurpose.allCases {
            try keys.replace(try await completed(published[purpose] ?? [], for: purpose), for: purpose)
        }
    }

    /// The published keys of a purpose, once those that were missing are made.
    private func completed(_ published: [SigningKey], for purpose: SigningKeyPurpose) async throws -> [SigningKey] {
        let missing = purpose.algorithms.filter { algorithm in !published.contains { $0.algorithm == algorithm } }
        if missing.isEmpty { return published }
        let now = clock.now()
        for algorithm in missing { try await insertFirst(algorithm, for: purpose, at: now) }
        return try await self.published(purpose)
    }

    /// All keys, by purpose, algorithm and time.
    package func list() async throws -> [Entry] {
        var entries: [Entry] = []
        for purpose in SigningKeyPurpose.allCases {
            let rows = try await storage.read(
                "SELECT kid, algorithm, created_at, signs_from, retires_at FROM \(purpose.table) ORDER BY algorithm, signs_from")
            entries += try rows.map { row in
                var row = row.reader()
                return Entry(
                    kid: try row.next(), purpose: purpose, algorithm: try row.next(), createdAt: try row.next(),
                    signsFrom: try row.next(), retiresAt: try row.next())
            }
        }
        return entries
    }

    /// Adds a key that will sign after `overlap`. Earlier keys of its purpose and algorithm retire once their tokens have expired.
    /// - Parameters:
    ///   - algorithm: one of those of `purpose`.
    ///   - compromised: signs with the new key at once and withdraws the others, so that the tokens that they signed become invalid now.
    ///
    /// Throws `RotationWaits` while an earlier rotation has not come to its end, unless the key is compromised, and `RotationUnderWay` where another
    /// change holds the keys for too long.
    /// - Returns: the new key's id, and when it begins to sign.
    @discardableResult
    package func rotate(
        _ algorithm: Algorithm, for purpose: SigningKeyPurpose = .idToken, compromised: Bool = false, by operatorAct: OperatorAct? = nil
    ) async throws -> (kid: String, signsFrom: Instant) {
        // With another master key than that of the servers, no server could open the new key.
        let isFirst = try await !published(purpose).contains { $0.algorithm == algorithm }
        let now = clock.now()
        let signsFrom = compromised || isFirst ? now : now + Self.overlap
        let outcome: Result<String, RotationWaits>
        do {
            outcome = try await storage.transaction(waitingFor: Self.lockedRow) { transaction in
                _ = try await transaction.query(Self.lock)
                if !compromised, let waiting = try await self.waiting(algorithm, for: purpose, at: now, transaction) {
                    return .failure(waiting)
                }
                // Only now: a key takes long to make, and of many rotations at a time one makes a key. A slow machine may need seconds for it.
                _ = try await transaction.query("SELECT set_config('idle_in_transaction_session_timeout', '30s', true)")
                let (kid, insert) = try self.newKey(algorithm, for: purpose, at: now, signsFrom: signsFrom)
                let retirement = Self.retirement(algorithm, of: purpose, compromised: compromised, at: signsFrom)
                let act = AuditedAct(operatorAct, orCommand: "keys rotate", at: now)
                let record = act.record(
                    .signingKeyRotated,
                    facts: """
                        'key', \(kid), 'purpose', \(purpose.rawValue), 'algorithm', \(algorithm.rawValue),
                            'signsFrom', \(Timestamp.text(signsFrom)), 'reason', \(compromised ? "compromised" : nil)
                        """, in: AuditEvents.server)
                let cleanup: SQL = "DELETE FROM \(purpose.table) WHERE retires_at < \(now)"
                _ = try await transaction.query(all: [retirement, insert, record, cleanup])
                return .success(kid)
            }
        } catch {
            if case .database(.locked) = error { throw RotationUnderWay() }
            throw error
        }
        return (try outcome.get(), signsFrom)
    }

    /// Takes the former keys of an algorithm out of use: at once, or when the last token that they sign until `end` has expired.
    private static func retirement(_ algorithm: Algorithm, of purpose: SigningKeyPurpose, compromised: Bool, at end: Instant) -> SQL {
        if compromised { return "DELETE FROM \(purpose.table) WHERE algorithm = \(algorithm.rawValue)" }
        return """
            UPDATE \(purpose.table) SET retires_at = \(end + purpose.retention)
            WHERE algorithm = \(algorithm.rawValue) AND retires_at IS NULL
            """
    }

    /// The key that a rotation has made and that does not sign yet; `nil` without one. The first key of all signs at once, whatever the clock says.
    private func waiting(
        _ algorithm: Algorithm, for purpose: SigningKeyPurpose, at now: Instant, _ transaction: Transaction
    ) async throws -> RotationWaits? {
        let rows = try await transaction.query(
            """
            SELECT kid, signs_from FROM \(purpose.table) k WHERE algorithm = \(algorithm.rawValue) AND signs_from > \(now)
                AND EXISTS (SELECT 1 FROM \(purpose.table) WHERE algorithm = \(algorithm.rawValue) AND signs_from < k.signs_from)
            ORDER BY signs_from LIMIT 1
            """)
        guard var row = rows.first?.reader() else { return nil }
        return RotationWaits(kid: try row.next(), signsFrom: try row.next())
    }

    private func published(_ purpose: SigningKeyPurpose) async throws -> [SigningKey] {
        let rows = try await storage.read(
            """
            SELECT kid, algorithm, private_key, certificate, signs_from FROM \(purpose.table)
            WHERE retires_at IS NULL OR retires_at > \(clock.now()) ORDER BY signs_from
            """)
        return try rows.map { row in
            var row = row.reader()
            let kid: String = try row.next()
            guard let algorithm = Algorithm(rawValue: try row.next()) else {
                throw AccountError.database(.decoding("algorithm of signing key \(kid)"))
            }
            let sealed: [UInt8] = try row.next()
            guard let der = try? masterKey.signingKeys.open(sealed, context: kid) else {
                throw AccountError.sealBroken("signing key \(kid)")
            }
            let key = try PrivateKey(der: der)
            return SigningKey(
                kid: kid, algorithm: algorithm, signer: Signer(key: key, kid: kid, algorithm: algorithm),
                publicJWK: JWK(key: key.publicKey, kid: UTF8Text(kid), algorithm: algorithm, use: "sig").json, certificate: try row.next(),
                signsFrom: try row.next())
        }
    }

    /// Adds the very first key of an algorithm, unless another server does so at the same time.
    private func insertFirst(_ algorithm: Algorithm, for purpose: SigningKeyPurpose, at now: Instant) async throws {
        let (_, insert) = try newKey(algorithm, for: purpose, at: now, signsFrom: now)
        try await database.transaction { transaction in
            _ = try await transaction.query(Self.lock)
            let existing = try await transaction.query(
                "SELECT 1::bigint FROM \(purpose.table) WHERE algorithm = \(algorithm.rawValue) AND retires_at IS NULL LIMIT 1")
            if existing.isEmpty { _ = try await transaction.query(insert) }
        }
    }

    /// Allows one change of the keys at a time. The number is any that no other lock of ours has.
    static let lock: SQL = "SELECT pg_advisory_xact_lock(\(Int64(0x6761_7465_6B65_7973)))"

    /// The same for the rotations of one process: however many there are, one connection waits for the lock.
    private static let lockedRow = "signing keys"

    private func newKey(
        _ algorithm: Algorithm, for purpose: SigningKeyPurpose, at now: Instant, signsFrom: Instant
    ) throws -> (kid: String, insert: SQL) {
        let key = try PrivateKey.generate(algorithm == .rs256 ? .rsa(bits: 2048) : .p256)
        let kid = Hex.encode(Random.bytes(20))
        let certificate = try Certificate.selfSigned(
            key: key, commonName: purpose.commonName, notBefore: now - .seconds(300),
            notAfter: now + Self.certificateLife, serial: Random.bytes(16))
        let sealed = masterKey.signingKeys.seal(key.der, context: kid)
        let insert: SQL = """
            INSERT INTO \(purpose.table) (kid, algorithm, private_key, certificate, created_at, signs_from)
            VALUES (\(kid), \(algorithm.rawValue), \(sealed), \(certificate), \(now), \(signsFrom))
            """
        return (kid, insert)
    }
}

/// A rotation was asked for while the key of an earlier one waits to sign.
package struct RotationWaits: Error {
    package let kid: String
    package let signsFrom: Instant
}

/// Another rotation, or other work in the database, held the keys for too long. Nothing was made.
package struct RotationUnderWay: Error {
    package init() {}
}
