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
        let cipher = CipherContext(key: bytes, nonce: nonce, sealing: true)
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
        let cipher = CipherContext(key: bytes, nonce: Array(sealed[1..<body]), sealing: false)
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

/// Owns one `EVP_CIPHER_CTX` set up for one AES-256-GCM message: exactly one owner, freed exactly once.
private struct CipherContext: ~Copyable {
    private let raw: OpaquePointer

    nonisolated(unsafe) private static let algorithm: OpaquePointer =
        // nonisolated(unsafe) because an EVP_CIPHER is never changed after it is fetched, and this one is never freed.
        must(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "EVP_CIPHER_fetch")

    init(key: [UInt8], nonce: [UInt8], sealing: Bool) {
        raw = must(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        must(EVP_CipherInit_ex2(raw, Self.algorithm, key, nonce, sealing ? 1 : 0, nil) == 1, "EVP_CipherInit_ex2")
    }
    deinit { EVP_CIPHER_CTX_free(raw) }

    func associate(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var length: Int32 = 0
        must(EVP_CipherUpdate(raw, nil, &length, bytes, Int32(bytes.count)) == 1, "EVP_CipherUpdate")
    }

    /// Returns as many bytes as it gets: GCM does not pad.
    func update(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        return [UInt8](unsafeUninitializedCapacity: bytes.count) { out, count in
            var length: Int32 = 0
            must(EVP_CipherUpdate(raw, out.baseAddress, &length, bytes, Int32(bytes.count)) == 1, "EVP_CipherUpdate")
            count = Int(length)
        }
    }

    /// False when the tag does not match, which only opening can find out.
    func finish() -> Bool {
        var length: Int32 = 0
        var nothing: [UInt8] = [0]
        return EVP_CipherFinal_ex(raw, &nothing, &length) == 1
    }

    func tag(_ length: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { out, count in
            must(EVP_CIPHER_CTX_ctrl(raw, EVP_CTRL_AEAD_GET_TAG, Int32(length), out.baseAddress) == 1, "EVP_CIPHER_CTX_ctrl")
            count = length
        }
    }

    func expect(tag: [UInt8]) {
        var tag = tag
        must(EVP_CIPHER_CTX_ctrl(raw, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1, "EVP_CIPHER_CTX_ctrl")
    }
}
