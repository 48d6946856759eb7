package import Crypto
import Runtime

/// How another system made the password hashes of an import: the algorithm, its costs, and its key. All accounts of the import share it.
///
/// These are the parameters of Firebase's `accounts:batchCreate`, and those that its console shows.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchCreate>
package struct HashParameters: Sendable, Equatable, Concealed {
    enum Algorithm: Sendable, Equatable {
        case firebaseScrypt(memoryCost: Int, rounds: Int, ImportedHashKey)
        case hmac(FastDigest, ImportedHashKey, SaltedDigest.Order?)
        case digest(FastDigest, rounds: Int, SaltedDigest.Order?)
        case pbkdf2(FastDigest, iterations: Int)
        case bcrypt
        /// `length` of the hash in bytes; `nil` for that of each hash.
        case scrypt(ScryptParameters, length: Int?)
        case argon2(Argon2Hash.Variant, memory: Int, iterations: Int, parallelism: Int, length: Int?)
    }

    let algorithm: Algorithm

    init(_ algorithm: Algorithm) { self.algorithm = algorithm }

    /// The key that the project needs, so that these hashes can be checked; `nil` for none.
    package var key: ImportedHashKey? {
        switch algorithm {
        case .firebaseScrypt(_, _, let key), .hmac(_, let key, _): key
        default: nil
        }
    }

    var isFirebaseScrypt: Bool { if case .firebaseScrypt = algorithm { true } else { false } }

    /// The password of one account.
    ///
    /// - Parameters:
    ///   - hash: the bytes that the base64 text of `passwordHash` stands for.
    ///   - salt: those of `salt`; empty for none.
    package func password(hash: [UInt8], salt: [UInt8]) throws(PasswordHashFault) -> ImportedPassword {
        switch algorithm {
        case .firebaseScrypt(let memoryCost, let rounds, let key):
            return .hash(PasswordHash(try FirebaseScryptHash(memoryCost: memoryCost, rounds: rounds, key: key, salt: salt, digest: hash)))
        case .hmac(let digest, let key, let order):
            let inner = try SaltedDigest(hmac: digest, key: key, order: try Self.order(order, of: salt), salt: salt)
            return .digest(inner, try inner.bytes(of: hash))
        case .digest(let digest, let rounds, let order):
            let inner = try SaltedDigest(digest, rounds: rounds, order: try Self.order(order, of: salt), salt: salt)
            return .digest(inner, try inner.bytes(of: hash))
        case .pbkdf2(let digest, let iterations):
            return .hash(PasswordHash(try PBKDF2Hash(digest, iterations: iterations, salt: salt, digest: hash)))
        case .bcrypt:
            let text = String(decoding: hash, as: UTF8.self)
            let read = try PasswordHash(reading: text)
            guard read.scheme is BcryptHash else { throw .malformed("the hash is not one of bcrypt") }
            return .hash(read)
        case .scrypt(let parameters, let length):
            try Self.check(hash, has: length, by: "dkLen")
            return .hash(PasswordHash(try ScryptHash(parameters: parameters, salt: salt, digest: hash)))
        case .argon2(let variant, let memory, let iterations, let parallelism, let length):
            try Self.check(hash, has: length, by: "hashLengthBytes")
            return .hash(
                PasswordHash(
                    try Argon2Hash(
                        variant, memory: memory, iterations: iterations, parallelism: parallelism, salt: salt, digest: hash)))
        }
    }

    /// Without a salt, both orders are the same.
    private static func order(_ order: SaltedDigest.Order?, of salt: [UInt8]) throws(PasswordHashFault) -> SaltedDigest.Order {
        if let order { return order }
        guard salt.isEmpty else {
            throw .malformed("the account has a salt, and passwordHashOrder does not say whether it stands before or behind the password")
        }
        return .saltFirst
    }

    private static func check(_ hash: [UInt8], has length: Int?, by name: String) throws(PasswordHashFault) {
        guard let length, hash.count != length else { return }
        throw .malformed("the hash has \(hash.count) bytes, and \(name) says \(length)")
    }

    package var description: String { "<hash parameters>" }
}

/// A fault in the parameters of hashes. It contains no part of a key.
package struct HashParametersFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The member that is wrong, as `accounts:batchCreate` calls it.
    package let member: String
    package let description: String

    init(_ member: String, _ reason: String) { (self.member, description) = (member, "\(member): \(reason)") }
}
