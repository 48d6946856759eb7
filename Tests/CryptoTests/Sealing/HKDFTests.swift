import Testing

@testable import Crypto

/// Known answers of RFC 5869, appendix A.
@Suite struct HKDFTests {
    @Test func `derives test case 1 of RFC 5869`() {
        let key = HKDF.sha256(
            secret: [UInt8](repeating: 0x0b, count: 22), salt: hex("000102030405060708090a0b0c"), info: hex("f0f1f2f3f4f5f6f7f8f9"),
            length: 42)
        #expect(key == hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
    }

    @Test func `derives test case 3 of RFC 5869, without salt or info`() {
        let key = HKDF.sha256(secret: [UInt8](repeating: 0x0b, count: 22), salt: [], info: "", length: 42)
        #expect(key == hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test func `gives another key for another purpose`() {
        let secret = [UInt8](repeating: 7, count: 32)
        #expect(
            HKDF.sha256(secret: secret, salt: [], info: "a", length: 32) != HKDF.sha256(secret: secret, salt: [], info: "b", length: 32))
    }
}
