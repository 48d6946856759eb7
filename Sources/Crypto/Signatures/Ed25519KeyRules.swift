/// The check that an Ed25519 key must pass before anything is verified with it. OpenSSL accepts points of low order as keys, and for those
/// one signature can be good for many messages.
enum Ed25519KeyRules {
    /// The y coordinates of the points whose order divides 8, least significant byte first, each in every form that decodes to it. The top
    /// bit, which is the sign of x, is left out.
    /// <https://www.rfc-editor.org/rfc/rfc8032#section-5.1.3>
    private static let lowOrder: Set<[UInt8]> = {
        let order8 = [
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        ].compactMap(Hex.decode)
        let nearZero: [[UInt8]] = [0, 1].map { [$0] + [UInt8](repeating: 0, count: 31) }
        // p - 1, and p and p + 1, which are other forms of 0 and 1.
        let nearPrime: [[UInt8]] = [0xEC, 0xED, 0xEE].map { [$0] + [UInt8](repeating: 0xFF, count: 30) + [0x7F] }
        return Set(order8 + nearZero + nearPrime)
    }()

    static func check(_ point: [UInt8]) throws(CryptoError) {
        guard let last = point.last else { throw .malformedKey("an Ed25519 key has 32 bytes") }
        guard !lowOrder.contains(point.dropLast() + [last & 0x7F]) else { throw .weakKey("an Ed25519 key of low order") }
    }
}
