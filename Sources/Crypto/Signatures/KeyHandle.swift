import COpenSSL

/// Owns one `EVP_PKEY`, and reads, writes or generates it. Refuses kinds and curves that are not supported.
final class KeyHandle: @unchecked Sendable {
    // @unchecked Sendable because an EVP_PKEY is not changed after it is made, and OpenSSL counts its references atomically.
    private let raw: OpaquePointer
    let components: KeyComponents

    private init(owning raw: OpaquePointer) throws(CryptoError) {
        self.raw = raw
        do {
            components = try Self.components(of: raw)
        } catch {
            EVP_PKEY_free(raw)
            throw error
        }
    }

    /// The key of a certificate.
    convenience init(of certificate: OpaquePointer) throws(CryptoError) {
        try self.init(owning: check(X509_get_pubkey(certificate), "X509_get_pubkey"))
    }

    deinit { EVP_PKEY_free(raw) }

    func withPointer<Result: ~Copyable, Failure: Error>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(raw)
    }

    static func generate(_ algorithm: KeyAlgorithm) throws(CryptoError) -> KeyHandle {
        let name =
            switch algorithm {
            case .rsa: "RSA"
            case .p256: "EC"
            case .ed25519: "ED25519"
            }
        let context: OpaquePointer = try check(EVP_PKEY_CTX_new_from_name(nil, name, nil), "EVP_PKEY_CTX_new_from_name")
        defer { EVP_PKEY_CTX_free(context) }
        try check(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        switch algorithm {
        case .rsa(let bits):
            guard RSAKeyRules.bits.contains(bits) else { throw .weakKey("an RSA key has \(RSAKeyRules.bits) bits") }
            try check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)), "EVP_PKEY_CTX_set_rsa_keygen_bits")
        case .p256:
            try check(EVP_PKEY_CTX_set_group_name(context, p256Name), "EVP_PKEY_CTX_set_group_name")
        case .ed25519: break
        }
        var key: OpaquePointer?
        try check(EVP_PKEY_generate(context, &key), "EVP_PKEY_generate")
        return try KeyHandle(owning: check(key, "EVP_PKEY_generate"))
    }

    /// A public key from its numbers. The caller must check the rules for RSA; points off the curve are refused here.
    static func make(_ components: KeyComponents) throws(CryptoError) -> KeyHandle {
        switch components {
        case .rsa(let modulus, let exponent):
            return try make("RSA", [.number(OSSL_PKEY_PARAM_RSA_N, modulus), .number(OSSL_PKEY_PARAM_RSA_E, exponent)])
        case .p256(let x, let y):
            guard x.count == 32, y.count == 32 else { throw .malformedKey("P-256 coordinates have 32 bytes") }
            let handle = try make("EC", [.text(OSSL_PKEY_PARAM_GROUP_NAME, p256Name), .bytes(OSSL_PKEY_PARAM_PUB_KEY, [4] + x + y)])
            let context: OpaquePointer = try check(EVP_PKEY_CTX_new_from_pkey(nil, handle.raw, nil), "EVP_PKEY_CTX_new_from_pkey")
            defer { EVP_PKEY_CTX_free(context) }
            try check(EVP_PKEY_public_check(context), "EVP_PKEY_public_check")
            return handle
        case .ed25519(let bytes):
            guard bytes.count == 32 else { throw .malformedKey("an Ed25519 key has 32 bytes") }
            return try KeyHandle(
                owning: check(EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, 32), "EVP_PKEY_new_raw_public_key_ex"))
        }
    }

    private static func make(_ name: String, _ parameters: [Parameter]) throws(CryptoError) -> KeyHandle {
        let context: OpaquePointer = try check(EVP_PKEY_CTX_new_from_name(nil, name, nil), "EVP_PKEY_CTX_new_from_name")
        defer { EVP_PKEY_CTX_free(context) }
        try check(EVP_PKEY_fromdata_init(context), "EVP_PKEY_fromdata_init")
        var key: OpaquePointer?
        try withParameters(parameters) { parameters throws(CryptoError) in
            try check(EVP_PKEY_fromdata(context, &key, COpenSSL_publicKeySelection, parameters), "EVP_PKEY_fromdata")
        }
        return try KeyHandle(owning: check(key, "EVP_PKEY_fromdata"))
    }
}

