import Crypto
import Testing

@Suite struct Base32Tests {
    /// <https://www.rfc-editor.org/rfc/rfc4648#section-10>
    @Test(arguments: [
        ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
        // Python 3.11, base64.b32encode.
        ("12345678901234567890", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
    ])
    func `writes and reads the vectors of the standard`(text: String, encoded: String) {
        #expect(Base32.encode(Array(text.utf8)) == encoded)
        #expect(Base32.decode(encoded) == Array(text.utf8))
        #expect(Base32.decode(encoded.lowercased()) == Array(text.utf8))
    }

    @Test(arguments: [("MY======", "f"), ("MZXW6===", "foo"), ("MZXW6YTB", "fooba")])
    func `reads padding`(encoded: String, text: String) { #expect(Base32.decode(encoded) == Array(text.utf8)) }

    @Test(arguments: ["M", "MZX", "MZXW6Y", "MY=", "MZ1W", "MZ0W", "MZ8W", "M Y", "MZXW6YTBÖ"])
    func `refuses what no bytes have`(text: String) { #expect(Base32.decode(text) == nil) }

    @Test func `reads back all bytes`() {
        let bytes = Array(UInt8.min...UInt8.max)
        for count in 0...bytes.count { #expect(Base32.decode(Base32.encode(Array(bytes[..<count]))) == Array(bytes[..<count])) }
    }
}
