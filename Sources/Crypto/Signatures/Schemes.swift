import COpenSSL

/// The kinds of key pair that can be made and kept. RSA below 2048 bits is refused.
package enum KeyAlgorithm: Sendable, Hashable {
    case rsa(bits: Int = 2048)
    case p256
    case ed25519
}

/// How a key signs, in the shape JSON Web Algorithms give it. <https://www.rfc-editor.org/rfc/rfc7518#section-3>
///
/// Strays: `es256` signatures are 64 bytes, r ‖ s, not the DER that OpenSSL makes. `ps256` has a salt as long as its hash.
package enum SignatureScheme: Int, Sendable, CaseIterable {
    case rs256, rs384, rs512, ps256, es256, edDSA

    /// nil where the scheme hashes for itself.
    var digest: DigestAlgorithm? {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384: .sha384
        case .rs512: .sha512
        case .edDSA: nil
        }
    }
}

/// A public key's numbers, most significant byte first; RSA's without leading zeros, P-256's 32 bytes each.
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

    /// Bytes of a signature; any other length is refused before any arithmetic.
    var signatureLength: Int {
        switch self {
        case .rsa(let modulus, _): modulus.count
        case .p256, .ed25519: 64
        }
    }
}
