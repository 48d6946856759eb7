import HTTP
import Testing

@testable import HTTPServer
import Text

@Suite struct ByteTests {
    @Test func `knows the bytes of a token`() {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
        for byte in UInt8.min...UInt8.max { #expect(Byte.isToken(byte) == tokens.contains(byte), "\(byte)") }
    }
}
