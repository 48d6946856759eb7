import COpenSSL

/// Owns one `EVP_MD_CTX` for one message that is signed or verified whole: exactly one owner, freed exactly once.
///
/// Ed25519 hashes the message twice, so OpenSSL needs it in one piece and takes no digest. <https://www.rfc-editor.org/rfc/rfc8032>
struct MessageContext: ~Copyable {
    private let raw: OpaquePointer

    init() { raw = must(EVP_MD_CTX_new(), "EVP_MD_CTX_new") }
    deinit { EVP_MD_CTX_free(raw) }

    consuming func sign(_ message: [UInt8], with key: KeyHandle) throws(CryptoError) -> [UInt8] {
        let raw = raw
        try key.withPointer { key throws(CryptoError) in
            try check(EVP_DigestSignInit_ex(raw, nil, nil, nil, nil, key, nil), "EVP_DigestSignInit_ex")
        }
        var signature = [UInt8](repeating: 0, count: 64)
        var length = signature.count
        try check(EVP_DigestSign(raw, &signature, &length, message, message.count), "EVP_DigestSign")
        return signature
    }

    consuming func verify(_ signature: [UInt8], of message: UnsafeRawBufferPointer, with key: KeyHandle) -> Bool {
        let raw = raw
        let verified = key.withPointer { key in
            EVP_DigestVerifyInit_ex(raw, nil, nil, nil, nil, key, nil) == 1
                && EVP_DigestVerify(raw, signature, signature.count, message.baseAddress, message.count) == 1
        }
        if !verified { ERR_clear_error() }
        return verified
    }
}
