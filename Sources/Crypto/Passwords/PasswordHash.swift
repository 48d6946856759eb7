import Runtime

/// A stored password: its hash with a separate salt, the scheme and the parameters.
///
/// `text` is stored in the database, in the PHC string format; its identifier names the scheme. To add a scheme (for example for imported
/// users), add a file beside `ScryptHash` and a case of `Scheme`. The hash never appears in a description.
package struct PasswordHash: Sendable, Equatable, Concealed {
    /// `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`, both in base64 without padding.
    package let text: String
    private let scheme: Scheme

    /// The schemes that stored hashes may have. New hashes always use scrypt.
    private enum Scheme: Equatable {
        case scrypt(ScryptHash)

        init?(identifier: Substring, fields: [Substring]) {
            switch identifier {
            case ScryptHash.identifier[...]:
                guard let hash = ScryptHash(fields: fields) else { return nil }
                self = .scrypt(hash)
            default: return nil
            }
        }

        var text: String {
            switch self {
            case .scrypt(let hash): "$\(ScryptHash.identifier)$\(hash.fields)"
            }
        }
    }

    /// Reads a stored hash. Nil for an unknown scheme, for parameters that would cost more than 256 MiB or a few seconds, and for any text
    /// that differs from the `text` of the hash that it describes.
    package init?(_ text: String) {
        guard text.utf8.count <= 512 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0].isEmpty, let scheme = Scheme(identifier: parts[1], fields: Array(parts[2...])),
            scheme.text == text
        else { return nil }
        self.text = text
        self.scheme = scheme
    }

    private init(_ scheme: Scheme) {
        text = scheme.text
        self.scheme = scheme
    }

    /// Hashes a password for storage. This takes 30 to 40 ms and 16 MiB by default, so callers use `PasswordHashing`. Throws when memory
    /// is short.
    package static func make(password: String, _ parameters: ScryptParameters) throws(CryptoError) -> PasswordHash {
        PasswordHash(.scrypt(try ScryptHash(password: password, parameters)))
    }

    /// A hash that no password matches, with the cost of `parameters`. It is checked where an account has no hash.
    static func unmatchable(_ parameters: ScryptParameters) -> PasswordHash {
        PasswordHash(
            .scrypt(
                ScryptHash(
                    parameters: parameters, salt: Random.bytes(ScryptHash.saltLength), digest: Random.bytes(ScryptHash.digestLength))))
    }

    /// Whether this is the password's hash. Costs as much as making it, and compares in constant time. Throws when memory is short.
    package func matches(_ password: String) throws(CryptoError) -> Bool {
        switch scheme {
        case .scrypt(let hash): try hash.matches(password)
        }
    }

    /// Whether a new hash would have this scheme and these parameters; if not, the next sign-in should replace it.
    package func isCurrent(_ parameters: ScryptParameters) -> Bool {
        switch scheme {
        case .scrypt(let hash): hash.isCurrent(parameters)
        }
    }

    /// Whether a check against this hash is cheap enough for a loop (`ScryptParameters.areQuick`).
    var isQuick: Bool {
        switch scheme {
        case .scrypt(let hash): hash.parameters.areQuick
        }
    }

    /// The salt, for an export.
    package var salt: [UInt8] {
        switch scheme {
        case .scrypt(let hash): hash.salt
        }
    }
    /// The hash alone, for an export.
    package var digest: [UInt8] {
        switch scheme {
        case .scrypt(let hash): hash.digest
        }
    }

    package var description: String { "<password hash>" }
}
