/// A token that is not stored: a version, a body and an HMAC-SHA256 over both, in base64url. A holder of the key alone can make one; its
/// body can be read without the key. Each kind of token has a key of its own.
package enum MACToken {
    private static let macCount = 32
    /// In base64url; no MAC is computed over a longer text.
    private static let longest = 512

    package static func text(version: UInt8, _ body: [UInt8], key: [UInt8]) -> String {
        let bytes = [version] + body
        return Base64URL.encode(bytes + Digest.hmacSHA256(key: key, bytes))
    }

    /// The body; `nil` for a text that this key did not make, or made for another version.
    package static func body(of text: String, version: UInt8, key: [UInt8]) -> [UInt8]? {
        guard let bytes = decode(text), bytes[0] == version else { return nil }
        let signed = Array(bytes.dropLast(macCount))
        guard constantTimeEqual(Array(bytes.suffix(macCount)), Digest.hmacSHA256(key: key, signed)) else { return nil }
        return Array(signed.dropFirst())
    }

    /// Whether the text has the form of a token with a body of this length, whatever key made it.
    package static func isWellFormed(_ text: String, version: UInt8, bodyCount: Int) -> Bool {
        decode(text).map { $0[0] == version && $0.count == 1 + bodyCount + macCount } ?? false
    }

    private static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count <= longest else { return nil }
        return Base64URL.decodeStrict(text).flatMap { $0.count > macCount ? $0 : nil }
    }
}
