import Crypto
import JSON
import Text

/// The browser's statement about a ceremony: which one it was, for which challenge, and on which page.
/// <https://w3c.github.io/webauthn/#dictionary-client-data>
struct ClientData: Sendable, Equatable {
    let type: UTF8Text
    let challenge: [UInt8]
    let origin: UTF8Text
    /// Whether the page was in a frame of another origin's page.
    let isCrossOrigin: Bool
    /// The origin of the page around it.
    let topOrigin: UTF8Text?
    /// SHA-256 of the bytes as they came, which the authenticator has signed.
    let hash: [UInt8]

    init(_ bytes: [UInt8]) throws(CeremonyError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        guard bytes.count <= WebAuthn.Limits.clientData, let json = try? JSON.parse(text), json.object != nil,
            let type = json["type"]?.string, let origin = json["origin"]?.string,
            let challenge = json["challenge"]?.string.flatMap({ Base64URL.decodeStrict($0.utf8) })
        else { throw .refused(.clientData) }
        switch json["crossOrigin"] {
        case nil: isCrossOrigin = false
        case .bool(let flag): isCrossOrigin = flag
        default: throw .refused(.clientData)
        }
        switch json["topOrigin"] {
        case nil: topOrigin = nil
        case .string(let text): topOrigin = text
        default: throw .refused(.clientData)
        }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        hash = Digest.sha256(bytes)
    }
}
