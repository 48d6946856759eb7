import Crypto
import Testing

@Suite struct Base64Tests {
    /// RFC 4648 §10, without its padding.
    static let vectors = [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ]

    @Test(arguments: vectors) func `writes and reads base64url`(text: String, encoded: String) {
        #expect(Base64URL.encode(Array(text.utf8)) == encoded)
        #expect(Base64URL.decodeStrict(encoded) == Array(text.utf8))
        #expect(Base64URL.decodeStrict(encoded[...]) == Array(text.utf8))
        #expect(Base64URL.decodeStrict(Array(encoded.utf8)) == Array(text.utf8))
    }

    @Test(arguments: vectors) func `writes padded base64 and reads it either way`(text: String, encoded: String) {
        let padded = encoded + String(repeating: "=", count: (4 - encoded.count % 4) % 4)
        #expect(Base64.encode(Array(text.utf8)) == padded)
        #expect(Base64.decode(padded) == Array(text.utf8))
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test func `uses every digit of each alphabet`() {
        let bytes = (0..<48).map { UInt8(truncatingIfNeeded: $0 &* 85 &+ 3) } + [0xFB, 0xFF, 0xBF]
        #expect(Base64URL.decodeStrict(Base64URL.encode(bytes)) == bytes)
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(Base64.decode(Base64URL.encode(bytes)) == bytes)
        #expect(Base64URL.encode([0xFB, 0xFF, 0xBF]) == "-_-_")
        #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
    }

    @Test(arguments: ["Zg==", "Zg=", "Z", "Zm9vY", "Zm 9v", "Zm9v\n", "+/+/", "Zh", "Zm9=", "Zm9vé", "Zm.v", "Zm9\u{0}"])
    func `SEC-12 refuses base64url that has a second spelling`(text: String) {
        #expect(Base64URL.decodeStrict(text) == nil)
    }

    @Test(arguments: ["Zg=", "Zg===", "=", "====", "Z", "Zh", "Zm9v====", "Zm=v", "Zm9v Zm9v"])
    func `refuses base64 that is not whole`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `makes tokens of 43 characters that differ`() {
        let token = Random.token()
        #expect(token.utf8.count == 43)
        #expect(token != Random.token())
        #expect(Random.bytes(0) == [])
        #expect(Random.bytes(7).count == 7)
    }
}
