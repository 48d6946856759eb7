import Crypto

/// The one secret an operator keeps: 32 bytes, from which every key that must not lie in the database is derived.
///
/// Losing it ends all sessions and flows and makes the stored signing keys unreadable; accounts stay.
package struct MasterKey: Sendable {
    /// Seals signing keys at rest.
    let signingKeys: SealingKey
    /// Seals what a sign-in flow must remember and no reader of the database may learn.
    let flows: SealingKey
    /// Seals pending tokens, which travel through clients.
    let pendingTokens: SealingKey
    /// Seals mails that wait to be sent, since they hold links that work.
    let outbox: SealingKey
    /// Authenticates refresh tokens.
    let refreshTokens: [UInt8]
    /// Mixed with a flow's one-time code into the key that seals the provider's answer.
    let flowResponses: [UInt8]

    /// `bytes` are 32 from a good source.
    package init(bytes: [UInt8]) {
        func derived(_ purpose: String) -> [UInt8] {
            HKDF.sha256(secret: bytes, salt: [], info: "gatehouse \(purpose)", length: 32)
        }
        signingKeys = SealingKey(derived("signing keys"))
        flows = SealingKey(derived("flows"))
        pendingTokens = SealingKey(derived("pending tokens"))
        outbox = SealingKey(derived("mail outbox"))
        refreshTokens = derived("refresh tokens")
        flowResponses = derived("flow responses")
    }

    /// Why a text is not a master key.
    package enum TextFault: Error {
        case notAKey
        /// Random bytes do not repeat so much: somebody typed them, or nothing filled them.
        case notRandom

        /// What to tell the operator, after the key's name.
        package var message: String {
            let remedy = "make a key with: openssl rand -base64 32"
            return switch self {
            case .notAKey: "is not 32 bytes as base64 or hex; \(remedy)"
            case .notRandom: "repeats the same few bytes, so it can be guessed; \(remedy)"
            }
        }
    }

    /// Of 32 random bytes, fewer than so many different ones occur once in 10^15 keys.
    private static let fewestDifferentBytes = 16

    /// Reads 32 bytes written as base64 or as 64 hex digits.
    package init(text: String) throws(TextFault) {
        let text = String(decoding: text.utf8.filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }, as: UTF8.self)
        let readings = [Hex.decode(text), Base64.decode(text)].compactMap { $0 }
        guard let bytes = readings.first(where: { $0.count == 32 }) else { throw .notAKey }
        guard Set(bytes).count >= Self.fewestDifferentBytes else { throw .notRandom }
        self.init(bytes: bytes)
    }
}

/// Hexadecimal digits, both cases in, lower case out.
package enum Hex {
    package static func encode(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += String(byte >> 4, radix: 16)
            text += String(byte & 15, radix: 16)
        }
    }

    package static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(digit)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Of ASCII alone: Unicode has digits that only look the same.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
