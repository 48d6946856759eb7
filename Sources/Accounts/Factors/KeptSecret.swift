import Crypto
package import Text

/// A secret that a client keeps and shows again: 32 random bytes, on the wire as base64url.
package protocol KeptSecret: Sendable, Equatable {
    var bytes: [UInt8] { get }
    init(bytes: [UInt8])
}

extension KeptSecret {
    /// `nil` for a text that cannot be one.
    package init?(_ text: UTF8Text) {
        guard let bytes = Base64URL.decodeStrict(text.asString), bytes.count == 32 else { return nil }
        self.init(bytes: bytes)
    }

    package static func random() -> Self { Self(bytes: Random.bytes(32)) }

    package var text: String { Base64URL.encode(bytes) }
}
