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
    package let data: ProviderData
    package let authority = "https://login.microsoftonline.com"
    package let clientID = "99999999-0000-4000-8000-000000000000"
    /// A key that may sign for every tenant.
    package let key: FakeKey
    /// A key that may sign for private accounts only.
    package let consumerKey: FakeKey

    package init(on upstream: FakeUpstream = FakeUpstream()) throws {
        self.upstream = upstream
        data = try ProviderData("microsoft.com")
        key = FakeKey("any", .rs256, try FakeKey.rsa().key, issuer: authority + "/{tenantid}/v2.0")
        consumerKey = FakeKey("private", .rs256, try FakeKey.otherRSA().key, issuer: "\(authority)/\(Self.consumers)/v2.0")
        for tenant in ["common", "organizations", "consumers"] { try publish(tenant, shown: "{tenantid}") }
        for tenant in [Self.contoso, Self.fabrikam, Self.consumers] { try publish(tenant, shown: tenant) }
        try publish("contoso.onmicrosoft.com", shown: Self.contoso)
    }

    package func issuer(_ tenant: String) -> String { "\(authority)/\(tenant)/v2.0" }

    package func documentURL(_ tenant: String) -> String { issuer(tenant) + "/.well-known/openid-configuration" }

    package func tokenURL(_ tenant: String) -> String { "\(authority)/\(tenant)/oauth2/v2.0/token" }

    /// `shown` is the tenant that the document names as its issuer's.
    private func publish(_ tenant: String, shown: String) throws {
        upstream.answer(
            documentURL(tenant),
            try data.answer("discovery", ["base": .string(authority), "tenant": .string(tenant), "shown": .string(shown)]))
        upstream.answer("\(authority)/\(tenant)/discovery/v2.0/keys", ["keys": [key.json, consumerKey.json]])
        upstream.answer(tokenURL(tenant), ["error": "invalid_grant"], status: 400)
    }

    /// The claims of a valid ID token, with changes; `null` removes a claim.
    package func claims(_ tenant: String = contoso, _ changes: JSON.Object = [:]) throws -> JSON {
        let now = FakeIssuer.now.seconds
        let person: JSON.Object = [
            "base": .string(authority), "tenant": .string(tenant), "oid": "deadbeef-0000-4000-8000-0123456789ab", "sub": "pairwise-1",
            "name": "Ada Lovelace", "username": "ada@contoso.example",
        ]
        var claims = (try data.answer("claims", person).object ?? [:]).merging([
            "aud": .string(clientID), "iat": .integer(now - 5), "nbf": .integer(now - 5), "exp": .integer(now + 3600),
        ])
        for member in changes { claims[member.name] = member.value == .null ? .none : member.value }
        return .object(claims)
    }

    package func token(_ tenant: String = contoso, _ changes: JSON.Object = [:]) throws -> String {
        try key.sign(try claims(tenant, changes))
    }
}
