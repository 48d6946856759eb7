import Crypto

extension Accounts {
    /// A hash for keeping, of a password that the project's policy has let through. Throws `overloaded`.
    func hash(_ password: String) async throws(AccountError) -> PasswordHash {
        do { return try await passwords.hash(password) } catch { throw .overloaded }
    }

    /// Whether `password` is the one of `hash`; no after as much work when there is no hash (SEC-15). Throws `overloaded`.
    func check(_ password: String, against hash: PasswordHash?) async throws(AccountError) -> Bool {
        do { return try await passwords.check(password, against: hash) } catch { throw .overloaded }
    }
}
