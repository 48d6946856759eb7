import Runtime

/// A password as another system had it, before it is stored (`PasswordHashing.stored`).
package enum ImportedPassword: Sendable, Equatable, Concealed {
    /// A hash that is slow enough to be stored as it is.
    case hash(PasswordHash)
    /// The bytes of a digest (`SaltedDigest.bytes`) that is too fast to be stored: our scrypt hashes it once more (`WrappedHash`).
    case digest(SaltedDigest, [UInt8])
    /// The password itself. It is hashed like a new one.
    case plain(String)

    /// The id of the key that a check of the stored hash will need; `nil` for none.
    package var keyID: String? {
        switch self {
        case .hash(let hash): hash.keyID
        case .digest(let inner, _): inner.keyID
        case .plain: nil
        }
    }

    /// Equal bytes exactly where the other system has the same for this account, so that a change there is noticed.
    ///
    /// - Parameters:
    ///   - key: without it, nobody can try passwords against the fingerprint of a fast digest or of a password itself.
    ///   - account: names project and account, so that two with one password have different fingerprints.
    package func fingerprint(key: [UInt8], of account: String) -> [UInt8] {
        switch self {
        case .hash(let hash): Array("hash \(hash.text)".utf8)
        case .digest(let inner, let digest):
            Digest.hmacSHA256(key: key, Array("\(account)\0digest \(inner.fields)".utf8) + digest)
        case .plain(let password): Digest.hmacSHA256(key: key, Array("\(account)\0plain \(password)".utf8))
        }
    }

    package var description: String { "<imported password>" }
}
