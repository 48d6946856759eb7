import Crypto

/// A refresh token: the realm (`ProjectSettings.sessionNumber`), the session, the generation, and a MAC over the three.
///
/// Clients cannot read it. The MAC's key comes from the master key, so a copy of the database is not enough to make a token, and the next
/// token can be computed again when an answer was lost; see docs/adr/0005.
struct RefreshToken: Equatable {
    let realmNumber: Int64
    let sessionID: [UInt8]
    let generation: Int64

    private static let version: UInt8 = 1
    private static let bodyCount = 8 + 16 + 8

    init(realmNumber: Int64, sessionID: [UInt8], generation: Int64) {
        self.realmNumber = realmNumber
        self.sessionID = sessionID
        self.generation = generation
    }

    /// The token and the key that made it; `nil` when no listed key made it.
    static func read(_ text: String, keys: [RefreshTokenKey]) -> (token: RefreshToken, key: RefreshTokenKey)? {
        for key in keys {
            if let token = RefreshToken(text, key: key.bytes) { return (token, key) }
        }
        return nil
    }

    /// Whether the text has the form of a refresh token, whatever key made it.
    static func isWellFormed(_ text: String) -> Bool { MACToken.isWellFormed(text, version: version, bodyCount: bodyCount) }

    /// `nil` for a text that this key did not make.
    init?(_ text: String, key: [UInt8]) {
        guard let body = MACToken.body(of: text, version: Self.version, key: key), body.count == Self.bodyCount else { return nil }
        realmNumber = Int64(bigEndianBytes: body[..<8])
        sessionID = Array(body[8..<24])
        generation = Int64(bigEndianBytes: body[24...])
    }

    func text(key: [UInt8]) -> String {
        MACToken.text(version: Self.version, realmNumber.bigEndianBytes + sessionID + generation.bigEndianBytes, key: key)
    }
}
