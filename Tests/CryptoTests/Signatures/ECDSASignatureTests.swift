import Testing

@testable import Crypto

@Suite struct ECDSASignatureTests {
    static func number(_ bytes: [UInt8]) -> [UInt8] { [0x02, UInt8(bytes.count)] + bytes }
    static func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }
    static let one = [UInt8](repeating: 0, count: 31) + [1]
    static let high = [UInt8](repeating: 0xFF, count: 32)

    @Test(arguments: [(one, one), (high, one), (one, high), (high, high), ([0, 0x80] + one.dropFirst(2), one)])
    func `goes to DER and back`(r: [UInt8], s: [UInt8]) throws {
        let der = try #require(ECDSASignature.der(raw: r + s))
        #expect(ECDSASignature.raw(der: der) == r + s)
    }

    @Test func `writes the shortest DER`() {
        #expect(ECDSASignature.der(raw: Self.one + Self.high) == Self.sequence(Self.number([1]) + Self.number([0] + Self.high)))
    }

    @Test func `SEC-12 refuses zero as either half of a signature`() {
        let zero = [UInt8](repeating: 0, count: 32)
        for raw in [zero + zero, zero + Self.one, Self.one + zero] { #expect(ECDSASignature.der(raw: raw) == nil) }
    }

    @Test(arguments: [0, 32, 63, 65, 72, 128]) func `SEC-12 refuses a signature that is not of 64 bytes`(count: Int) {
        #expect(ECDSASignature.der(raw: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func `refuses DER that is not the only DER of two positive numbers`() {
        let good = Self.sequence(Self.number([1]) + Self.number([2]))
        #expect(ECDSASignature.raw(der: good) != nil)
        let bad: [[UInt8]] = [
            [], [0x30], [0x30, 0], Array(good.dropLast()), good + [0], [0x31] + good.dropFirst(),
            [0x30, 0x81, 6] + good.dropFirst(2),
            Self.sequence(Self.number([1])), Self.sequence(Self.number([1]) + Self.number([2]) + Self.number([3])),
            Self.sequence(Self.number([]) + Self.number([2])), Self.sequence(Self.number([0x80]) + Self.number([2])),
            Self.sequence(Self.number([0, 1]) + Self.number([2])), Self.sequence(Self.number([1] + Self.high) + Self.number([2])),
            Self.sequence(Self.number([0] + [1] + Self.high) + Self.number([2])), Self.sequence([0x02, 200, 1] + Self.number([2])),
            Self.sequence([0x03, 1, 1] + Self.number([2])), Self.sequence(Self.number([1]) + [0x02]),
        ]
        for der in bad { #expect(ECDSASignature.raw(der: der) == nil, "\(der)") }
    }
}
