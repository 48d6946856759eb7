import Runtime
import Testing

@testable import Crypto

@Suite struct PasswordHashingTests {
    /// Of hashes on the caller's loop, and of hashes on a thread.
    private static let costs = [ScryptParameters(log2N: 4, blockSize: 1), ScryptParameters(log2N: 4)]

    private func hashing(_ parameters: ScryptParameters) -> PasswordHashing {
        PasswordHashing(pool: HashingPool(threads: 1, queue: 4, metrics: Metrics()), parameters: parameters)
    }

    @Test(arguments: costs) func `checks a password against the hash it made`(parameters: ScryptParameters) async throws {
        let hashing = hashing(parameters)
        let hash = try await hashing.hash("correct horse")
        #expect(try await hashing.check("correct horse", against: hash))
        #expect(try await !hashing.check("wrong horse", against: hash))
        #expect(hashing.isCurrent(hash))
    }

    @Test(arguments: costs)
    func `SEC-15 makes exactly one hash of equal cost for every check, whatever it comes to`(parameters: ScryptParameters) async throws {
        let hashing = hashing(parameters)
        let hash = try await hashing.hash("correct horse")
        for (password, known) in [
            ("correct horse", hash), ("wrong", hash), ("", hash), ("correct horse", nil), ("", nil),
            (String(repeating: "x", count: 1 << 20), hash), (String(repeating: "x", count: 1 << 20), nil),
        ] {
            let before = hashing.hashesDone.value
            let matches = try await hashing.check(password, against: known)
            #expect(matches == (password == "correct horse" && known != nil))
            #expect(hashing.hashesDone.value == before + 1)
        }
        // The hash that is checked for accounts without one costs as much as a new hash.
        #expect(PasswordHash.unmatchable(parameters).isCurrent(parameters))
    }

    @Test(arguments: costs) func `never accepts a password beyond the longest`(parameters: ScryptParameters) async throws {
        let hashing = hashing(parameters)
        let longest = String(repeating: "x", count: PasswordHashing.longestPassword)
        #expect(try await hashing.check(longest, against: try await hashing.hash(longest)))
        #expect(try await !hashing.check(longest + "x", against: try await hashing.hash(longest + "x")))
        #expect(try await !hashing.check("", against: try await hashing.hash(longest + "x")))
    }

    @Test func `SEC-20 says so when the pool is full, for a hash as for a check`() async throws {
        let pool = HashingPool(threads: 1, queue: 0, metrics: Metrics())
        let hashing = PasswordHashing(pool: pool, parameters: ScryptParameters(log2N: 4))
        await pool.stop()
        await #expect(throws: PasswordHashing.Failure.overloaded) { try await hashing.hash("password") }
        await #expect(throws: PasswordHashing.Failure.overloaded) { try await hashing.check("password", against: nil) }
        #expect(hashing.hashesDone.value == 0)
    }

    @Test func `SEC-20 hashes on the loop only where both the stored hash and new hashes are quick`() async throws {
        let pool = HashingPool(threads: 1, queue: 4, metrics: Metrics())
        let (quick, slow) = (PasswordHashing(pool: pool, parameters: Self.costs[0]), PasswordHashing(pool: pool, parameters: Self.costs[1]))
        let (quickHash, slowHash) = (try await quick.hash("password"), try await slow.hash("password"))
        // Now only the loop is left.
        await pool.stop()
        #expect(try await quick.check("password", against: quickHash))
        #expect(try await quick.check("password", against: quick.hash("password")))
        await #expect(throws: PasswordHashing.Failure.overloaded) { try await quick.check("password", against: slowHash) }
        // A database of development mode that is used in production.
        await #expect(throws: PasswordHashing.Failure.overloaded) { try await slow.check("password", against: quickHash) }
    }

    @Test func `checks a hash of another system by the keys of the caller, and says when one is missing`() async throws {
        let (hashing, key) = (hashing(Self.costs[1]), try ImportedHashKey.sample())
        let inner = try SaltedDigest(hmac: .sha256, key: key, order: .saltFirst, salt: [1])
        let digest = try inner.of(Array("password".utf8), ImportedHashKeys([key]))
        let hash = PasswordHash(try WrappedHash(inner, bytes: try inner.bytes(of: digest), Self.costs[1]))
        #expect(try await hashing.check("password", against: hash, keys: ImportedHashKeys([key])))
        #expect(try await !hashing.check("wrong", against: hash, keys: ImportedHashKeys([key])))
        #expect(!hashing.isCurrent(hash))
        for password in ["password", "wrong"] {
            await #expect(throws: PasswordHashing.Failure.missingKey(id: "main")) {
                try await hashing.check(password, against: hash)
            }
        }
    }

    @Test func `SEC-20 checks hashes of other systems on a thread`() async throws {
        let pool = HashingPool(threads: 1, queue: 4, metrics: Metrics())
        let quick = PasswordHashing(pool: pool, parameters: Self.costs[0])
        await pool.stop()
        let hash = try #require(PasswordHash("$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$NYWCMKFvh/7Sspg4wf4t9g"))
        await #expect(throws: PasswordHashing.Failure.overloaded) { try await quick.check("", against: hash) }
    }
}
