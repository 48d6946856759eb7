import Crypto
import Text

/// How the nonce that an app posts must relate to the one in its ID token: the app sends a hash to the provider, and the raw value to us.
enum NonceRule: String, Sendable, CaseIterable {
    /// `hex(sha256(raw))`, or no nonce on both sides.
    case sha256
    /// The hash or the raw value itself, or no nonce on both sides.
    case rawOrSha256
    /// The hash; a nonce is required.
    case required
    /// The hash, where the app posts a nonce; a token may have one that the app does not post, since the provider's own SDK added it.
    case ifPosted
    /// The provider puts no nonce into its tokens. So nothing shows when a token was asked for, and one that an app posts is not accepted.
    case unsupported

    /// Whether `claim`, the token's nonce, is the one that we sent to the provider.
    func allows(sent ours: String, claim: UTF8Text?) -> Bool {
        self == .unsupported && claim == nil || !ours.isEmpty && ours.isExactly(claim)
    }

    /// Whether `claim`, the token's nonce, fits the posted one. A nonce that is posted never fits a token without one.
    func allows(posted raw: UTF8Text?, claim: UTF8Text?) -> Bool {
        switch (raw, claim) {
        case _ where self == .unsupported: false
        case (nil, nil): self != .required
        case (let raw?, let claim?):
            raw.isEmpty ? false : claim == Self.hash(raw) || self == .rawOrSha256 && claim == raw
        case (nil, _?): self == .ifPosted
        case (_?, nil): false
        }
    }

    /// Lower-case hex. Upper case, base64 and double hashing are mistakes of other SDKs and are refused.
    static func hash(_ raw: UTF8Text) -> String {
        Hex.encode(Digest.sha256(Array(raw.utf8)))
    }
}
