import Config
import HTTP
import Identity
import JOSE
import JSON
import Text

/// An issuer of the ID tokens of Facebook's Limited Login, which its SDK gives to apps on Apple's systems.
///
/// Facebook publishes a discovery document without a token endpoint, so it is no help and is not fetched; the addresses are pinned. Each
/// issuer has its own keys. The person is the same number as Graph's, and Graph does not take these tokens.
/// <https://developers.facebook.com/docs/facebook-login/limited-login/token>
struct LimitedLogin: Issuer {
    let issuer: String
    let facebook: Facebook
    let pinnedMetadata: ProviderMetadata?

    init(issuer: String, of facebook: Facebook, _ section: Section) {
        self.issuer = issuer
        self.facebook = facebook
        pinnedMetadata = section.metadata(pinning: [
            "issuer": .string(issuer), "authorization_endpoint": .string(facebook.endpoints.authorization),
            "jwks_uri": .string("\(issuer)/.well-known/oauth/openid/jwks/"), "id_token_signing_alg_values_supported": ["RS256"],
        ])
    }

    var storedIssuer: String { issuer }
    var documentURL: String { "\(issuer)/.well-known/openid-configuration/" }

    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        guard let id = Facebook.id(evidence.claims["sub"]) else {
            throw .invalidResponse("The ID token does not say who signed in.", detail: "sub is not a number")
        }
        let user = Self.profile(evidence.claims)
        return facebook.identity(id, user, user.text(), evidence)
    }

    /// The claims by the names that Graph has for them, so that an app finds them in one place.
    private static func profile(_ claims: JSON) -> JSON {
        let names: [(UTF8Text, UTF8Text)] = [
            ("sub", "id"), ("name", "name"), ("given_name", "first_name"), ("family_name", "last_name"), ("email", "email"),
        ]
        var profile: JSON.Object = [:]
        for (claim, name) in names { profile[name] = claims.present(claim) }
        if let picture = claims.present("picture") { profile["picture"] = ["data": ["url": picture]] }
        return .object(profile)
    }
}
