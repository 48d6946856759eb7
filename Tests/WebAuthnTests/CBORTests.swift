import Crypto
import TestKit
import Testing
import Text
@testable import WebAuthn

@Suite struct CBORTests {
    @Test(
        arguments: [
            ("00", .integer(0)), ("17", .integer(23)), ("1818", .integer(24)), ("1903e8", .integer(1000)), ("20", .integer(-1)),
            ("390100", .integer(-257)), ("1a00010000", .integer(65536)), ("1b0000000100000000", .integer(1 << 32)),
            ("3b7fffffffffffffff", .integer(.min)), ("420102", .bytes([1, 2])), ("60", .text("")), ("62c3bc", .text("ü")),
            ("80", .array([])), ("820102", .array([.integer(1), .integer(2)])), ("a0", .map([:])),
            ("a201022003", .map([1: .integer(2), -1: .integer(3)])), ("f4", .bool(false)), ("f5", .bool(true)),
            ("8181818100", .array([.array([.array([.array([.integer(0)])])])])),
        ] as [(String, CBOR)])
    func `reads an item in its shortest form`(hex: String, item: CBOR) throws {
        #expect(CBOR.parse(try #require(Hex.decode(hex))) == item)
    }

    @Test(
        arguments: [
            ("", "nothing"), ("0000", "a byte is left over"), ("1817", "23 in two bytes"), ("190018", "24 in three bytes"),
            ("1a0000ffff", "65535 in five bytes"), ("1b00000000ffffffff", "2^32 - 1 in nine bytes"), ("5801aa", "a length in two bytes"),
            ("1c", "a reserved length"), ("1d", "a reserved length"), ("1e", "a reserved length"), ("18", "the number is missing"),
            ("1bffffffffffffffff", "beyond 63 bits"), ("3bffffffffffffffff", "beyond 63 bits"), ("42aa", "a byte is missing"),
            ("5b7fffffffffffffff", "a length of many bytes"), ("9b7fffffffffffffff", "a count of many items"),
            ("bb7fffffffffffffff", "a count of many members"), ("5fff", "bytes without a length"), ("7fff", "a text without a length"),
            ("9fff", "a list without a count"), ("bfff", "a map without a count"), ("ff", "an end without a beginning"),
            ("c000", "a tag"), ("d81800", "a tag"), ("f6", "null"), ("f7", "undefined"), ("f800", "a simple value"),
            ("f814", "false in two bytes"), ("f90000", "a half float"), ("fa00000000", "a float"), ("fb0000000000000000", "a double"),
            ("61ff", "not UTF-8"), ("62c328", "not UTF-8"), ("63eda080", "half a surrogate pair"), ("a201020103", "a key twice"),
            ("a26161006161f4", "a key twice"), ("a14100", "a member without a value"), ("a18000", "a list as a key"),
            ("a1a000", "a map as a key"), ("a1f500", "a truth value as a key"), ("818181818100", "five levels"),
            ("a100a100a100a100a100", "five levels"),
        ])
    func `refuses everything else`(hex: String, why: String) throws {
        #expect(CBOR.parse(try #require(Hex.decode(hex))) == nil, "\(why)")
    }

    @Test func `takes no memory for a count that is only stated`() {
        // Four billion members of which none is there, as often as a second allows.
        for _ in 0..<10_000 { #expect(CBOR.parse([0xBA, 0xFF, 0xFF, 0xFF, 0xFF]) == nil) }
    }

    @Test func `finds keys that stand twice among thousands without comparing each with each`() {
        let count = 20_000
        let members = (0..<count).map { (CBORText.head(0, $0), [UInt8(0)]) }
        let body = members.flatMap { $0 + $1 }
        let head: [UInt8] = [0xB9, UInt8(count >> 8), UInt8(count & 0xFF)]
        #expect(CBOR.parse(head + body)?.map?.count == count)
        let more: [UInt8] = [0xB9, UInt8((count + 1) >> 8), UInt8((count + 1) & 0xFF)]
        #expect(CBOR.parse(more + body + [0x05, 0x00]) == nil)
    }
}
