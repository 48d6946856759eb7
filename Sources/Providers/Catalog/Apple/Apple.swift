import JOSE
import JSON
import Text

extension Provider {
    /// Sign in with Apple, by OpenID Connect.
    ///
    /// Differs from the standard: the client secret is a JWT of our own (`clientSecret`); the answer is posted, since the person's name is
    /// in it, once and not signed (`AppleName`); truth values may be texts; the issuer has had two names (`AppleIssuer`).
    /// <https://developer.apple.com/documentation/signinwithapplerestapi>
    static let apple = Provider(
        id: "apple.com", name: "Apple", scopes: ["name", "email"], clientAuthentication: .post, hasOwnCallback: true,
        // https://developer.apple.com/design/human-interface-guidelines/sign-in-with-apple
        button: ButtonStyle(light: .init("#ffffff", on: "#000000"), dark: .init("#000000", on: "#ffffff")),
        protocol: { .openIDConnect(AppleIssuer($0, allowInsecure: $1)) })
}

/// The rules of Apple. A person is the `sub`, which is the same in all apps of the developer team.
///
/// Endpoints and issuers are pinned. For some days of June 2025, the discovery document named another issuer than ID tokens did, so both
/// names are accepted, whatever the document says now. Keys always come from the pinned address.
struct AppleIssuer: Issuer {
    let baseURL: String
    let teamID: String
    /// Signs client secrets; `nil` for an entry with a fault.
    let signer: Signer?
    /// The native apps. Their ID tokens and codes are issued to the bundle id, and not to the `clientId` of the web.
    let nativeClientIDs: [String]
    let pinnedMetadata: ProviderMetadata?

    static let publicURL = "https://appleid.apple.com"
    private static let names: Set<UTF8Text> = ["https://appleid.apple.com", "https://account.apple.com"]

    var storedIssuer: String { baseURL }
    var responseMode: ResponseMode { .formPost }
    var documentURL: String { "\(baseURL)/.well-known/openid-configuration" }

    func answers(as issuer: UTF8Text, _: ProviderMetadata) -> Bool { isApple(issuer) }

    func admits(_ claims: JSON) throws(ProviderError) { try checkName(claims, isApple) }

    private func isApple(_ name: UTF8Text) -> Bool { publishes(name) || Self.names.contains(name) }

    /// A nonce is required, posted and in the token, unless Apple says that the person's device cannot carry one.
    /// <https://developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple>
    func expected(_ nonce: IDTokenChecks.ExpectedNonce, in claims: JSON) -> IDTokenChecks.ExpectedNonce {
        guard case .posted(let raw, _) = nonce, claims.present("nonce") == nil else { return nonce }
        let isUnsupported = claims["nonce_supported"] == false || claims["nonce_supported"] == "false"
        return isUnsupported ? .posted(nil, .sha256) : .posted(raw, .required)
    }
}
