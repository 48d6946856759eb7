import Curl
import HTTP
import JSON
import TestKit
import Testing

@testable import Providers
import Text

private let contoso = FakeMicrosoft.contoso
private let fabrikam = FakeMicrosoft.fabrikam
private let consumers = FakeMicrosoft.consumers

@Suite struct MicrosoftTests {
    let microsoft: FakeMicrosoft

    init() throws { microsoft = try FakeMicrosoft() }

    private func isTaken(_ tenant: String, by provider: ConfiguredProvider) async throws -> Bool {
        await provider.refusal(of: try microsoft.token(tenant)) == nil
    }

    // MARK: Tenants

    @Test(
        arguments: [
            ("common", true, true, true), ("organizations", true, true, false), ("consumers", false, false, true),
            (contoso, true, false, false), (contoso.uppercased(), true, false, false), ("contoso.onmicrosoft.com", true, false, false),
            (consumers, false, false, true),
        ])
    func `whose accounts come in is the entry's choice`(_ tenant: String, _ first: Bool, _ second: Bool, _ private: Bool) async throws {
        let provider = microsoft.provider(tenant)
        #expect(try await isTaken(contoso, by: provider) == first)
        #expect(try await isTaken(fabrikam, by: provider) == second)
        #expect(try await isTaken(consumers, by: provider) == `private`)
    }

    @Test func `tenants can be listed and banned`() async throws {
        let listed = microsoft.provider { $0.allowedTenants = [contoso] }
        #expect(try await isTaken(contoso, by: listed))
        #expect(try await !isTaken(fabrikam, by: listed))
        #expect(try await !isTaken(consumers, by: listed))
        let banned = microsoft.provider { $0.deniedTenants = [contoso] }
        #expect(try await !isTaken(contoso, by: banned))
        #expect(try await isTaken(fabrikam, by: banned))
    }

    @Test func `SEC-01 a refused tenant causes no request`() async throws {
        for provider in [
            microsoft.provider(contoso), microsoft.provider("consumers"), microsoft.provider { $0.allowedTenants = [contoso] },
        ] {
            #expect(await provider.refusal(of: try microsoft.token(fabrikam))?.reason != nil)
        }
        #expect(microsoft.upstream.requests.isEmpty)
    }

    // MARK: Issuer

    @Test(
        arguments: [
            "https://login.microsoftonline.com/\(fabrikam)/v2.0", "https://login.microsoftonline.com/{tenantid}/v2.0",
            "https://login.microsoftonline.com/\(contoso)/v2.0/", "https://login.microsoftonline.com/\(contoso)",
            "https://sts.windows.net/\(contoso)/",
            "https://login.microsoftonline.com/\(contoso)/V2.0", "https://LOGIN.microsoftonline.com/\(contoso)/v2.0",
            "https://login.microsoftonline.com.evil.example/\(contoso)/v2.0",
            "https://login.microsoftonline.com@evil.example/\(contoso)/v2.0",
            "https://login.microsoftonline.com:443/\(contoso)/v2.0", "http://login.microsoftonline.com/\(contoso)/v2.0",
            "https://login.microsoftonline.us/\(contoso)/v2.0", "https://evil.example/\(contoso)/v2.0", "",
        ])
    func `SEC-01 an iss that is not the tid's is refused without any request`(_ name: String) async throws {
        let hostile = try FakeKey.otherRSA("any")
        for tenant in ["common", contoso, "contoso.onmicrosoft.com"] {
            let token = try hostile.sign(microsoft.claims(contoso, ["iss": .string(name)]))
            #expect(await microsoft.provider(tenant).refusal(of: token)?.reason == "The ID token comes from another issuer.")
        }
        #expect(microsoft.upstream.requests.isEmpty)
    }

    @Test(
        arguments: [.null, 1, "", "common", "contoso.onmicrosoft.com", "11111111222243338444555555555555", "{tenantid}", "../evil"]
            as [JSON])
    func `SEC-01 a tid that is not a GUID is refused, even with a matching iss`(_ tid: JSON) async throws {
        let claims = try microsoft.claims(contoso, ["tid": tid, "iss": .string(microsoft.issuer(tid.string?.asString ?? ""))])
        #expect(await microsoft.provider().refusal(of: try microsoft.key.sign(claims))?.reason == "The ID token comes from another issuer.")
        #expect(microsoft.upstream.requests.isEmpty)
    }

