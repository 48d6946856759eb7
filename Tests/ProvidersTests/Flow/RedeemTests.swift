import Crypto
import Curl
import HTTP
import Identity
import JSON
import Runtime
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct RedeemTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    private func refusal(_ provider: ConfiguredProvider? = nil, _ callback: Form = ["code": "code-1"]) async -> ProviderError? {
        await failure { () async throws(ProviderError) in _ = try await (provider ?? issuer.provider()).redeem(callback) }
    }

    @Test func `a code becomes a person and tokens for the app`() async throws {
        let challenge = Base64URL.encode(Digest.sha256(Array("verifier-1".utf8)))
        let token = try issuer.token(["nonce": "nonce-1"])
        issuer.redeems(challenge: challenge, for: token)
        let result = try await issuer.provider().redeem(["code": "code-1", "state": "state-1"])
        #expect(result.identity.subject == "subject-1")
        #expect(result.idToken == token)
        #expect(result.accessToken == "access-1")
        #expect(result.refreshToken == "refresh-1")
        #expect(result.expiresIn == 3599)
    }

    @Test func `a result survives the trip through JSON`() async throws {
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        let result = try await issuer.provider().redeem(["code": "code-1"])
        #expect(try JSON.parse(try JSON(encoding: result).bytes()).decode(ProviderResult.self) == result)
    }

    @Test func `what the provider sends beside the code reaches the rules that make the identity`() async throws {
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        let provider = issuer.provider {
            $0.protocol = .openIDConnect(LikeApple(base: OpenIDConnect(issuer: issuer.issuer, asksUserInfo: false)))
        }
        #expect(try await provider.redeem(["code": "code-1", "user": "Grace"]).identity.displayName == "Grace")
    }

    // MARK: How we prove ourselves

    @Test func `the secret goes where the issuer wants it and nowhere else`() async throws {
        for (listed, authentication, place) in [
            (JSON.null, UpstreamClientAuthentication.auto, "header"), (["client_secret_post"], .auto, "body"),
            (["client_secret_post", "client_secret_basic"], .auto, "header"), (["private_key_jwt"], .auto, "header"),
            (.null, .post, "body"),
            (.null, .none, "nowhere"),
        ] {
            let issuer = try FakeIssuer()
            issuer.publish(["token_endpoint_auth_methods_supported": listed])
            issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
            _ = try await issuer.provider { $0.clientAuthentication = authentication }.redeem(["code": "code-1"])
            let request = try #require(issuer.upstream.requests.first { $0.url == issuer.tokenURL })
            let form = try #require(Form(request.body ?? []))
            let basic = "Basic " + Base64.encode(Array("client-1:s3cret+%26+more".utf8))
            #expect(request.headers["authorization"] == (place == "header" ? UTF8Text(basic) : nil), "\(listed)")
            #expect(form["client_secret"] == (place == "body" ? "s3cret & more" : nil), "\(listed)")
            #expect(form["client_id"] == (place == "header" ? nil : "client-1"), "\(listed)")
            for other in issuer.upstream.requests where other.url != issuer.tokenURL {
                #expect(other.headers["authorization"] == nil && other.body == nil && !other.url.contains("s3cret"))
            }
        }
    }

    @Test func `a secret that the provider wants made anew is made when it is sent`() async throws {
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        let provider = issuer.provider {
            $0.protocol = .openIDConnect(LikeApple(base: OpenIDConnect(issuer: issuer.issuer, asksUserInfo: false)))
            $0.clientAuthentication = .post
        }
        _ = try await provider.redeem(["code": "code-1"])
        let request = try #require(issuer.upstream.requests.first { $0.url == issuer.tokenURL })
        #expect(Form(request.body ?? [])?["client_secret"] == "s3cret & more of client-1 at 1800000000")
    }

    @Test func `a public client sends its name alone`() async throws {
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        _ = try await issuer.provider { $0.clientSecret = nil }.redeem(["code": "code-1"])
        let request = try #require(issuer.upstream.requests.first { $0.url == issuer.tokenURL })
        #expect(request.method == .post)
        #expect(request.headers["authorization"] == nil)
        #expect(request.headers["accept"] == "application/json")
        #expect(
            Form(request.body ?? [])?.encoded() == "grant_type=authorization_code&code=code-1"
                + "&redirect_uri=https%3A%2F%2Fgatehouse.example%2F__%2Fauth%2Fhandler&code_verifier=verifier-1&client_id=client-1")
    }

    // MARK: The callback

    @Test(arguments: [[:], ["code": ""], ["code": "a", "code": "b"], ["id_token": "x"]] as [Form])
    func `a callback without exactly one code is refused`(_ callback: Form) async {
        #expect(await refusal(nil, callback)?.reason == "The provider's answer has no code.")
        #expect(issuer.upstream.count(issuer.tokenURL) == 0)
    }

    @Test func `a code for another verifier or used up is refused`() async throws {
        issuer.redeems(challenge: "other", for: try issuer.token(["nonce": "nonce-1"]))
        #expect(await refusal()?.reason == "The provider refused the code (invalid_grant).")
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        #expect(await refusal() == nil)
        #expect(await refusal()?.reason == "The provider refused the code (invalid_grant).")
    }

    // MARK: The token endpoint misbehaves

    @Test(
        arguments: [
            (200, #"{"error":"bad_verification_code"}"#), (200, #"{"error":"x","id_token":"a.b.c"}"#), (200, #"{"error":{"code":1}}"#),
            (200, "<html>"), (200, ""), (200, "[]"), (200, "null"), (200, "{}"), (200, #"{"id_token":""}"#), (200, #"{"id_token":1}"#),
            (200, #"{"id_token":"a.b.c""#), (200, #"{"id_token":"a.b.c"}"#), (200, #"{"id_token":"x","id_token":"y"}"#),
            (200, #"{"access_token":"only"}"#), (302, ""), (400, #"{"error":"invalid_grant"}"#), (401, #"{"error":"invalid_client"}"#),
            (204, ""),
        ])
    func `an answer that is not a token is refused`(_ status: Int, _ body: String) async {
        issuer.upstream.answer(issuer.tokenURL, text: body, status: status)
        #expect(await refusal()?.reason != nil)
        #expect(issuer.upstream.count(issuer.tokenURL) == 1)
    }

    @Test(arguments: [OutboundError.timedOut, .tooLarge, .unreachable("reset"), .refusedAddress, .cancelled])
    func `no answer is refused, and the code is not sent again`(_ error: OutboundError) async {
        issuer.upstream.fail(issuer.tokenURL, error)
        let refusal = await refusal()
        // A request that the configuration forbids, or an answer that is too large, is not an outage.
        #expect(refusal?.isUnavailable == ![.tooLarge, .refusedAddress].contains(error))
        #expect(issuer.upstream.count(issuer.tokenURL) == 1)
    }

    @Test(arguments: [(500, "oops"), (502, "<html>"), (503, #"{"id_token":"a.b.c"}"#), (500, #"{"error":"server_error"}"#)])
    func `a provider that fails has not refused anything`(_ status: Int, _ body: String) async {
        issuer.upstream.answer(issuer.tokenURL, text: body, status: status)
        #expect(await refusal()?.isUnavailable == true)
    }

    @Test func `an issuer without token endpoint redeems nothing`() async {
        issuer.publish(["token_endpoint": .null])
        #expect(await refusal()?.reason == "The provider does not work as configured.")
    }

    @Test(arguments: [("3600" as JSON, 3600 as Int?), (3600, 3600), (3600.0, 3600), ("soon", nil), (-1, nil), (1e30, nil), (.null, nil)])
    func `expires_in may be a string and must be sane`(_ value: JSON, _ seconds: Int?) async throws {
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]), adding: ["expires_in": value, "refresh_token": .null])
        let result = try await issuer.provider().redeem(["code": "code-1"])
        #expect(result.expiresIn == seconds)
        #expect(result.refreshToken == nil)
    }

    @Test func `the log gets Microsoft's codes and ids, but no names and no secrets`() async throws {
        issuer.upstream.answer(
            issuer.tokenURL,
            [
                "error": "invalid_grant", "error_description": "AADSTS70008: The code for ada@example.com has expired.\r\nTrace ID: 12",
                "error_codes": [70008, "x"], "trace_id": "trace-1", "correlation_id": "corr 1\r\n", "suberror": "bad_token",
            ], status: 400)
        let error = await refusal()
        #expect(error?.reason == "The provider refused the code (invalid_grant).")
        #expect(
            error?.logDetail
                == "The provider refused the code (invalid_grant). token endpoint: status 400, error invalid_grant AADSTS70008 "
                + "code 70008 suberror bad_token trace_id trace-1 correlation_id an error")
    }

    @Test func `SEC-21 no error tells a secret, a token or a code`() async throws {
        let secrets = ["s3cret", "verifier-1", "code-1", "access-1", "refresh-1", "nonce-1", "ada@example.com", "subject-1"]
        var errors: [ProviderError?] = []
        for body in [#"{"error":"s3cret & more code-1"}"#, #"{"access-1":"refresh-1 code-1"}"#, "verifier-1", #"{"id_token":"code-1"}"#] {
            issuer.upstream.answer(issuer.tokenURL, text: body)
            errors.append(await refusal())
        }
        for claims in [["nonce": "x"], ["exp": 1], ["aud": "z"], ["iat": 1e30]] as [JSON.Object] {
            issuer.redeems(for: try issuer.token(claims))
            errors.append(await refusal())
        }
        for error in errors {
            let text = "\(try #require(error)) \(error?.logDetail ?? "")"
            for secret in secrets where secret != "code-1" || !text.contains("access-1") { #expect(!text.contains(secret), "\(text)") }
        }
    }

    // MARK: Implicit

    @Test func `the implicit flow takes the posted token and never the token endpoint`() async throws {
        let token = try issuer.token(["nonce": "nonce-1"])
        let provider = issuer.provider { $0.flow = .idToken }
        let result = try await provider.redeem(["id_token": UTF8Text(token), "state": "state-1"])
        #expect(result.identity.subject == "subject-1")
        #expect(result.accessToken == nil)
        #expect(issuer.upstream.count(issuer.tokenURL) == 0)
        #expect(await refusal(provider, ["code": "code-1"])?.reason == "The provider's answer has no id_token.")
        #expect(await refusal(provider, ["id_token": UTF8Text(try issuer.token())]) == .nonce)
    }

    @Test func `a pinned document is used in place of the issuer's own, which is never asked for`() async throws {
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        issuer.publish(["token_endpoint": "https://elsewhere.example/token", "jwks_uri": "https://elsewhere.example/keys"])
        let open = OpenIDConnect(issuer: issuer.issuer, asksUserInfo: false)
        let metadata = try ProviderMetadata(.object(issuer.document))
        let pinned = issuer.provider { $0.protocol = .openIDConnect(LikeApple(base: open, pinnedMetadata: metadata)) }
        #expect(try await pinned.redeem(["code": "code-1"]).identity.subject == "subject-1")
        #expect(try await AuthorizationURL(pinned.authorize())?.base == "https://issuer.example/authorize")
        #expect(issuer.upstream.count(issuer.documentURL) == 0)
        for (name, value, reason) in [
            ("issuer", "https://evil.example", "The discovery document at \(issuer.documentURL) names the issuer https://evil.example"),
            ("token_endpoint", "http://issuer.example/token", "names an endpoint without https: http://issuer.example"),
        ] {
            var document = issuer.document
            document[UTF8Text(name)] = .string(value)
            let metadata = try ProviderMetadata(.object(document))
            let unfit = issuer.provider { $0.protocol = .openIDConnect(LikeApple(base: open, pinnedMetadata: metadata)) }
            #expect(await refusal(unfit)?.logDetail.contains(reason) == true, "\(name)")
        }
        // What is no address is found before, when the configuration is read.
        var document = issuer.document
        document["jwks_uri"] = "no address"
        #expect(throws: MetadataFault("names a jwks_uri that is not a URL")) { try ProviderMetadata(.object(document)) }
    }

    @Test func `a token posted to a code flow is not looked at`() async throws {
        let token = try issuer.token(["nonce": "nonce-1"])
        #expect(await refusal(nil, ["id_token": UTF8Text(token)])?.reason == "The provider's answer has no code.")
    }
}

/// An issuer as Apple is: it says the person's name beside the code and nowhere else, and wants a secret that is made anew.
private struct LikeApple: Issuer {
    let base: OpenIDConnect
    var pinnedMetadata: ProviderMetadata?

    var storedIssuer: String { base.storedIssuer }
    var documentURL: String { base.documentURL }
    func publishes(_ issuer: UTF8Text) -> Bool { base.publishes(issuer) }
    func answers(as issuer: UTF8Text, _ metadata: ProviderMetadata) -> Bool { base.answers(as: issuer, metadata) }
    func admits(_ claims: JSON) throws(ProviderError) { try base.admits(claims) }

    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        var identity = try await base.identity(evidence, api)
        identity.displayName = evidence.answer["user"]?.asString
        return identity
    }

    func clientSecret(_ configured: Secret?, of clientID: String, at now: Instant) throws(ProviderError) -> Secret? {
        Secret("\(configured?.reveal() ?? "") of \(clientID) at \(now.seconds)")
    }
}
