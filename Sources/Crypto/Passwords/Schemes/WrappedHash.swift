import Runtime

/// A password hashed by a digest that is too fast to be stored (MD5, SHA, HMAC), and hashed once more by our scrypt, as
/// `$wrapped$sha256$order=salt-password,rounds=1$salt$scrypt$ln=14,r=8,p=1$salt$hash`.
///
/// The digest itself is not stored: who has a copy of the database must run scrypt for each guess.
package struct WrappedHash: PasswordScheme {
    package static let identifiers = ["wrapped"]

    package let inner: SaltedDigest
    private let outer: ScryptHash

    /// Wraps a digest. This costs as much as one hash of `parameters`.
    /// - Parameter bytes: the digest itself (`SaltedDigest.bytes(of:)`).
    package init(_ inner: SaltedDigest, bytes: [UInt8], _ parameters: ScryptParameters) throws(CryptoError) {
        self.inner = inner
        outer = try ScryptHash(password: bytes, parameters)
    }

    package init(identifier: String, fields: [Substring]) throws(PasswordHashFault) {
        try PHCFields.count(fields, is: 7)
        inner = try SaltedDigest(fields: fields[..<3])
        guard ScryptHash.identifiers.contains(where: { $0 == fields[3] }) else {
            throw .unsupported("only scrypt can wrap another digest")
        }
        outer = try ScryptHash(identifier: String(fields[3]), fields: Array(fields[4...]))
    }

    package var text: String { "$wrapped$\(inner.fields)\(outer.text)" }

    /// Of scrypt: the digest that is inside is not known any more.
    package var salt: [UInt8] { outer.salt }
    package var digest: [UInt8] { outer.digest }

    package var keyID: String? { inner.keyID }

    package func matches(_ password: [UInt8], _ keys: ImportedHashKeys) throws(CryptoError) -> Bool {
        try outer.matches(try inner.of(password, keys), keys)
    }
}
