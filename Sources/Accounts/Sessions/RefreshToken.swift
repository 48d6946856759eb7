import Crypto

/// A refresh token: the project, the session, the generation, and a MAC over the three.
///
/// Clients cannot read it. The MAC's key comes from the master key, so a copy of the database is not enough to make a token, and the next
/// token can be computed again when an answer was lost; see docs/adr/0005.
struct RefreshToken: Equatable {
    let projectNumber: Int64
    let sessionID: [UInt8]
    let generation: Int64

    private static let bodyCount = 1 + 8 + 16 + 8
    private static let version: UInt8 = 1

    init(projectNumber: Int64, sessionID: [UInt8], generation: Int64) {
        self.projectNumber = projectNumber
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
    static func isWellFormed(_ text: String) -> Bool { bytes(text)?.first == version }

    private static func bytes(_ text: String) -> [UInt8]? {
        Base64URL.decodeStrict(text).flatMap { $0.count == bodyCount + 32 ? $0 : nil }
    }

    /// `nil` for a text that this key did not make.
    init?(_ text: String, key: [UInt8]) {
        guard let bytes = Self.bytes(text) else { return nil }
        let body = Array(bytes[..<Self.bodyCount])
        guard constantTimeEqual(Array(bytes[Self.bodyCount...]), Digest.hmacSHA256(key: key, body)) else { return nil }
        guard body[0] == Self.version else { return nil }
        projectNumber = Int64(bigEndianBytes: body[1..<9])
        sessionID = Array(body[9..<25])
        generation = Int64(bigEndianBytes: body[25..<33])
    }

    func text(key: [UInt8]) -> String {
        var body: [UInt8] = [Self.version]
        body.reserveCapacity(Self.bodyCount + 32)
        body += projectNumber.bigEndianBytes
        body += sessionID
        body += generation.bigEndianBytes
        return Base64URL.encode(body + Digest.hmacSHA256(key: key, body))
    }
}
