import Crypto
import Curl
import HTTP
import JOSE
import JSON
import Runtime
import TestKit
import Testing

@testable import Providers
import Text

/// Newer tokens for a refresh token.
@Suite struct TokenRenewalTests {
    private let issuer: FakeIssuer
    private let ours = TokenGrant(clientID: "client-1")

    init() throws { issuer = try FakeIssuer() }

    /// What the endpoint got last.
    private func form(_ upstream: FakeUpstream, _ url: String) throws -> Form {
        let request = try #require(upstream.requests.last { $0.url == url })
        return try #require(Form(request.body ?? []))
    }

    private func failure(of answer: JSON, status: Int = 400) async -> ProviderError? {
        issuer.upstream.answer(issuer.tokenURL, answer, status: status)
        return await ProvidersTests.failure { () async throws(ProviderError) in
            _ = try await issuer.provider().renew("refresh-1", of: ours)
        }
    }

    @Test func `the token endpoint is asked as our client`() async throws {
        issuer.upstream.answer(issuer.tokenURL, ["access_token": "access-2", "refresh_token": "refresh-2", "expires_in": 60])
        let renewed = try await issuer.provider { $0.clientAuthentication = .post }.renew("refresh-1", of: ours)
        #expect(renewed.accessToken == "access-2" && renewed.refreshToken == "refresh-2" && renewed.expiresIn == 60)
        #expect(
            try form(issuer.upstream, issuer.tokenURL).encoded()
                == "grant_type=refresh_token&refresh_token=refresh-1&client_id=client-1&client_secret=s3cret+%26+more")
    }

    @Test func `a provider may keep its refresh token, and may not say how long its tokens last`() async throws {
        issuer.upstream.answer(issuer.tokenURL, ["access_token": "access-2"])
        let renewed = try await issuer.provider().renew("refresh-1", of: ours)
        #expect(renewed.refreshToken == nil && renewed.expiresIn == nil)
    }

    @Test func `only an error that is about the refresh token says that it has ended`() async throws {
        for error in ["invalid_grant", "login_required", "interaction_required"] {
            let refused = ProviderError.grantRefused(
                "The provider refused the refresh token (\(error)).", detail: "token endpoint: status 400, error \(error)")
            #expect(await failure(of: ["error": .string(UTF8Text(error))]) == refused)
        }
        for error in ["invalid_client", "unauthorized_client"] as [UTF8Text] {
            guard case .clientRefused = await failure(of: ["error": .string(error)]) else { return #expect(Bool(false), "\(error)") }
        }
        for error in ["invalid_request", "invalid_scope", "unsupported_grant_type", "server_error", "access_denied"] as [UTF8Text] {
            guard case .misconfigured = await failure(of: ["error": .string(error)]) else { return #expect(Bool(false), "\(error)") }
        }
        guard case .clientRefused = await failure(of: ["error": "access_denied"], status: 401) else { return #expect(Bool(false)) }
        #expect(await failure(of: ["error": "invalid_grant"], status: 503)?.isUnavailable == true)
        #expect(await failure(of: ["error": "temporarily_unavailable"])?.isUnavailable == true)
        let nameless = ProviderError.invalidResponse(
            "The provider did not redeem the refresh token.", detail: "token endpoint: status 400")
        #expect(await failure(of: [:], status: 400) == nameless, "such an answer may come from anything on the way")
        #expect(await failure(of: ["token_type": "Bearer"], status: 200)?.reason == "The provider sent no access token.")
    }

    @Test func `a client that has a key proves itself by an assertion`() async throws {
        issuer.upstream.answer(issuer.tokenURL, ["access_token": "access-2"])
        let key = try FakeKey.otherRSA("client-key")
        _ = try await issuer.provider {
            $0.clientSecret = nil
            $0.clientAuthentication = .privateKeyJwt
            $0.clientKey = ClientKey(key: key.key, naming: ["kid": "client-key"])
        }.renew("refresh-1", of: ours)
        let form = try form(issuer.upstream, issuer.tokenURL)
        let token = try UnverifiedJWT.parse(try #require(form["client_assertion"]).asString, as: .clientAssertion)
        let keys = JWKSet([JWK(key: key.key.publicKey, kid: token.kid, algorithm: .rs256)])
        #expect(try token.verified(with: keys, algorithms: [.rs256]).claims["aud"] == "https://issuer.example")
        #expect(form["client_secret"] == nil && form["refresh_token"] == "refresh-1")
    }

    @Test func `a native app's token is renewed in the name of the app, with a secret of its own`() async throws {
        let apple = try FakeApple()
        let claims: JSON.Object = ["aud": "com.example.app", "nonce": .string(NonceRule.hash("raw"))]
        try apple.redeems(of: "com.example.app", for: try apple.token(claims))
        let credential = Credential(idToken: UTF8Text(try apple.token(claims)), rawNonce: "raw", code: "native-code")
        let grant = try #require(try await apple.provider().verify(credential).grant)
        #expect(grant == TokenGrant(clientID: "com.example.app"))
        _ = try await apple.provider().renew("refresh-1", of: grant)
        #expect(apple.form["grant_type"] == "refresh_token")
        try apple.check(secretIn: apple.form, of: "com.example.app")
    }

    @Test func `a token of a client that the entry does not name any more is not sent`() async throws {
        let error = await ProvidersTests.failure { () async throws(ProviderError) in
            _ = try await issuer.provider().renew("refresh-1", of: TokenGrant(clientID: "client-0"))
        }
        guard case .misconfigured(_, let detail) = error else { return #expect(Bool(false)) }
        #expect(detail.contains("client-0") && issuer.upstream.requests.isEmpty)
    }

    @Test func `a tenant that the app asked for renews its tokens`() async throws {
        let microsoft = try FakeMicrosoft()
        let url = microsoft.tokenURL(FakeMicrosoft.fabrikam)
        microsoft.upstream.answer(
            url,
            [
                "access_token": "access-1", "refresh_token": "refresh-1", "expires_in": 60,
                "id_token": .string(try microsoft.token(FakeMicrosoft.fabrikam, ["nonce": "nonce-1"])),
            ])
        let result = try await microsoft.provider().redeem(["code": "code-1"], parameters: ["tenant": FakeMicrosoft.fabrikam])
        #expect(result.grant == TokenGrant(clientID: microsoft.clientID, tenant: FakeMicrosoft.fabrikam))
        _ = try await microsoft.provider().renew("refresh-1", of: try #require(result.grant))
        #expect(try form(microsoft.upstream, url)["refresh_token"] == "refresh-1")
        #expect(microsoft.upstream.count(microsoft.tokenURL("common")) == 0)
    }

    @Test func `a provider by OAuth 2.0 renews at the endpoint of its codes`() async throws {
        let upstream = FakeUpstream()
        upstream.answer("https://github.com/login/oauth/access_token", ["access_token": "ghu_2", "refresh_token": "ghr_2"])
        let (settings, faults) = try read("github.com", "clientId: client-1\nclientSecret: {env: KEY}", environment: ["KEY": "s3cret"])
        #expect(faults == [])
        let provider = ConfiguredProvider(
            try #require(settings), upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
        #expect(try await provider.renew("ghr_1", of: ours).accessToken == "ghu_2")
        #expect(upstream.requests.count == 1)
    }

    @Test func `tokens that an app posted have no grant, and those of a redirect have`() async throws {
        let posted = try await issuer.provider().verify(Credential(idToken: UTF8Text(try issuer.token()), accessToken: "access-9"))
        #expect(posted.accessToken == "access-9" && posted.grant == nil)
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        #expect(try await issuer.provider().redeem(["code": "code-1"]).grant == ours)
    }

    @Test func `an entry without codes cannot keep tokens`() throws {
        let entry = "issuer: https://issuer.example\nclientId: client-1\nflow: idToken\nstoreProviderTokens: true"
        let faults = try read("oidc.test", entry).1
        #expect(faults.map { "\($0)" }.contains { $0.contains("storeProviderTokens: has no use with flow: idToken") })
        #expect(try read("oidc.test", "issuer: https://issuer.example\nclientId: client-1\nclientAuth: none").0?.keepsTokens == false)
    }
}
