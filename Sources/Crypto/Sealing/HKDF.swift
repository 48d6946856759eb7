import COpenSSL

/// Derives several independent keys from one secret. <https://www.rfc-editor.org/rfc/rfc5869>, with SHA-256.
package enum HKDF {
    /// `info` names the purpose of the key; `length` is in bytes, at most 8160 (255 hashes).
    package static func sha256(secret: [UInt8], salt: [UInt8], info: String, length: Int) -> [UInt8] {
        sha256(secret: secret, salt: salt, info: Array(info.utf8), length: length)
    }

    static func sha256(secret: [UInt8], salt: [UInt8], info: [UInt8], length: Int) -> [UInt8] {
        let context: OpaquePointer = must(EVP_KDF_CTX_new(algorithm), "EVP_KDF_CTX_new")
        defer { EVP_KDF_CTX_free(context) }
        let parameters: [Parameter] = [
            .text(OSSL_KDF_PARAM_DIGEST, "SHA256"), .bytes(OSSL_KDF_PARAM_KEY, secret),
            .bytes(OSSL_KDF_PARAM_SALT, salt), .bytes(OSSL_KDF_PARAM_INFO, info),
        ]
        return withParameters(parameters) { parameters in
            [UInt8](unsafeUninitializedCapacity: length) { out, count in
                must(EVP_KDF_derive(context, out.baseAddress, length, parameters) == 1, "EVP_KDF_derive")
                count = length
            }
        }
    }

    nonisolated(unsafe) private static let algorithm: OpaquePointer =
        // nonisolated(unsafe) because an EVP_KDF is never changed after it is fetched, and this one is never freed.
        must(EVP_KDF_fetch(nil, "HKDF", nil), "EVP_KDF_fetch")
}
