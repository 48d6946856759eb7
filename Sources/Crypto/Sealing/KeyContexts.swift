import COpenSSL
import Synchronization

/// The OpenSSL contexts of a key for signing and verifying. They are prepared once and lent to one caller at a time.
///
/// Preparing a context costs up to a tenth of an ES256 signature; taking one from here costs a lock. The number of contexts is the number
/// of callers that were ever busy at once, which is at most one for each thread.
final class KeyContexts: Sendable {
    enum Use: Sendable { case sign, verify }

    private let key: KeyHandle
    private let use: Use
    private let idle: Mutex<[[KeyContext]]>

    init(key: KeyHandle, use: Use) {
        self.key = key
        self.use = use
        idle = Mutex(Array(repeating: [], count: SignatureScheme.allCases.count))
    }

    /// The signature in OpenSSL's form: DER for elliptic curves.
    func sign(_ message: [UInt8], _ scheme: SignatureScheme, with digest: DigestAlgorithm) throws(CryptoError) -> [UInt8] {
        let context = try take(scheme, digest)
        defer { give(back: context, scheme) }
        return try context.sign(message)
    }

    func verify(_ signature: [UInt8], of message: UnsafeRawBufferPointer, _ scheme: SignatureScheme, with digest: DigestAlgorithm) -> Bool {
        guard let context = try? take(scheme, digest) else { return false }
        defer { give(back: context, scheme) }
        return context.verify(signature, of: message)
    }

    private func take(_ scheme: SignatureScheme, _ digest: DigestAlgorithm) throws(CryptoError) -> KeyContext {
        if let context = idle.withLock({ $0[scheme.rawValue].popLast() }) { return context }
        return try KeyContext(key: key, scheme: scheme, digest: digest, use: use)
    }

    private func give(back context: KeyContext, _ scheme: SignatureScheme) {
        idle.withLock { $0[scheme.rawValue].append(context) }
    }
}

/// Owns one `EVP_PKEY_CTX`, set up for one key, scheme and use.
private final class KeyContext: @unchecked Sendable {
    // @unchecked Sendable because ``KeyContexts`` lends it to one caller at a time.
    private let raw: OpaquePointer
    private let hash: HashContext
    private let signatureCapacity: Int

    init(key: KeyHandle, scheme: SignatureScheme, digest: DigestAlgorithm, use: KeyContexts.Use) throws(CryptoError) {
        hash = HashContext(digest)
        signatureCapacity = key.withPointer { Int(EVP_PKEY_get_size($0)) }
        raw = try key.withPointer { key throws(CryptoError) in
            try check(EVP_PKEY_CTX_new_from_pkey(nil, key, nil), "EVP_PKEY_CTX_new_from_pkey")
        }
        // From here on deinit frees it, even after a throw.
        switch use {
        case .sign: try check(EVP_PKEY_sign_init(raw), "EVP_PKEY_sign_init")
        case .verify: try check(EVP_PKEY_verify_init(raw), "EVP_PKEY_verify_init")
        }
        switch scheme {
        case .rs256, .rs384, .rs512:
            try check(EVP_PKEY_CTX_set_rsa_padding(raw, RSA_PKCS1_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
        case .ps256:
            try check(EVP_PKEY_CTX_set_rsa_padding(raw, RSA_PKCS1_PSS_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
            try check(EVP_PKEY_CTX_set_rsa_pss_saltlen(raw, RSA_PSS_SALTLEN_DIGEST), "EVP_PKEY_CTX_set_rsa_pss_saltlen")
        case .es256, .edDSA: break
        }
        try check(EVP_PKEY_CTX_set_signature_md(raw, digest.raw), "EVP_PKEY_CTX_set_signature_md")
    }

    deinit { EVP_PKEY_CTX_free(raw) }

    func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        var result: Int32 = 0
        let signature = [UInt8](unsafeUninitializedCapacity: signatureCapacity) { out, length in
            length = signatureCapacity
            result = message.withUnsafeBytes { message in
                hash.withDigest(of: message) { EVP_PKEY_sign(raw, out.baseAddress, &length, $0.baseAddress, $0.count) }
            }
            if result != 1 { length = 0 }
        }
        try check(result, "EVP_PKEY_sign")
        return signature
    }

    func verify(_ signature: [UInt8], of message: UnsafeRawBufferPointer) -> Bool {
        let result = hash.withDigest(of: message) { EVP_PKEY_verify(raw, signature, signature.count, $0.baseAddress, $0.count) }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }
}

/// Owns one `EVP_MD_CTX` that is used again and again: exactly one owner, freed exactly once.
private struct HashContext: ~Copyable {
    private let raw: OpaquePointer
    private let length: Int

    init(_ algorithm: DigestAlgorithm) {
        raw = must(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        length = algorithm.length
        must(EVP_DigestInit_ex2(raw, algorithm.raw, nil) == 1, "EVP_DigestInit_ex2")
    }
    deinit { EVP_MD_CTX_free(raw) }

    func withDigest<Result>(of message: UnsafeRawBufferPointer, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { digest in
            // Without an algorithm it starts again with the one it has.
            must(EVP_DigestInit_ex2(raw, nil, nil) == 1, "EVP_DigestInit_ex2")
            must(EVP_DigestUpdate(raw, message.baseAddress, message.count) == 1, "EVP_DigestUpdate")
            must(EVP_DigestFinal_ex(raw, digest.baseAddress, nil) == 1, "EVP_DigestFinal_ex")
            return body(digest)
        }
    }
}
