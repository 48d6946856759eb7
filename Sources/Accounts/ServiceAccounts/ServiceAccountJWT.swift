import JOSE
import JSON
import Text

/// A JWT that says it comes from a service account: a custom token, or an assertion. It is unverified until `signer(among:)` has found the key.
struct ServiceAccountJWT: Sendable {
    private let token: UnverifiedJWT

    /// Always an object.
    var claims: JSON { token.claims }
    /// The id of the key; not all Admin SDKs send it.
    var keyID: UTF8Text? { token.kid }
    /// Header and payload as they were sent.
    var signedBytes: [UInt8] { token.signature.signedBytes }

    /// The reason why a text is not such a token, for the developer of the back end.
    struct Fault: Error {
        let text: String

        static let malformed = Fault(text: "Invalid assertion format. 3 dot separated segments required.")
        static let algorithm = Fault(text: "The token must be signed with RS256.")
    }

    static func parse(_ text: UTF8Text, as kind: TokenKind) throws(Fault) -> ServiceAccountJWT {
        let token: UnverifiedJWT
        do { token = try UnverifiedJWT.parse(text.asString, as: kind) } catch {
            switch error {
            case .unsupportedAlgorithm: throw .algorithm
            case .tooLarge: throw Fault(text: "The token is too large.")
            case .wrongKind(let reason): throw Fault(text: "The token is of another kind: \(reason).")
            default: throw .malformed
            }
        }
        guard token.algorithm == .rs256 else { throw .algorithm }
        // It becomes part of a query, which cannot contain U+0000.
        guard token.kid?.hasNUL != true else { throw Fault(text: "kid holds a control character.") }
        return ServiceAccountJWT(token: token)
    }

    /// The key that signed the token; `nil` when none of `keys` did.
    func signer(among keys: [ServiceAccountKey]) -> ServiceAccountKey? {
        // One key at a time: in a set of several, a `kid` would have to choose the key, and the token need not have one.
        keys.first { key in (try? token.verified(with: JWKSet([key.key]), algorithms: [.rs256])) != nil }
    }
}
