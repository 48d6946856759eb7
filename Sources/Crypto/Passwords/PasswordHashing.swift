package import Runtime

/// Hashes and checks passwords on a pool, always at the same cost.
package struct PasswordHashing: Sendable {
    /// Bytes of a password that are hashed at most: what 4096 UTF-16 units, the longest password that is ever accepted, can take.
    package static let longestPassword = 3 * 4096

    private let pool: HashingPool
    package let parameters: ScryptParameters
    /// How many hashes were made, for whatever outcome: what tests of equal cost count (SEC-15).
    package let hashesDone = Counter()
    /// Checked in place of the hash that an account does not have.
    private let unmatchable: PasswordHash

    /// - Parameter parameters: what new hashes cost; they must be acceptable.
    package init(pool: HashingPool, parameters: ScryptParameters) {
        precondition(parameters.areAcceptable, "settings are checked where they are read")
        self.pool = pool
        self.parameters = parameters
        unmatchable = .unmatchable(parameters)
    }

    /// A hash for keeping. A password beyond `longestPassword` is the caller's to refuse; of one that comes through, nothing matches the hash.
    package func hash(_ password: String) async throws(HashingPool.Full) -> PasswordHash {
        let password = password.utf8.count <= Self.longestPassword ? password : Random.token()
        return try await run { [parameters] () throws(CryptoError) in try PasswordHash.make(password: password, parameters) }
    }

    /// Whether `password` is the one that `hash` was made of. Without a hash the answer is no, after just as much work, so that the time of an
    /// answer does not tell who has a password (SEC-15).
    package func check(_ password: String, against hash: PasswordHash?) async throws(HashingPool.Full) -> Bool {
        let isPossible = hash != nil && password.utf8.count <= Self.longestPassword
        let hash = hash ?? unmatchable
        let password = isPossible ? password : ""
        return try await run { () throws(CryptoError) in try hash.matches(password) } && isPossible
    }

    /// Whether `hash` was made as a hash would be made now; if not, a sign-in that succeeds should keep a new one.
    package func isCurrent(_ hash: PasswordHash) -> Bool { hash.isCurrent(parameters) }

    /// A hash fails only for want of memory, which is another kind of full.
    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(CryptoError) -> Value
    ) async throws(HashingPool.Full) -> Value {
        let outcome = try await pool.run { [hashesDone] () -> Result<Value, CryptoError> in
            hashesDone.increment()
            do throws(CryptoError) { return .success(try work()) } catch { return .failure(error) }
        }
        do { return try outcome.get() } catch { throw HashingPool.Full() }
    }
}
