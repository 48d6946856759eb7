import Crypto

/// Hashes passwords and checks them, on the threads of the pool.
struct Passwords: Sendable {
    let hashing: PasswordHashing

    /// A hash for keeping, of a password that the project's policy has let through. Throws `overloaded`.
    func hash(_ password: String) async throws(AccountError) -> PasswordHash {
        do { return try await hashing.hash(password) } catch { throw .overloaded }
    }

    /// Whether `password` is the one of `hash`; no after as much work when there is no hash (SEC-15). Throws `overloaded`.
    func check(_ password: String, against hash: PasswordHash?) async throws(AccountError) -> Bool {
        do { return try await hashing.check(password, against: hash) } catch { throw .overloaded }
    }

    /// Whether `hash` was made as new ones are; otherwise it is made anew when its password is seen.
    func isCurrent(_ hash: PasswordHash) -> Bool { hashing.isCurrent(hash) }
}
