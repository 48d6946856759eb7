import COpenSSL
import Runtime

/// Encrypts values in the database (signing keys, upstream tokens), so that only a holder of this key can read them.
///
/// Sealed form: version byte 1 ‖ nonce (12) ‖ ciphertext ‖ tag (16), AES-256-GCM with the context as associated data.
/// The context says what the value is and to which row it belongs (`"signing-key/42"`): in another row, the value does not open. Nonces
/// are random, so one key may seal at most 2³² values (NIST SP 800-38D §8.3).
package struct SealingKey: Sendable {
    private let bytes: [UInt8]

    private static let version: UInt8 = 1
    private static let keyLength = 32
    private static let nonceLength = 12
    private static let tagLength = 16

    /// Takes exactly 32 bytes, as ``HKDF`` makes them; stops the process for any other number.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.keyLength, "a sealing key has 32 bytes")
        self.bytes = bytes
    }

    package func seal(_ plain: [UInt8], context: String) -> [UInt8] {
        let nonce = Random.bytes(Self.nonceLength)
        let cipher = CipherContext(.aes256GCM, key: bytes, nonce: nonce, encrypting: true)
        cipher.associate(Array(context.utf8))
        let sealed = cipher.update(plain)
        must(cipher.finish(), "EVP_CipherFinal_ex")
        return [Self.version] + nonce + sealed + cipher.tag(Self.tagLength)
    }

    /// Throws ``CryptoError/notOpened`` without a reason.
    package func open(_ sealed: [UInt8], context: String) throws(CryptoError) -> [UInt8] {
        let overhead = 1 + Self.nonceLength + Self.tagLength
        guard sealed.count >= overhead, sealed[0] == Self.version else { throw .notOpened }
        let body = 1 + Self.nonceLength
        let end = sealed.count - Self.tagLength
        let cipher = CipherContext(.aes256GCM, key: bytes, nonce: Array(sealed[1..<body]), encrypting: false)
        cipher.associate(Array(context.utf8))
        let plain = cipher.update(Array(sealed[body..<end]))
        cipher.expect(tag: Array(sealed[end...]))
        guard cipher.finish() else {
            ERR_clear_error()
            throw .notOpened
        }
        return plain
    }
}

/// Descriptions show nothing of the key.
extension SealingKey: Concealed {
    package var description: String { "<sealing key>" }
}
