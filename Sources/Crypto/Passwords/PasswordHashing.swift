package import Runtime

/// Hashes and checks passwords, on the threads of a pool. Where hashes are as cheap as in `gatehouse dev`, it does so on the caller's loop: a
/// thread would cost more than the hash.
package struct PasswordHashing: Sendable {
    /// The most bytes of a password that are hashed: the size of 4096 UTF-16 units, which is the longest password ever accepted.
    package static let longestPassword = 3 * 4096

    private let pool: HashingPool
    package let parameters: ScryptParameters
    /// How many hashes were computed, whatever their result, for tests of equal cost (SEC-15).
    package let hashesDone = Counter()
    /// The hash that is checked when an account does not have one.
    private let unmatchable: PasswordHash

    /// - Parameter parameters: the cost of new hashes; they must be acceptable.
    package init(pool: HashingPool, parameters: ScryptParameters) {
        precondition(parameters.areAcceptable, "settings are checked where they are read")
        self.pool = pool
        self.parameters = parameters
        unmatchable = .unmatchable(parameters)
    }

    /// A hash to store. The caller must refuse passwords beyond `longestPassword`; the hash of such a password matches nothing.
    package func hash(_ password: String) async throws(HashingPool.Full) -> PasswordHash {
        let password = password.utf8.count <= Self.longestPassword ? password : Random.token()
        return try await run(isQuick: parameters.areQuick) { [parameters] () throws(CryptoError) in
            try PasswordHash.make(password: password, parameters)
        }
    }

    /// Whether `hash` was made of `password`. Without a hash the answer is no, after the same amount of work, so that the time of an
    /// answer does not show who has a password (SEC-15).
    package func check(_ password: String, against hash: PasswordHash?) async throws(HashingPool.Full) -> Bool {
        let isPossible = hash != nil && password.utf8.count <= Self.longestPassword
        let hash = hash ?? unmatchable
        let password = isPossible ? password : ""
        let isQuick = parameters.areQuick && hash.isQuick
        return try await run(isQuick: isQuick) { () throws(CryptoError) in try hash.matches(password) } && isPossible
    }

    /// Whether `hash` has the cost of new hashes; if not, a successful sign-in should store a new one.
    package func isCurrent(_ hash: PasswordHash) -> Bool { hash.isCurrent(parameters) }

    /// A hash can only fail when memory is short, which is handled like a full queue.
    private func run<Value: Sendable>(
        isQuick: Bool, _ work: @escaping @Sendable () throws(CryptoError) -> Value
    ) async throws(HashingPool.Full) -> Value {
        let hash = { @Sendable [hashesDone] () -> Result<Value, CryptoError> in
            hashesDone.increment()
            do throws(CryptoError) { return .success(try work()) } catch { return .failure(error) }
        }
        let outcome = isQuick ? hash() : try await pool.run(hash)
        do { return try outcome.get() } catch { throw HashingPool.Full() }
    }
}
