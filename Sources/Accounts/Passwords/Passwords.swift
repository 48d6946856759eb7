import Crypto

/// Hashes passwords and checks them.
struct Passwords: Sendable {
    let hashing: PasswordHashing

    /// Makes the hash to store, of a password that meets the project's policy. Throws `overloaded`.
    func hash(_ password: String) async throws(AccountError) -> PasswordHash {
        do { return try await hashing.hash(password) } catch { throw .overloaded }
    }

    /// Whether `hash` is of this password. Without a hash the answer is no, after as much work (SEC-15). Throws `overloaded`, and
    /// `hashKeyMissing` for a hash of another system whose key the project does not have.
    func check(_ password: String, against hash: PasswordHash?) async throws(AccountError) -> Bool {
        do { return try await hashing.check(password, against: hash) } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .missingKey(let id): throw .hashKeyMissing(id)
            }
        }
    }

    /// Whether `hash` has the cost of new hashes. Otherwise it is made anew at the next sign-in with its password.
    func isCurrent(_ hash: PasswordHash) -> Bool { hashing.isCurrent(hash) }
}
