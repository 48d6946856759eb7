import Crypto

/// The signature algorithms that we offer to authenticators, by their numbers in COSE; the preferred one first.
/// <https://www.iana.org/assignments/cose/cose.xhtml#algorithms>
package enum CredentialAlgorithm: Int64, Sendable, CaseIterable {
    case ed25519 = -8
    case es256 = -7
    case rs256 = -257
}

/// The public key of a credential, with its algorithm: read from COSE, and checked.
///
/// Accepts what was offered and nothing more: no compressed points, no points off the curve or of low order, no weak RSA keys, no private
/// members. Labels that it does not know are ignored.
/// <https://www.rfc-editor.org/rfc/rfc9052#section-7>
package struct CredentialKey: Sendable {
    package let algorithm: CredentialAlgorithm
    /// The bytes that it was read from.
    package let cose: [UInt8]
    let key: PublicKey

    /// Throws `algorithm` for one that was not offered, and `attestedData` for bytes that are not a key of it.
    package init(cose bytes: [UInt8]) throws(CeremonyError) {
        guard let members = CBOR.parse(bytes)?.map, let number = members[3]?.integer else { throw .refused(.attestedData) }
        guard let algorithm = CredentialAlgorithm(rawValue: number) else { throw .refused(.algorithm) }
        guard let key = Self.key(members, of: algorithm) else { throw .refused(.attestedData) }
        self.algorithm = algorithm
        self.key = key
        cose = bytes
    }

    private static func key(_ members: [CBOR.Key: CBOR], of algorithm: CredentialAlgorithm) -> PublicKey? {
        let type: Int64
        let privateLabels: ClosedRange<Int64>
        switch algorithm {
        case .ed25519: (type, privateLabels) = (1, -4 ... -4)
        case .es256: (type, privateLabels) = (2, -4 ... -4)
        case .rs256: (type, privateLabels) = (3, -12 ... -3)
        }
        guard members[1]?.integer == type, privateLabels.allSatisfy({ members[.integer($0)] == nil }) else { return nil }
        switch algorithm {
        case .ed25519:
            guard members[-1]?.integer == 6, let point = members[-2]?.bytes else { return nil }
            return try? PublicKey(ed25519: point)
        case .es256:
            guard members[-1]?.integer == 1, let x = members[-2]?.bytes, let y = members[-3]?.bytes else { return nil }
            return try? PublicKey(p256X: x, y: y)
        case .rs256:
            guard let modulus = members[-1]?.bytes, let exponent = members[-2]?.bytes, modulus.first != 0, exponent.first != 0 else {
                return nil
            }
            return try? PublicKey(rsaModulus: modulus, exponent: exponent)
        }
    }

    /// Whether the signature, in the form that WebAuthn gives it, is this key's.
    func verify(_ signature: [UInt8], of bytes: [UInt8]) -> Bool { key.verify(webAuthn: signature, of: bytes, by: algorithm) }
}

extension PublicKey {
    /// <https://w3c.github.io/webauthn/#sctn-signature-attestation-types>: ECDSA's signatures are DER there.
    func verify(webAuthn signature: [UInt8], of bytes: [UInt8], by algorithm: CredentialAlgorithm) -> Bool {
        guard signature.count <= WebAuthn.Limits.signature else { return false }
        return switch algorithm {
        case .es256: verify(der: signature, of: bytes)
        case .ed25519: verify(signature, of: bytes, .edDSA)
        case .rs256: verify(signature, of: bytes, .rs256)
        }
    }
}
