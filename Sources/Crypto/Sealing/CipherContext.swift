import COpenSSL

/// A cipher of libcrypto, fetched by name once and kept as long as the process runs.
struct CipherAlgorithm: @unchecked Sendable {
    // @unchecked Sendable because an EVP_CIPHER is never changed after it is fetched, and these are never freed.
    fileprivate let raw: OpaquePointer

    static let aes256GCM = CipherAlgorithm("AES-256-GCM")
    /// Its nonce is the first counter, of 16 bytes. It protects nothing from being changed; only for hashes of Firebase.
    static let aes256CTR = CipherAlgorithm("AES-256-CTR")

    private init(_ name: String) { raw = must(EVP_CIPHER_fetch(nil, name, nil), "EVP_CIPHER_fetch") }
}

/// Owns one `EVP_CIPHER_CTX` set up for one message: exactly one owner, freed exactly once.
struct CipherContext: ~Copyable {
    private let raw: OpaquePointer

    init(_ algorithm: CipherAlgorithm, key: [UInt8], nonce: [UInt8], encrypting: Bool) {
        raw = must(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        must(EVP_CipherInit_ex2(raw, algorithm.raw, key, nonce, encrypting ? 1 : 0, nil) == 1, "EVP_CipherInit_ex2")
    }
    deinit { EVP_CIPHER_CTX_free(raw) }

    func associate(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        var length: Int32 = 0
        must(EVP_CipherUpdate(raw, nil, &length, bytes, Int32(bytes.count)) == 1, "EVP_CipherUpdate")
    }

    /// Returns as many bytes as it gets: neither mode pads.
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
