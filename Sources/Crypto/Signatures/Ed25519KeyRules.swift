import COpenSSL

/// The check that an Ed25519 key must pass before anything is verified with it: OpenSSL takes any 32 bytes for a key, and looks at them only
/// when it verifies.
enum Ed25519KeyRules {
    /// The y coordinates of the points whose order divides 8, least significant byte first: with such a key, one signature can be good for
    /// many messages. The top bit, which is the sign of x, is left out.
    /// <https://www.rfc-editor.org/rfc/rfc8032#section-5.1.3>
    private static let lowOrder: Set<[UInt8]> = {
        let order8 = [
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ].compactMap(Hex.decode)
        let nearZero: [[UInt8]] = [0, 1].map { [$0] + [UInt8](repeating: 0, count: 31) }
        // p - 1; p and p + 1, which would be 0 and 1, are refused as numbers that are not below p.
        let nearPrime: [UInt8] = [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        return Set(order8 + nearZero + [nearPrime])
    }()

    static func check(_ point: [UInt8]) throws(CryptoError) {
        guard point.count == 32 else { throw .malformedKey("an Ed25519 key has 32 bytes") }
        var y = point
        y[31] &= 0x7F
        guard !lowOrder.contains(y) else { throw .weakKey("an Ed25519 key of low order") }
        guard try Edwards25519.hasPoint(y) else { throw .malformedKey("an Ed25519 key that is not a point of the curve") }
    }
}

/// The curve of Ed25519. <https://www.rfc-editor.org/rfc/rfc8032#section-5.1>
private enum Edwards25519 {
    /// Whether a point has this y, least significant byte first, in its shortest form: x² = (y² - 1) / (d y² + 1) modulo p has a solution
    /// where the product of the two numbers is a square.
    static func hasPoint(_ y: [UInt8]) throws(CryptoError) -> Bool {
        let context: OpaquePointer = try check(BN_CTX_new(), "BN_CTX_new")
        defer { BN_CTX_free(context) }
        let p = try number("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed")
        let d = try number("52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3")
        let (y, numerator) = (try number(Hex.encode(y.reversed())), try number("0"))
        defer { for number in [p, d, y, numerator] { BN_free(number) } }
        guard BN_cmp(y, p) < 0 else { return false }
        try check(BN_mod_sqr(y, y, p, context), "BN_mod_sqr")
        _ = try check(BN_copy(numerator, y), "BN_copy")
        try check(BN_sub_word(numerator, 1), "BN_sub_word")
        try check(BN_mod_mul(d, d, y, p, context), "BN_mod_mul")
        try check(BN_add_word(d, 1), "BN_add_word")
        try check(BN_mod_mul(numerator, numerator, d, p, context), "BN_mod_mul")
        return BN_kronecker(numerator, p, context) == 1
    }

    private static func number(_ hex: String) throws(CryptoError) -> OpaquePointer {
        var number: OpaquePointer?
        BN_hex2bn(&number, hex)
        return try check(number, "BN_hex2bn")
    }
}
