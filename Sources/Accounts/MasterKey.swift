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

    /// Reads 32 bytes written as base64 or as 64 hex digits; `nil` when the text is neither.
    package init?(text: String) {
        let text = String(text.filter { !$0.isWhitespace })
        let readings = [Hex.decode(text), Base64.decode(text)].compactMap { $0 }
        guard let bytes = readings.first(where: { $0.count == 32 }) else { return nil }
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
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