    @Test(arguments: [.null, "1.0", 2, 2.0, "2"] as [JSON])
    func `tokens of the v1 endpoint are refused`(_ version: JSON) async throws {
        let token = try microsoft.token(contoso, ["ver": version])
        #expect(await microsoft.provider().refusal(of: token)?.reason == "Only tokens of Microsoft's v2 endpoint are accepted.")
    }

    @Test func `a token for Graph is not for us`() async throws {
        let token = try microsoft.token(contoso, ["aud": "00000003-0000-0000-c000-000000000000"])
        #expect(await microsoft.provider().refusal(of: token)?.reason == "The ID token was issued for another app.")
    }

    @Test func `SEC-01 a key signs only for the issuer it is bound to`() async throws {
        let provider = microsoft.provider()
        let crossed = try microsoft.consumerKey.sign(microsoft.claims(contoso))
        #expect(await provider.refusal(of: crossed)?.reason == "The ID token is signed with a key of another tenant.")
        #expect(await provider.refusal(of: try microsoft.consumerKey.sign(microsoft.claims(consumers))) == nil)
        #expect(await provider.refusal(of: try microsoft.key.sign(microsoft.claims(consumers))) == nil)
    }

    @Test func `SEC-01 metadata of another tenant is not believed`() async throws {
        microsoft.upstream.answer(microsoft.documentURL(contoso), ["issuer": .string(microsoft.issuer(fabrikam))])
        #expect(await microsoft.provider(contoso).refusal(of: try microsoft.token(contoso))?.reason != nil)
        for (tenant, issuer) in [
            ("common", microsoft.issuer(contoso)), (contoso, microsoft.issuer("{tenantid}")), (contoso, microsoft.issuer(fabrikam)),
            ("consumers", microsoft.issuer(contoso)), ("contoso.onmicrosoft.com", microsoft.issuer("{tenantid}")),
            ("contoso.onmicrosoft.com", "https://evil.example/\(contoso)/v2.0"),
        ] {
            #expect(
                !MicrosoftIssuer(tenant: try #require(MicrosoftTenant(UTF8Text(tenant)))).publishes(UTF8Text(issuer)), "\(tenant) \(issuer)"
            )
        }
        #expect(MicrosoftIssuer(tenant: .consumers).publishes(UTF8Text(microsoft.issuer(consumers))))
    }

    @Test func `an iss in the callback is a tenant's that may sign in`() async throws {
        try await microsoft.provider().checkIssuer(UTF8Text(microsoft.issuer(contoso)))
        try await microsoft.provider("contoso.onmicrosoft.com").checkIssuer(UTF8Text(microsoft.issuer(contoso)))
        for (tenant, name) in [
            ("common", microsoft.issuer("{tenantid}")), (contoso, microsoft.issuer(fabrikam)), ("common", "https://evil.example"),
            ("contoso.onmicrosoft.com", microsoft.issuer(fabrikam)), ("organizations", microsoft.issuer(consumers)),
        ] {
            let error = await failure { () async throws(ProviderError) in
                try await microsoft.provider(tenant).checkIssuer(UTF8Text(name))
            }
            #expect(error?.reason == "The answer is from another provider.", "\(tenant) \(name)")
        }
    }

    @Test func `an access token alone is refused, with the reason`() async {
        let error = await failure { () async throws(ProviderError) in
            _ = try await microsoft.provider().verify(Credential(accessToken: "graph-token"))
        }
        #expect(error?.reason?.hasPrefix("An access token alone is not accepted from Microsoft: it does not say which app") == true)
        #expect(microsoft.upstream.requests.isEmpty)
    }

    // MARK: The tenant that an app asks for

