import HTTP
import Testing

@testable import HTTPServer
import Text

@Suite struct ByteTests {
    @Test func `knows the bytes of a token`() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        for byte in UInt8.min...UInt8.max { #expect(Byte.isToken(byte) == tokens.contains(byte), "\(byte)") }
    }

    @Test func `draws request numbers that do not repeat or run in a row`() {
        var numbers = Counting()
        var ids = RequestIDs(using: &numbers)
        let drawn = (0..<10_000).map { _ in ids.next().value }
        #expect(Set(drawn).count == drawn.count)
        #expect(zip(drawn, drawn.dropFirst()).allSatisfy { $1 &- $0 != 1 })
    }
}

/// A fixed sequence of numbers in place of random ones.
struct Counting: RandomNumberGenerator {
    private var number: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next() -> UInt64 {
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return number
    }
}
