import Runtime
import Testing

@testable import Crypto

@Suite struct PasswordHashingTests {
    private let parameters = ScryptParameters(log2N: 4, blockSize: 1)

    private func hashing() -> PasswordHashing {
        PasswordHashing(pool: HashingPool(threads: 1, queue: 4, metrics: Metrics()), parameters: parameters)
    }

    @Test func `checks a password against the hash it made`() async throws {
        let hashing = hashing()
        let hash = try await hashing.hash("correct horse")
        #expect(try await hashing.check("correct horse", against: hash))
        #expect(try await !hashing.check("wrong horse", against: hash))
        #expect(hashing.isCurrent(hash))
    }

    @Test func `SEC-15 makes exactly one hash of equal cost for every check, whatever it comes to`() async throws {
        let hashing = hashing()
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

    @Test func `never accepts a password beyond the longest`() async throws {
        let hashing = hashing()
        let longest = String(repeating: "x", count: PasswordHashing.longestPassword)
        #expect(try await hashing.check(longest, against: try await hashing.hash(longest)))
        #expect(try await !hashing.check(longest + "x", against: try await hashing.hash(longest + "x")))
        #expect(try await !hashing.check("", against: try await hashing.hash(longest + "x")))
    }

    @Test func `SEC-20 says so when the pool is full, for a hash as for a check`() async throws {
        let pool = HashingPool(threads: 1, queue: 0, metrics: Metrics())
        let hashing = PasswordHashing(pool: pool, parameters: ScryptParameters(log2N: 10))
        await pool.stop()
        await #expect(throws: HashingPool.Full.self) { try await hashing.hash("password") }
        await #expect(throws: HashingPool.Full.self) { try await hashing.check("password", against: nil) }
        #expect(hashing.hashesDone.value == 0)
    }

    @Test func `hashes of development mode are made where they are asked for, and others on a thread`() async throws {
        let pool = HashingPool(threads: 1, queue: 4, metrics: Metrics())
        let quick = try await PasswordHashing(pool: pool, parameters: ScryptParameters(log2N: 4)).hash("password")
        let slow = try await PasswordHashing(pool: pool, parameters: ScryptParameters(log2N: 5)).hash("password")
        await pool.stop()
        let hashing = PasswordHashing(pool: pool, parameters: ScryptParameters())
        #expect(try await hashing.check("password", against: quick))
        // The cost of the stored hash decides, not the cost of new ones.
        await #expect(throws: HashingPool.Full.self) { try await hashing.check("password", against: slow) }
    }
}
