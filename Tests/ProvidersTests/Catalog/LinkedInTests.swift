import Curl
import HTTP
import Identity
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct LinkedInTests {
    private let data: ProviderData
    private let issuer: FakeIssuer

    init() throws {
        data = try ProviderData("linkedin.com")
        issuer = try FakeIssuer(
            "https://www.linkedin.com/oauth", document: try data.answer("discovery", ["base": "https://www.linkedin.com"]))
    }

    private func token(_ changes: JSON.Object = [:]) throws -> String {
        let person = try data.answer("person", ["sub": "subject-1", "email": "ada@example.com", "name": "Ada Lovelace", "user": "ada"])
        return try issuer.token((person.object ?? [:]).merging(changes))
    }

    private func redeems(for idToken: String) throws {
        let answer = try data.answer("token", ["access_token": "access-1", "id_token": .string(idToken)])
        issuer.redeems(for: idToken, adding: (answer.object ?? [:]).merging(["refresh_token": .null]))
    }

    private func provider(_ keys: String = "") throws -> ConfiguredProvider {
        let (settings, faults) = try read("linkedin.com", "clientId: client-1\nclientSecret: {env: SECRET}\n\(keys)")
        #expect(faults == [])
        return ConfiguredProvider(
            try #require(settings), upstream: issuer.upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    private func identity(_ claims: JSON.Object = [:], info: JSON.Object = [:], _ keys: String = "") async throws -> ProviderIdentity {
        try redeems(for: try token(claims))
        let all = (try data.answer("userinfo").object ?? [:]).merging(["sub": "subject-1"]).merging(info)
        issuer.upstream.answer(issuer.userInfoURL, .object(all))
        return try await provider(keys).redeem(["code": "code-1"]).identity
    }

    @Test func `a sign-in goes without PKCE, with the secret in the form`() async throws {
        let form = try #require(AuthorizationURL(try await provider().authorize())).form
        #expect(form["code_challenge"] == nil && form["scope"] == "openid profile email")
        _ = try await identity()
        let request = try #require(issuer.upstream.requests.first { $0.url == issuer.tokenURL })
        let sent = try #require(Form(request.body ?? []))
        #expect(sent["code_verifier"] == nil && sent["client_secret"] == "s3cret" && request.headers["authorization"] == nil)
    }

    @Test func `a token needs no nonce, and one that is there must be ours`() async throws {
        #expect(try await identity().subject == "subject-1")
        #expect(try await identity(["nonce": "nonce-1"]).subject == "subject-1")
        for nonce in ["another", "", 7] as [JSON] {
            try redeems(for: try token(["nonce": nonce]))
            let provider = try provider()
            #expect(await failure { () async throws(ProviderError) in _ = try await provider.redeem(["code": "code-1"]) } == .nonce)
        }
    }

    @Test func `no token that an app posts is accepted`() async throws {
        for nonce in [nil, "raw"] {
            let error = await (try provider()).refusal(of: try token(), rawNonce: nonce)
            #expect(error?.reason?.hasPrefix("An ID token is not accepted from LinkedIn: it has no nonce") == true)
        }
        #expect(issuer.upstream.requests.isEmpty)
    }

    @Test func `an address counts as verified only where the entry says so, and joins no account`() async throws {
        #expect(try await !identity(["email_verified": "true"]).emailVerified)
        let trusted = try await identity(["email_verified": "true"], "emailTrust: claim")
        #expect(trusted.emailVerified && !trusted.emailAuthoritative)
        let (_, faults) = try read(
            "linkedin.com", "clientId: a\nclientSecret: {env: SECRET}\nemailTrust: claim\nauthoritativeDomains: [example.com]")
        #expect(
            faults == [
                "6 providers.linkedin.com.authoritativeDomains: has no place here, since LinkedIn's word about an address joins no account"
            ])
    }

    @Test(
        arguments: [
            ("en_US", "en_US"), (["country": "US", "language": "en"], "en-US"), (["language": "en"], "en"), ([:], nil), (7, nil),
            (.null, nil), (["language": 7, "country": ["US"]], nil),
        ] as [(JSON, String?)])
    func `a locale is a text or an object`(_ locale: JSON, _ expected: String?) async throws {
        #expect(try await identity(["locale": .null], info: ["locale": locale]).language == expected)
    }

    @Test func `an entry of two lines is enough`() throws {
        let settings = try provider().settings
        #expect(settings.name == "LinkedIn" && settings.hasOwnCallback && !settings.usesPKCE)
        #expect(settings.nonceRule == .unsupported && settings.clientAuthentication == .post)
    }
}
