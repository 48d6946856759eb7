package import Crypto

/// The signature algorithms that are accepted. All other names are refused, above all `none` and the `HS` family.
/// <https://www.rfc-editor.org/rfc/rfc7518#section-3.1>, EdDSA (Ed25519) from <https://www.rfc-editor.org/rfc/rfc8037>
package enum Algorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case ps256 = "PS256"
    case edDSA = "EdDSA"

    package var scheme: SignatureScheme {
        switch self {
        case .rs256: .rs256
        case .es256: .es256
        case .ps256: .ps256
        case .edDSA: .edDSA
        }
    }
}
