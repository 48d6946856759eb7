package import Runtime

/// Hashes and checks passwords, on the threads of a pool. Where hashes are as cheap as in `gatehouse dev`, it does so on the caller's loop: a
/// thread would cost more than the hash.
package struct PasswordHashing: Sendable {
    /// The most bytes of a password that are hashed: the size of 4096 UTF-16 units, which is the longest password ever accepted.
    package static let longestPassword = 3 * 4096

    /// Why a password was neither hashed nor checked.
    package enum Failure: Error, Equatable {
        /// The pool's queue has no room, the pool stops, or memory is short.
        case overloaded
        /// The hash needs a key of another system that the caller does not have. Nothing is known about the password.
        case missingKey(id: String)
    }

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
    package func hash(_ password: String) async throws(Failure) -> PasswordHash {
        let password = password.utf8.count <= Self.longestPassword ? password : Random.token()
        return try await run(isQuick: parameters.areQuick) { [parameters] () throws(CryptoError) in
            try PasswordHash.make(password: password, parameters)
        }
    }

    /// Whether `hash` was made of `password`. Without a hash the answer is no, after the same amount of work, so that the time of an
    /// answer does not show who has a password (SEC-15). A hash with other parameters or of another scheme can take another time.
    /// - Parameter keys: those that the project's imported hashes were made with.
    package func check(_ password: String, against hash: PasswordHash?, keys: ImportedHashKeys = .none) async throws(Failure) -> Bool {
        let isPossible = hash != nil && password.utf8.count <= Self.longestPassword
        let hash = hash ?? unmatchable
        let password = isPossible ? password : ""
        let isQuick = parameters.areQuick && hash.isQuick
        return try await run(isQuick: isQuick) { () throws(CryptoError) in try hash.matches(password, keys) } && isPossible
    }

    /// The hash to store for a password that another system had. A hash that can be stored as it is costs nothing.
    package func stored(_ password: ImportedPassword) async throws(Failure) -> PasswordHash {
        switch password {
        case .hash(let hash): return hash
        case .plain(let password): return try await hash(password)
        case .digest(let inner, let digest):
            return try await run(isQuick: parameters.areQuick) { [parameters] () throws(CryptoError) in
                PasswordHash(try WrappedHash(inner, bytes: digest, parameters))
            }
        }
    }

    /// Whether `hash` has the cost of new hashes; if not, a successful sign-in should store a new one.
    package func isCurrent(_ hash: PasswordHash) -> Bool { hash.isCurrent(parameters) }

    private func run<Value: Sendable>(
        isQuick: Bool, _ work: @escaping @Sendable () throws(CryptoError) -> Value
    ) async throws(Failure) -> Value {
        let hash = { @Sendable [hashesDone] () -> Result<Value, Failure> in
            hashesDone.increment()
            do throws(CryptoError) { return .success(try work()) } catch { return .failure(Failure(error)) }
        }
        guard !isQuick else { return try hash().get() }
        let outcome: Result<Value, Failure>
        do { outcome = try await pool.run(hash) } catch { throw .overloaded }
        return try outcome.get()
    }
}

extension PasswordHashing.Failure {
    /// But for a missing key, a hash can only fail when memory is short, which is handled like a full queue.
    fileprivate init(_ error: CryptoError) {
        if case .missingKey(let id) = error { self = .missingKey(id: id) } else { self = .overloaded }
    }
}
