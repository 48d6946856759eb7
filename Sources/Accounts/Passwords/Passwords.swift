import Crypto
import ProjectSettings

/// Hashes passwords and checks them.
struct Passwords: Sendable {
    let hashing: PasswordHashing
    let hashKeys: HashKeys

    /// Makes the hash to store, of a password that meets the project's policy. Throws `overloaded`.
    func hash(_ password: String) async throws(AccountError) -> PasswordHash {
        do { return try await hashing.hash(password) } catch { throw .overloaded }
    }

    /// Whether `hash` is of this password. A hash of another system may need a key, which takes a round trip. Without a hash the answer is no, after as much work (SEC-15). Throws `overloaded`, and
    /// `hashKeyMissing` for a hash of another system whose key the project does not have.
    func check(_ password: String, against hash: PasswordHash?, in project: ProjectSettings) async throws(AccountError) -> Bool {
        let keys = if let hash { try await hashKeys.keys(of: hash, in: project) } else { ImportedHashKeys.none }
        do { return try await hashing.check(password, against: hash, keys: keys) } catch { throw AccountError(error) }
    }

    /// Whether `hash` has the cost of new hashes. Otherwise it is made anew at the next sign-in with its password.
    func isCurrent(_ hash: PasswordHash) -> Bool { hashing.isCurrent(hash) }
}
