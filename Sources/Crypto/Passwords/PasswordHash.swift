import Runtime

/// A stored password: its hash with a separate salt, the scheme and the parameters. The hash never appears in a description.
package struct PasswordHash: Sendable, Equatable, Concealed {
    /// The schemes that stored hashes may have. New hashes always use scrypt.
    static let schemes: [any PasswordScheme.Type] = [
        Argon2Hash.self,
        BcryptHash.self,
        FirebaseScryptHash.self,
        PBKDF2Hash.self,
        ScryptHash.self,
        WrappedHash.self,
    ]

    static let longestText = 512

    /// The text that is stored in the database, in the PHC string format, whose identifier names the scheme: for our own hashes
    /// `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`, both in base64 without padding.
    package let text: String
    package let scheme: any PasswordScheme

    package init(_ scheme: some PasswordScheme) { self.init(any: scheme) }

    private init(any scheme: any PasswordScheme) {
        text = scheme.text
        self.scheme = scheme
    }

    /// Reads a hash that another system has stored as text (bcrypt, argon2). Its own `text` may differ from that: bits without a meaning are
    /// cleared, and base64 has no padding.
    package init(reading text: String) throws(PasswordHashFault) {
        // Printable ASCII alone, so that texts which are equal as strings have the same bytes.
        guard text.utf8.count <= Self.longestText, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("the hash is longer than \(Self.longestText) bytes, or has other characters than printable ASCII")
        }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0].isEmpty else { throw .malformed("the hash does not begin with the name of a scheme between two $") }
        let identifier = String(parts[1])
        guard let scheme = Self.schemes.first(where: { $0.identifiers.contains(identifier) }) else {
            throw .unsupported("hashes of this scheme are not supported")
        }
        self.init(any: try scheme.init(identifier: identifier, fields: Array(parts[2...])))
    }

    /// Reads a stored hash. Nil for an unknown scheme, for parameters that would cost more than 256 MiB or a few seconds, and for any text
    /// that differs from the `text` of the hash that it describes.
    package init?(_ text: String) {
        guard let hash = try? PasswordHash(reading: text), hash.text == text else { return nil }
        self = hash
    }

    /// Hashes a password for storage. This takes 30 to 40 ms and 16 MiB by default, so callers use `PasswordHashing`. Throws when memory
    /// is short.
    package static func make(password: String, _ parameters: ScryptParameters) throws(CryptoError) -> PasswordHash {
        PasswordHash(try ScryptHash(password: Array(password.utf8), parameters))
    }

    /// A hash that no password matches, with the cost of `parameters`. It is checked where an account has no hash.
    static func unmatchable(_ parameters: ScryptParameters) -> PasswordHash { PasswordHash(ScryptHash.unmatchable(parameters)) }

    /// Whether this is the password's hash. Costs as much as making it, and compares in constant time.
    ///
    /// Throws ``CryptoError/missingKey(id:)`` for a hash that needs a key which is not among `keys`: then nothing is known about the password.
    /// Throws ``CryptoError/library(call:reason:)`` when memory is short.
    package func matches(_ password: String, _ keys: ImportedHashKeys = .none) throws(CryptoError) -> Bool {
        try scheme.matches(Array(password.utf8), keys)
    }

    /// Whether a new hash would have this scheme and these parameters; if not, the next sign-in should replace it.
    package func isCurrent(_ parameters: ScryptParameters) -> Bool { scheme.isCurrent(parameters) }

    /// Whether a check against this hash is cheap enough for a loop (`ScryptParameters.areQuick`).
    var isQuick: Bool { scheme.isQuick }

    /// The id of the key of another system that a check needs; `nil` for none.
    package var keyID: String? { scheme.keyID }

    /// The salt, for an export.
    package var salt: [UInt8] { scheme.salt }
    /// The hash alone, for an export.
    package var digest: [UInt8] { scheme.digest }

    package static func == (left: PasswordHash, right: PasswordHash) -> Bool { left.text == right.text }

    package var description: String { "<password hash>" }
}
