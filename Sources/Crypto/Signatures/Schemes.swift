import COpenSSL

/// The kinds of key pairs that can be generated and stored. RSA below 2048 bits is refused.
package enum KeyAlgorithm: Sendable, Hashable {
    case rsa(bits: Int = 2048)
    case p256
    case ed25519
}

/// The signature schemes, as in JSON Web Algorithms. <https://www.rfc-editor.org/rfc/rfc7518#section-3>
///
/// Differs from OpenSSL: `es256` signatures are 64 bytes, r ‖ s, and not DER. `ps256` has a salt as long as its hash.
package enum SignatureScheme: Int, Sendable, CaseIterable {
    case rs256, rs384, rs512, ps256, es256, edDSA

    /// Nil for a scheme that hashes by itself.
    var digest: DigestAlgorithm? {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384: .sha384
        case .rs512: .sha512
        case .edDSA: nil
        }
    }
}

/// The numbers of a public key, most significant byte first; RSA's without leading zeros, P-256's with 32 bytes each.
package enum KeyComponents: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case p256(x: [UInt8], y: [UInt8])
    case ed25519([UInt8])

    package func fits(_ scheme: SignatureScheme) -> Bool {
        switch (self, scheme) {
        case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.p256, .es256), (.ed25519, .edDSA): true
        default: false
        }
    }

    /// The length of a signature in bytes; any other length is refused before any arithmetic.
    var signatureLength: Int {
        switch self {
        case .rsa(let modulus, _): modulus.count
        case .p256, .ed25519: 64
        }
    }
}
