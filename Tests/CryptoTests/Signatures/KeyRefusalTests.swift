import Testing

@testable import Crypto

/// Keys from outside that must not be trusted, and must not end the process.
@Suite struct KeyRefusalTests {
    /// An odd number of `bits` bits that is not a power of 65537 modulo small primes. Whether it has two prime factors does not matter
    /// here.
    static func modulus(bits: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xA7, count: (bits + 7) / 8)
        bytes[0] = UInt8(1 << ((bits - 1) % 8))
        return bytes
    }

    @Test(arguments: [512, 1024, 2047, 8193, 16384]) func `SEC-12 refuses an RSA key of the wrong size`(bits: Int) {
        #expect(throws: CryptoError.weakKey("an RSA key has 2048...8192 bits")) {
            try PublicKey(rsaModulus: Self.modulus(bits: bits), exponent: [1, 0, 1])
        }
    }

    @Test(arguments: [2048, 3072, 4096, 8192]) func `takes RSA keys of the usual sizes`(bits: Int) throws {
        #expect(try PublicKey(rsaModulus: [0, 0] + Self.modulus(bits: bits), exponent: [0, 1, 0, 1]).bits == bits)
        #expect(try PublicKey(rsaModulus: Self.modulus(bits: bits), exponent: [3]).bits == bits)
    }

    @Test(arguments: [[], [0], [1], [0, 0, 1], [2], [1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 1]] as [[UInt8]])
    func `SEC-12 refuses an RSA exponent of nothing, one, an even number or too many bits`(exponent: [UInt8]) {
        #expect(throws: CryptoError.self) { try PublicKey(rsaModulus: Self.modulus(bits: 2048), exponent: exponent) }
    }

    @Test func `SEC-12 refuses the RSA keys that one maker's chips made too guessable (CVE-2017-15361)`() throws {
        // Such keys are a power of 65537 modulo every small prime. 65537¹²⁸ itself is one, with 2049 bits.
        var power: [UInt8] = [1]
        for _ in 0..<128 {
            var (product, carry) = (power + [0, 0], 0)
            for index in product.indices.reversed() {
                carry += Int(product[index]) + (index >= 2 ? Int(power[index - 2]) : 0)
                product[index] = UInt8(carry & 255)
                carry >>= 8
            }
            power = carry > 0 ? [UInt8(carry)] + product : product
        }
        #expect(power.count == 257 && power[0] == 1)
        #expect(throws: CryptoError.weakKey("made by a generator whose keys can be factored (CVE-2017-15361)")) {
            try PublicKey(rsaModulus: power, exponent: [1, 0, 1])
        }
        power[200] ^= 1
        #expect(throws: Never.self) { try PublicKey(rsaModulus: power, exponent: [1, 0, 1]) }
    }

    @Test func `SEC-12 refuses an even RSA modulus and none at all`() {
        var even = Self.modulus(bits: 2048)
        even[255] = 0xA6
        #expect(throws: CryptoError.weakKey("an RSA modulus is odd")) { try PublicKey(rsaModulus: even, exponent: [1, 0, 1]) }
        #expect(throws: CryptoError.self) { try PublicKey(rsaModulus: [], exponent: [1, 0, 1]) }
        #expect(throws: CryptoError.self) { try PublicKey(rsaModulus: [0, 0], exponent: [1, 0, 1]) }
    }

    @Test func `SEC-12 refuses a point that is not on the curve, and a coordinate of another length`() throws {
        guard case .p256(let x, var y) = try PrivateKey.generate(.p256).publicKey.components else { return #expect(Bool(false)) }
        #expect(try PublicKey(p256X: x, y: y).components == .p256(x: x, y: y))
        #expect(throws: CryptoError.self) { try PublicKey(p256X: Array(x.dropLast()), y: y) }
        #expect(throws: CryptoError.self) { try PublicKey(p256X: x, y: [0] + y) }
        y[31] ^= 1
        #expect(throws: CryptoError.self) { try PublicKey(p256X: x, y: y) }
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        for (x, y) in [(zero, zero), (most, most), (zero, most)] { #expect(throws: CryptoError.self) { try PublicKey(p256X: x, y: y) } }
    }

    @Test func `refuses an Ed25519 key of another length`() {
        for count in [0, 31, 33] { #expect(throws: CryptoError.self) { try PublicKey(ed25519: [UInt8](repeating: 9, count: count)) } }
    }

    @Test func `SEC-12 refuses the signature of zeros that once fitted everything (CVE-2022-21449)`() throws {
        let key = try PrivateKey.generate(.p256).publicKey
        #expect(!key.verify([UInt8](repeating: 0, count: 64), of: Array("anything".utf8), .es256))
    }

    @Test func `refuses private keys that are broken, longer than they say, or of another kind`() throws {
        let der = try PrivateKey.generate(.p256).der
        for bytes in [[], [0x30], Array(der.dropLast()), der + [0], Array(der.reversed())] {
            #expect(throws: CryptoError.malformedKey("not a PKCS #8 private key")) { try PrivateKey(der: bytes) }
        }
        // An X25519 key, which can only be used for key agreement (RFC 8410).
        let agreement = hex("302e020100300506032b656e04220420" + String(repeating: "42", count: 32))
        #expect(throws: CryptoError.unsupported("keys other than RSA, EC and Ed25519")) { try PrivateKey(der: agreement) }
        // A key on secp256k1, another curve of the same size.
        let otherCurve = hex(
            "303e020100301006072a8648ce3d020106052b8104000a042730250201010420" + String(repeating: "42", count: 32))
        #expect(throws: CryptoError.unsupported("elliptic curves other than P-256")) { try PrivateKey(der: otherCurve) }
    }

    @Test func `makes no RSA key below 2048 bits`() {
        #expect(throws: CryptoError.weakKey("an RSA key has 2048...8192 bits")) { try PrivateKey.generate(.rsa(bits: 1024)) }
    }
}