    @Test(
        arguments: [
            ("common", contoso), ("common", "contoso.onmicrosoft.com"), ("common", "organizations"), ("common", "consumers"),
            ("common", "common"),
            ("organizations", contoso), ("organizations", "contoso.onmicrosoft.com"), ("organizations", "Organizations"),
            ("consumers", consumers), (contoso, contoso.uppercased()), ("contoso.onmicrosoft.com", "Contoso.OnMicrosoft.com"),
        ])
    func `an app may ask for less or the same`(_ configured: String, _ wished: String) async throws {
        let url = try #require(
            AuthorizationURL(try await microsoft.provider(configured).authorize(["tenant": wished, "domain_hint": "x"])))
        #expect(url.base == "https://login.microsoftonline.com/\(wished.lowercased())/oauth2/v2.0/authorize")
        #expect(url.form["tenant"] == nil)
        #expect(url.form["domain_hint"] == "x")
        #expect(url.form["scope"] == "openid profile email User.Read")
        #expect(url.form["code_challenge_method"] == "S256")
    }

    @Test(
        arguments: [
            (contoso, "common"), (contoso, fabrikam), (contoso, "organizations"), (contoso, "contoso.onmicrosoft.com"),
            ("organizations", "common"), ("organizations", "consumers"), ("organizations", consumers), ("consumers", "common"),
            ("consumers", contoso), ("consumers", "contoso.onmicrosoft.com"), ("contoso.onmicrosoft.com", fabrikam), ("common", "../evil"),
            ("common", "evil"), ("common", "a.b/c"), ("common", "a..b"), ("common", "a.b?x"), ("common", "\u{212A}.example"),
        ])
    func `an app may not ask for more`(_ configured: String, _ wished: String) async {
        let error = await failure { () async throws(ProviderError) in
            _ = try await microsoft.provider(configured).authorize(["tenant": wished])
        }
        #expect(error?.isBadParameter == true)
        #expect(microsoft.upstream.requests.isEmpty)
    }

    @Test func `lists hold for the tenant that an app asks for`() async throws {
        let provider = microsoft.provider { $0.deniedTenants = [fabrikam] }
        let error = await failure { () async throws(ProviderError) in _ = try await provider.authorize(["tenant": fabrikam]) }
        #expect(error?.isBadParameter == true)
        let listed = microsoft.provider { $0.allowedTenants = [contoso] }
        #expect(
            await failure { () async throws(ProviderError) in _ = try await listed.authorize(["tenant": fabrikam]) }?.isBadParameter == true
        )
        _ = try await listed.authorize(["tenant": contoso])
    }

    @Test func `the code is redeemed at the tenant asked for, and only its people are taken`() async throws {
        for (tenant, isTaken) in [(contoso, true), (fabrikam, false)] {
            let token = try microsoft.token(tenant, ["nonce": "nonce-1"])
            microsoft.upstream.answer(microsoft.tokenURL(contoso), ["id_token": .string(token), "access_token": "access-1"])
            let error = await failure { () async throws(ProviderError) in
                _ = try await microsoft.provider().redeem(["code": "code-1"], parameters: ["tenant": contoso])
            }
            #expect((error == nil) == isTaken)
        }
        #expect(microsoft.upstream.count(microsoft.tokenURL("common")) == 0)
    }

    @Test func `organizations narrowed to a domain still leaves private accounts out`() async throws {
        microsoft.upstream.answer(microsoft.tokenURL(contoso), ["id_token": .string(try microsoft.token(consumers, ["nonce": "nonce-1"]))])
        let narrowed = try MicrosoftIssuer(tenant: .organizations).narrowed(by: ["tenant": "contoso.onmicrosoft.com"]).issuer
        #expect(throws: ProviderError.self) { try narrowed.admits(microsoft.claims(consumers)) }
        try narrowed.admits(microsoft.claims(contoso))
    }

    @Test func `claims may not be asked for`() async {
        let error = await failure { () async throws(ProviderError) in _ = try await microsoft.provider().authorize(["claims": "{}"]) }
        #expect(error?.isBadParameter == true)
    }

    @Test func `the secret is posted`() async throws {
        microsoft.upstream.answer(microsoft.tokenURL("common"), ["error": "invalid_grant"], status: 400)
        _ = await failure { () async throws(ProviderError) in _ = try await microsoft.provider().redeem(["code": "code-1"]) }
        let request = try #require(microsoft.upstream.requests.last)
        #expect(Form(request.body ?? [])?["client_secret"] == "ms-secret")
        #expect(Form(request.body ?? [])?["code_verifier"] == "verifier-1")
        #expect(request.headers["authorization"] == nil)
    }
}
