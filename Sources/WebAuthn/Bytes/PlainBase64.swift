import Crypto

/// Bytes whose base64 is the same text in every dialect: it has none of the signs in which the two alphabets differ, and needs no padding.
///
/// Some clients read only the standard alphabet with padding, others only base64url without it. Challenges and user handles are therefore
/// drawn until they are such bytes.
package enum PlainBase64 {
    /// Random bytes of this kind. `count` is a multiple of three.
    package static func random(_ count: Int, from source: (Int) -> [UInt8] = Random.bytes) -> [UInt8] { draw { source(count) } }

    /// The first bytes of this kind that `candidate` gives: for 33 bytes, one of four on average.
    static func draw(_ candidate: () -> [UInt8]) -> [UInt8] {
        while true {
            let bytes = candidate()
            if isPlain(bytes) { return bytes }
        }
    }

    static func isPlain(_ bytes: [UInt8]) -> Bool {
        bytes.count % 3 == 0 && Base64URL.encode(bytes).utf8.allSatisfy { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
    }
}
