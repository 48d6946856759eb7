import COpenSSL
import Synchronization

/// What a key has at hand to sign or to verify with: contexts that are set up already, lent to one caller at a time.
///
/// Setting one up costs as much as a tenth of an ES256 signature; taking one from here costs a lock. As many are kept as
/// callers were ever busy at once, which is at most one a thread.
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

    func sign(_ digest: [UInt8], _ scheme: SignatureScheme) throws(CryptoError) -> [UInt8] {
        let context = try take(scheme)
        defer { give(back: context, scheme) }
        return try context.sign(digest)
    }

    func verify(_ signature: [UInt8], of digest: [UInt8], _ scheme: SignatureScheme) -> Bool {
        guard let context = try? take(scheme) else { return false }
        defer { give(back: context, scheme) }
        return context.verify(signature, of: digest)
    }

    private func take(_ scheme: SignatureScheme) throws(CryptoError) -> KeyContext {
        if let context = idle.withLock({ $0[scheme.rawValue].popLast() }) { return context }
        return try KeyContext(key: key, scheme: scheme, use: use)
    }

    private func give(back context: KeyContext, _ scheme: SignatureScheme) {
        idle.withLock { $0[scheme.rawValue].append(context) }
    }
}

/// Owns one `EVP_PKEY_CTX`, set up for one key, scheme and use.
private final class KeyContext: @unchecked Sendable {
    // @unchecked Sendable because ``KeyContexts`` lends it to one caller at a time.
    private let raw: OpaquePointer
    private let signatureCapacity: Int

    init(key: KeyHandle, scheme: SignatureScheme, use: KeyContexts.Use) throws(CryptoError) {
        raw = try key.withPointer { key throws(CryptoError) in
            try check(EVP_PKEY_CTX_new_from_pkey(nil, key, nil), "EVP_PKEY_CTX_new_from_pkey")
        }
        signatureCapacity = key.withPointer { Int(EVP_PKEY_get_size($0)) }
        do {
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
            if let digest = scheme.digest {
                try check(EVP_PKEY_CTX_set_signature_md(raw, digest.raw), "EVP_PKEY_CTX_set_signature_md")
            }
        } catch {
            EVP_PKEY_CTX_free(raw)
            throw error
        }
    }

    deinit { EVP_PKEY_CTX_free(raw) }

    /// OpenSSL's form of the signature: DER for elliptic curves.
    func sign(_ digest: [UInt8]) throws(CryptoError) -> [UInt8] {
        var length = signatureCapacity
        var signature = [UInt8](repeating: 0, count: length)
        try check(EVP_PKEY_sign(raw, &signature, &length, digest, digest.count), "EVP_PKEY_sign")
        signature.removeLast(signature.count - length)
        return signature
    }

    func verify(_ signature: [UInt8], of digest: [UInt8]) -> Bool {
        guard EVP_PKEY_verify(raw, signature, signature.count, digest, digest.count) == 1 else {
            ERR_clear_error()
            return false
        }
        return true
    }
}
