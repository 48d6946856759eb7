import JOSE
package import JSON
import Runtime
import Text

/// Microsoft's authority and Graph on a `FakeUpstream`: two organisations, the tenant of private accounts, and keys bound to issuers.
package struct FakeMicrosoft: Sendable {
    package static let contoso = "11111111-2222-4333-8444-555555555555"
    package static let fabrikam = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
    package static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"
    package static let graph = "https://graph.microsoft.com/v1.0/me"

    package let upstream: FakeUpstream
    package let authority = "https://login.microsoftonline.com"
    package let clientID = "99999999-0000-4000-8000-000000000000"
    /// A key that may sign for every tenant.
    package let key: FakeKey
    /// A key that may sign for private accounts only.
    package let consumerKey: FakeKey

    package init(on upstream: FakeUpstream = FakeUpstream()) throws {
        self.upstream = upstream
        key = FakeKey("any", .rs256, try FakeKey.rsa().key, issuer: authority + "/{tenantid}/v2.0")
        consumerKey = FakeKey("private", .rs256, try FakeKey.otherRSA().key, issuer: "\(authority)/\(Self.consumers)/v2.0")
        for tenant in ["common", "organizations", "consumers"] { publish(tenant, issuer: key.issuer ?? "") }
        for tenant in [Self.contoso, Self.fabrikam, Self.consumers] { publish(tenant, issuer: issuer(tenant)) }
        publish("contoso.onmicrosoft.com", issuer: issuer(Self.contoso))
    }

    package func issuer(_ tenant: String) -> String { "\(authority)/\(tenant)/v2.0" }

    package func documentURL(_ tenant: String) -> String { issuer(tenant) + "/.well-known/openid-configuration" }

    package func tokenURL(_ tenant: String) -> String { "\(authority)/\(tenant)/oauth2/v2.0/token" }

    private func publish(_ tenant: String, issuer: String) {
        let keys = "\(authority)/\(tenant)/discovery/v2.0/keys"
        upstream.answer(
            documentURL(tenant),
            [
                "issuer": .string(issuer), "authorization_endpoint": .string("\(authority)/\(tenant)/oauth2/v2.0/authorize"),
                "token_endpoint": .string(tokenURL(tenant)), "jwks_uri": .string(keys),
                "userinfo_endpoint": "https://graph.microsoft.com/oidc/userinfo", "id_token_signing_alg_values_supported": ["RS256"],
                "response_modes_supported": ["query", "fragment", "form_post"],
                "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
            ])
        upstream.answer(keys, ["keys": [key.json, consumerKey.json]])
    }

    /// The claims of a valid ID token, with changes; `null` removes a claim.
    package func claims(_ tenant: String = contoso, _ changes: JSON.Object = [:]) -> JSON {
        let now = FakeIssuer.now.seconds
        var claims: JSON.Object = [
            "ver": "2.0", "iss": .string(issuer(tenant)), "tid": .string(tenant), "aud": .string(clientID), "sub": "pairwise-1",
            "oid": "deadbeef-0000-4000-8000-0123456789ab", "iat": .integer(now - 5), "nbf": .integer(now - 5), "exp": .integer(now + 3600),
            "name": "Ada Lovelace", "preferred_username": "ada@contoso.example",
        ]
        for member in changes { claims[member.name] = member.value == .null ? .none : member.value }
        return .object(claims)
    }

    package func token(_ tenant: String = contoso, _ changes: JSON.Object = [:]) throws -> String { try key.sign(claims(tenant, changes)) }
}
