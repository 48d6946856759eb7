import COpenSSL

/// Hashes and keyed hashes. They cost about 150 ns more than the hash itself, since the algorithms are fetched once in a process.
package enum Digest {
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { DigestAlgorithm.sha256.digest(bytes) }
    package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { DigestAlgorithm.sha256.digest(bytes) }
    package static func sha384(_ bytes: [UInt8]) -> [UInt8] { DigestAlgorithm.sha384.digest(bytes) }
    package static func sha512(_ bytes: [UInt8]) -> [UInt8] { DigestAlgorithm.sha512.digest(bytes) }

    /// Only for protocols that require it (key thumbprints): SHA-1 is broken as a proof of content.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] { DigestAlgorithm.sha1.digest(bytes) }

    /// <https://www.rfc-editor.org/rfc/rfc2104>, with SHA-256; keys of any length.
    package static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { HMAC.sha256.authenticate(bytes, key: key) }

    /// The same with SHA-1, for OAuth 1.0a, which has nothing newer. What broke SHA-1 as a hash does not break it here.
    package static func hmacSHA1(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] { HMAC.sha1.authenticate(bytes, key: key) }
}

/// A hash algorithm of libcrypto, fetched by name once and kept as long as the process runs.
///
/// `EVP_sha256()` would look it up again in every call, which costs as much as hashing 64 bytes.
struct DigestAlgorithm: @unchecked Sendable {
    // @unchecked Sendable because an EVP_MD is never changed after it is fetched, and these are never freed.
    let raw: OpaquePointer
    let length: Int

    /// Only for passwords that were imported from other systems.
    static let md5 = DigestAlgorithm("MD5")
    static let sha1 = DigestAlgorithm("SHA1")
    static let sha256 = DigestAlgorithm("SHA256")
    static let sha384 = DigestAlgorithm("SHA384")
    static let sha512 = DigestAlgorithm("SHA512")

    private init(_ name: String) {
        raw = must(EVP_MD_fetch(nil, name, nil), "EVP_MD_fetch")
        length = Int(EVP_MD_get_size(raw))
    }

    func digest(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { digest($0) } }

    func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { out, count in
            must(EVP_Digest(bytes.baseAddress, bytes.count, out.baseAddress, nil, raw, nil) == 1, "EVP_Digest")
            count = length
        }
    }
}

/// HMAC with one hash, whose look-up is the slow part of the setup and happens once in a process.
struct HMAC: @unchecked Sendable {
    // @unchecked Sendable because the template is only ever copied after it is made, and never freed.
    private let template: OpaquePointer
    private let length: Int

    static let md5 = HMAC("MD5", length: 16)
    static let sha1 = HMAC("SHA1", length: 20)
    static let sha256 = HMAC("SHA256", length: 32)
    static let sha512 = HMAC("SHA512", length: 64)

    private init(_ hash: String, length: Int) {
        let algorithm: OpaquePointer = must(EVP_MAC_fetch(nil, "HMAC", nil), "EVP_MAC_fetch")
        let context: OpaquePointer = must(EVP_MAC_CTX_new(algorithm), "EVP_MAC_CTX_new")
        withParameters([.text(OSSL_MAC_PARAM_DIGEST, hash)]) { parameters in
            must(EVP_MAC_CTX_set_params(context, parameters) == 1, "EVP_MAC_CTX_set_params")
        }
        (template, self.length) = (context, length)
    }

    func authenticate(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let context = MACContext(copying: template)
        return context.authenticate(bytes, key: key, length: length)
    }
}

/// Owns one `EVP_MAC_CTX`: exactly one owner, freed exactly once.
private struct MACContext: ~Copyable {
    private let raw: OpaquePointer

    init(copying template: OpaquePointer) { raw = must(EVP_MAC_CTX_dup(template), "EVP_MAC_CTX_dup") }
    deinit { EVP_MAC_CTX_free(raw) }

    func authenticate(_ bytes: [UInt8], key: [UInt8], length: Int) -> [UInt8] {
        // OpenSSL understands an empty key as "keep the old one". HMAC fills short keys with zeros, so one zero byte is the same as the
        // empty key.
        let key = key.isEmpty ? [0] : key
        must(EVP_MAC_init(raw, key, key.count, nil) == 1, "EVP_MAC_init")
        must(EVP_MAC_update(raw, bytes, bytes.count) == 1, "EVP_MAC_update")
        return [UInt8](unsafeUninitializedCapacity: length) { out, count in
            must(EVP_MAC_final(raw, out.baseAddress, &count, length) == 1, "EVP_MAC_final")
        }
    }
}
