import Crypto
import TestKit
import Testing
@testable import WebAuthn

@Suite struct CredentialKeyTests {
    static let p256 = try? PrivateKey.generate(.p256).publicKey.components
    static let ed25519 = try? PrivateKey.generate(.ed25519).publicKey.components

    typealias Members = [(Int64, [UInt8])]

    static func members(_ components: KeyComponents?) -> Members {
        switch components {
        case .p256(let x, let y):
            [
                (1, CBORText.integer(2)), (3, CBORText.integer(-7)), (-1, CBORText.integer(1)), (-2, CBORText.bytes(x)),
                (-3, CBORText.bytes(y)),
            ]
        case .ed25519(let point):
            [(1, CBORText.integer(1)), (3, CBORText.integer(-8)), (-1, CBORText.integer(6)), (-2, CBORText.bytes(point))]
        case .rsa(let modulus, let exponent):
            [(1, CBORText.integer(3)), (3, CBORText.integer(-257)), (-1, CBORText.bytes(modulus)), (-2, CBORText.bytes(exponent))]
        case nil: []
        }
    }

    static func replacing(_ label: Int64, by value: [UInt8]?, in members: Members) -> [UInt8] {
        CBORText.map(members.filter { $0.0 != label } + (value.map { [(label, $0)] } ?? []))
    }

    func check(_ cose: [UInt8], _ check: RefusedCheck, _ why: String) {
        #expect(throws: CeremonyError.refused(check), "\(why)") { try CredentialKey(cose: cose) }
    }

    @Test func `SEC-44 refuses keys of P-256 that are not what was offered`() {
        let members = Self.members(Self.p256)
        #expect((try? CredentialKey(cose: CBORText.map(members))) != nil)
        #expect((try? CredentialKey(cose: Self.replacing(99, by: [0xF5], in: members))) != nil, "another label is ignored")
        check(Self.replacing(1, by: CBORText.integer(1), in: members), .attestedData, "a type of Ed25519")
        check(Self.replacing(1, by: nil, in: members), .attestedData, "no type")
        check(Self.replacing(3, by: nil, in: members), .attestedData, "no algorithm")
        check(Self.replacing(3, by: CBORText.text("ES256"), in: members), .attestedData, "an algorithm by name")
        check(Self.replacing(3, by: CBORText.integer(-8), in: members), .attestedData, "EdDSA with this key")
        check(Self.replacing(3, by: CBORText.integer(-35), in: members), .algorithm, "ES384")
        check(Self.replacing(3, by: CBORText.integer(-47), in: members), .algorithm, "ES256K")
        check(Self.replacing(3, by: CBORText.integer(5), in: members), .algorithm, "HMAC")
        check(Self.replacing(-1, by: CBORText.integer(2), in: members), .attestedData, "P-384")
        check(Self.replacing(-3, by: [0xF5], in: members), .attestedData, "a compressed point")
        check(Self.replacing(-2, by: CBORText.bytes([UInt8](repeating: 0, count: 32)), in: members), .attestedData, "off the curve")
        check(Self.replacing(-2, by: CBORText.bytes([UInt8](repeating: 1, count: 31)), in: members), .attestedData, "31 bytes")
        check(Self.replacing(-2, by: CBORText.bytes([UInt8](repeating: 1, count: 33)), in: members), .attestedData, "33 bytes")
        check(Self.replacing(-4, by: CBORText.bytes([1]), in: members), .attestedData, "a private member")
        let zero = CBORText.bytes([UInt8](repeating: 0, count: 32))
        check(
            CBORText.map(members.filter { $0.0 > -2 } + [(-2, zero), (-3, zero)]), .attestedData, "the point at infinity as zeros")
        check(CBORText.map(members) + [0], .attestedData, "a byte behind it")
        check([], .attestedData, "nothing")
    }

    @Test(
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000080",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        ])
    func `SEC-44 refuses points of low order`(hex: String) throws {
        let point = try #require(Hex.decode(hex))
        check(Self.replacing(-2, by: CBORText.bytes(point), in: Self.members(Self.ed25519)), .attestedData, "low order")
    }

    /// 3 and 4 are coordinates of points; 2 and 7 are not, and 2^255 - 16 is 3 again, in a form that is not the shortest.
    @Test(arguments: [(UInt8(3), true), (4, true), (2, false), (7, false), (0xF0, false)])
    func `SEC-44 refuses points off the curve of Ed25519`(y: UInt8, isPoint: Bool) {
        let rest: [UInt8] = y < 0xF0 ? [UInt8](repeating: 0, count: 31) : [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        let key = Self.replacing(-2, by: CBORText.bytes([y] + rest), in: Self.members(Self.ed25519))
        guard isPoint else { return check(key, .attestedData, "y = \(y)") }
        #expect((try? CredentialKey(cose: key)) != nil)
    }

    @Test func `SEC-44 refuses keys of Ed25519 and RSA that are not what was offered`() throws {
        let ed = Self.members(Self.ed25519)
        #expect((try? CredentialKey(cose: CBORText.map(ed))) != nil)
        check(Self.replacing(-1, by: CBORText.integer(7), in: ed), .attestedData, "Ed448")
        check(Self.replacing(-2, by: CBORText.bytes([1]), in: ed), .attestedData, "one byte")
        check(Self.replacing(-4, by: CBORText.bytes([1]), in: ed), .attestedData, "a private member")
        let authenticator = try SoftAuthenticator(.rs256)
        guard case .rsa(let modulus, let exponent) = authenticator.key.publicKey.components else { return }
        let rsa = Self.members(.rsa(modulus: modulus, exponent: exponent))
        #expect((try? CredentialKey(cose: CBORText.map(rsa))) != nil)
        check(Self.replacing(-1, by: CBORText.bytes([0] + modulus), in: rsa), .attestedData, "a zero before the modulus")
        check(Self.replacing(-2, by: CBORText.bytes([0, 1, 0, 1]), in: rsa), .attestedData, "a zero before the exponent")
        check(Self.replacing(-2, by: CBORText.bytes([1]), in: rsa), .attestedData, "an exponent of 1")
        check(Self.replacing(-1, by: CBORText.bytes(Array(modulus.prefix(128))), in: rsa), .attestedData, "1024 bits")
        for label in Int64(-12) ... -3 {
            check(Self.replacing(label, by: CBORText.bytes([1]), in: rsa), .attestedData, "the private member \(label)")
        }
    }
}
