import JOSE
import JSON
import ProjectSettings
import Text

/// The discovery document of an OpenID provider. <https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata>
///
/// It has no member with `null` and no member `error`: MSAL for Objective-C refuses a document with that name.
enum IssuerMetadataDocument {
    /// - Parameters:
    ///   - languages: of the hosted pages.
    ///   - isFlow: whether it is the document of a user flow.
    static func bytes(_ urls: IssuerURLs, of project: ProjectSettings, languages: [String], isFlow: Bool) -> [UInt8] {
        var document: JSON.Object = [
            "issuer": .string(urls.issuer),
            "authorization_endpoint": .string(urls.authorization),
            "token_endpoint": .string(urls.token),
            "userinfo_endpoint": .string(urls.userInfo),
            "jwks_uri": .string(urls.keys),
            "end_session_endpoint": .string(urls.endSession),
            "introspection_endpoint": .string(urls.introspection),
            "revocation_endpoint": .string(urls.revocation),
            "pushed_authorization_request_endpoint": .string(urls.pushedRequests),
            "require_pushed_authorization_requests": false,
        ]
        document = document.merging(supported).merging(clientAuthentication)
        document["id_token_signing_alg_values_supported"] = .array(algorithms(project).map { .string($0) })
        document["claims_supported"] = .array((claims + (isFlow ? flowClaims : firebaseClaims)).map { .string($0) })
        document["ui_locales_supported"] = .array(languages.map { .string($0) })
        return JSON.object(document).bytes()
    }

    private static let supported: JSON.Object = [
        "scopes_supported": ["openid", "profile", "email", "phone", "address", "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query", "fragment", "form_post"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "code_challenge_methods_supported": ["S256"],
        "prompt_values_supported": ["none", "login", "consent", "select_account", "create"],
        "display_values_supported": ["page", "popup", "touch", "wap"],
        "claim_types_supported": ["normal"],
        "acr_values_supported": [.string(UTF8Text(ProjectSettings.OpenIDProvider.multiFactor))],
        "claims_parameter_supported": true,
        "request_parameter_supported": false,
        // Without this member, it would count as true.
        "request_uri_parameter_supported": false,
        "authorization_response_iss_parameter_supported": true,
        "backchannel_logout_supported": true,
        "backchannel_logout_session_supported": true,
    ]

    private static let clientAuthentication: JSON.Object = {
        let methods: JSON = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
        let secrets: JSON = ["client_secret_basic", "client_secret_post", "private_key_jwt"]
        let algorithms: JSON = ["RS256", "ES256"]
        return [
            "token_endpoint_auth_methods_supported": methods, "token_endpoint_auth_signing_alg_values_supported": algorithms,
            "revocation_endpoint_auth_methods_supported": methods, "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
            "introspection_endpoint_auth_methods_supported": secrets,
            "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
        ]
    }()

    /// The provider signs with RS256. The tokens that SDKs get may have another algorithm, and back ends read the same document.
    private static func algorithms(_ project: ProjectSettings) -> [String] {
        let own = project.tokens.algorithm.rawValue
        return own == "RS256" ? [own] : ["RS256", own]
    }

    private static let claims = [
        "iss", "sub", "aud", "exp", "iat", "nbf", "auth_time", "nonce", "at_hash", "sid", "acr", "amr", "name", "given_name", "family_name",
        "picture", "locale", "updated_at", "email", "email_verified", "phone_number", "phone_number_verified",
    ]

    /// The claims that only the tokens of a user flow have.
    private static let flowClaims = ["tfp", "ver", "oid", "tid", "emails", "idp", "newUser"]

    /// The claims that only the ID tokens of SDKs have.
    private static let firebaseClaims = ["user_id", "firebase"]
}