extension KeyHandle {
    /// Reads a private key in PKCS #8, with nothing after it.
    static func read(pkcs8 der: [UInt8]) throws(CryptoError) -> KeyHandle {
        let key = der.withUnsafeBufferPointer { der -> OpaquePointer? in
            var position = der.baseAddress
            guard let info = d2i_PKCS8_PRIV_KEY_INFO(nil, &position, der.count) else { return nil }
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            return position == der.baseAddress.map { $0 + der.count } ? EVP_PKCS82PKEY(info) : nil
        }
        guard let key else {
            ERR_clear_error()
            throw .malformedKey("not a PKCS #8 private key")
        }
        return try KeyHandle(owning: key)
    }

    /// The private half in PKCS #8.
    func pkcs8() -> [UInt8] {
        let info: OpaquePointer = must(EVP_PKEY2PKCS8(raw), "EVP_PKEY2PKCS8")
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return encodeDER("i2d_PKCS8_PRIV_KEY_INFO") { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
    }

    /// The public half as a SubjectPublicKeyInfo.
    func spki() -> [UInt8] { encodeDER("i2d_PUBKEY") { i2d_PUBKEY(raw, $0) } }

    fileprivate static let p256Name = "prime256v1"

    fileprivate static func components(of key: OpaquePointer) throws(CryptoError) -> KeyComponents {
        if EVP_PKEY_is_a(key, "RSA") == 1 {
            return try .rsa(modulus: number(key, OSSL_PKEY_PARAM_RSA_N), exponent: number(key, OSSL_PKEY_PARAM_RSA_E))
        }
        if EVP_PKEY_is_a(key, "EC") == 1 {
            var name = [UInt8](repeating: 0, count: 64)
            var length = 0
            let named = name.withUnsafeMutableBytes {
                EVP_PKEY_get_group_name(key, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, &length)
            }
            guard named == 1, name.prefix(length).elementsEqual(p256Name.utf8) else {
                ERR_clear_error()
                throw .unsupported("elliptic curves other than P-256")
            }
            return try .p256(
                x: number(key, OSSL_PKEY_PARAM_EC_PUB_X, length: 32), y: number(key, OSSL_PKEY_PARAM_EC_PUB_Y, length: 32))
        }
        if EVP_PKEY_is_a(key, "ED25519") == 1 {
            var bytes = [UInt8](repeating: 0, count: 32)
            var length = bytes.count
            try check(EVP_PKEY_get_raw_public_key(key, &bytes, &length), "EVP_PKEY_get_raw_public_key")
            return .ed25519(bytes)
        }
        throw .unsupported("keys other than RSA, EC and Ed25519")
    }

    /// - Parameter length: the number of bytes; 0 for as many as the number needs.
    private static func number(_ key: OpaquePointer, _ name: String, length: Int = 0) throws(CryptoError) -> [UInt8] {
        var number: OpaquePointer?
        try check(EVP_PKEY_get_bn_param(key, name, &number), "EVP_PKEY_get_bn_param")
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: length == 0 ? (Int(BN_num_bits(number)) + 7) / 8 : length)
        guard BN_bn2binpad(number, &bytes, Int32(bytes.count)) >= 0 else { throw .failed("BN_bn2binpad") }
        return bytes
    }
}

/// Runs one of OpenSSL's `i2d` calls twice: for the length, and for the bytes.
func encodeDER(_ call: StaticString, _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
    let length = Int(encode(nil))
    must(length > 0, call)
    return [UInt8](unsafeUninitializedCapacity: length) { out, count in
        var position = out.baseAddress
        count = Int(encode(&position))
        must(count == length, call)
    }
}
