/// A key that verifies signatures. It is parsed and checked once, then shared by all threads.
package final class PublicKey: Sendable {
    package let components: KeyComponents
    private let handle: KeyHandle
    private let contexts: KeyContexts

    /// Refuses weak keys of RSA and Ed25519, points off the curve, and numbers of the wrong length.
    package init(_ components: KeyComponents) throws(CryptoError) {
        switch components {
        case .rsa(let modulus, let exponent): try RSAKeyRules.check(modulus: modulus, exponent: exponent)
        case .ed25519(let point): try Ed25519KeyRules.check(point)
        case .p256: break
        }
        handle = try KeyHandle.make(components)
        self.components = components
        contexts = KeyContexts(key: handle, use: .verify)
    }

    /// Takes big-endian numbers; leading zeros are allowed, since some issuers send them.
    package convenience init(rsaModulus modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        try self.init(.rsa(modulus: Array(modulus.drop { $0 == 0 }), exponent: Array(exponent.drop { $0 == 0 })))
    }

    /// Takes exactly 32 bytes for each.
    package convenience init(p256X x: [UInt8], y: [UInt8]) throws(CryptoError) { try self.init(.p256(x: x, y: y)) }

    /// Takes exactly 32 bytes.
    package convenience init(ed25519 bytes: [UInt8]) throws(CryptoError) { try self.init(.ed25519(bytes)) }

    /// False for a signature of another length, for a scheme that the key does not fit, and for a signature that does not verify.
    package func verify(_ signature: [UInt8], of bytes: [UInt8], _ scheme: SignatureScheme) -> Bool {
        bytes.withUnsafeBytes { verify(signature, of: $0, scheme) }
    }

    /// The same for bytes that are a part of others.
    package func verify(_ signature: [UInt8], of bytes: UnsafeRawBufferPointer, _ scheme: SignatureScheme) -> Bool {
        guard components.fits(scheme), signature.count == components.signatureLength else { return false }
        guard let digest = scheme.digest else { return MessageContext().verify(signature, of: bytes, with: handle) }
        if scheme == .es256 {
            guard let der = ECDSASignature.der(raw: signature) else { return false }
            return contexts.verify(der, of: bytes, scheme, with: digest)
        }
        return contexts.verify(signature, of: bytes, scheme, with: digest)
    }

    /// The same for an ECDSA signature over P-256 in DER, as X.509 and WebAuthn have it. False for one that is not in its shortest form.
    package func verify(der signature: [UInt8], of bytes: [UInt8]) -> Bool {
        ECDSASignature.raw(der: signature).map { verify($0, of: bytes, .es256) } ?? false
    }

    /// The usual measure of a key's size: the bits of an RSA modulus, or 256.
    package var bits: Int {
        switch components {
        case .rsa(let modulus, _): modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        case .p256, .ed25519: 256
        }
    }

    /// The key as a SubjectPublicKeyInfo.
    package var der: [UInt8] { handle.spki() }
    package var pem: String { PEM.encode(der, label: "PUBLIC KEY") }
}

/// DER as text. <https://www.rfc-editor.org/rfc/rfc7468>
enum PEM {
    /// The bytes of the first block with this label; `nil` when there is none, or when it is not base64. Text around the block is not read.
    static func decode(_ text: String, label: String) -> [UInt8]? {
        let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D }.map { String(decoding: $0, as: UTF8.self) }
        guard let start = lines.firstIndex(of: "-----BEGIN \(label)-----"),
            let end = lines[start...].firstIndex(of: "-----END \(label)-----")
        else { return nil }
        return Base64.decode(lines[(start + 1)..<end].joined())
    }

    static func encode(_ der: [UInt8], label: String) -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = Base64.encode(der)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END \(label)-----\n"
    }
}
