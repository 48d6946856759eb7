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

/// A client that proves itself by a key instead of a secret.
@Suite struct ClientKeyTests {
    let issuer: FakeIssuer
    let rsa: FakeKey

    init() throws {
        issuer = try FakeIssuer()
        rsa = try .otherRSA("client-key")
    }

    private func provider(_ key: FakeKey, _ change: (inout OpenIDConnect) -> Void = { _ in }) -> ConfiguredProvider {
        var settings = issuer.settings(change)
        settings.clientSecret = nil
        settings.clientAuthentication = .privateKeyJwt
        settings.clientKey = ClientKey(key: key.key, naming: ["kid": .string(key.id)])
        return ConfiguredProvider(settings, upstream: issuer.upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    /// The form that a redemption sends to the token endpoint.
    private func form(_ provider: ConfiguredProvider) async throws -> Form {
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        _ = try await provider.redeem(["code": "code-1"])
        let request = try #require(issuer.upstream.requests.last { $0.url == issuer.tokenURL })
        #expect(request.headers["authorization"] == nil)
        return try #require(Form(request.body ?? []))
    }

    private func assertion(in form: Form, by key: FakeKey, _ algorithm: Algorithm) throws -> JWT {
        let token = try UnverifiedJWT.parse(try #require(form["client_assertion"]).asString, as: .clientAssertion)
        let keys = JWKSet([JWK(key: key.key.publicKey, kid: token.kid, algorithm: algorithm)])
        return try token.verified(with: keys, algorithms: [algorithm])
    }

    @Test func `a redemption has an assertion that only this issuer can use, and no secret`() async throws {
        let form = try await form(provider(rsa))
        #expect(form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(form["client_id"] == "client-1")
        #expect(form["client_secret"] == nil)
        #expect(form["code_verifier"] == "verifier-1")
        let assertion = try assertion(in: form, by: rsa, .rs256)
        #expect(assertion.header == ["alg": "RS256", "kid": "client-key", "typ": "JWT"])
        let now = FakeIssuer.now.seconds
        var claims = assertion.claims.object ?? [:]
        #expect((claims["jti"]?.string?.utf8.count ?? 0) >= 20)
        claims["jti"] = nil
        let expected: JSON = [
            "iss": "client-1", "sub": "client-1", "aud": "https://issuer.example", "iat": .integer(now), "exp": .integer(now + 300),
        ]
        #expect(JSON.object(claims) == expected)
    }

    @Test func `each request has an assertion of its own`() async throws {
        let first = try assertion(in: try await form(provider(rsa)), by: rsa, .rs256)
        let second = try assertion(in: try await form(provider(rsa)), by: rsa, .rs256)
        #expect(first.claims["jti"] != second.claims["jti"])
    }

    @Test func `an issuer of the older form gets the address of its token endpoint`() async throws {
        let form = try await form(provider(rsa) { $0.assertionAudience = .tokenEndpoint })
        #expect(try assertion(in: form, by: rsa, .rs256).claims["aud"] == .string(issuer.tokenURL))
    }

    @Test func `a server beside the token endpoint gets no assertion for the token endpoint`() async throws {
        for (endpoint, isAsked) in [("https://issuer.example/revoke", true), ("https://elsewhere.example/revoke", false)] {
            issuer.publish(["revocation_endpoint": .string(endpoint)])
            issuer.upstream.answer(endpoint, text: "")
            let provider = provider(rsa) { $0.assertionAudience = .tokenEndpoint }
            let error = await failure { () async throws(ProviderError) in _ = try await provider.revoke(.accessToken("token-1")) }
            #expect((error == nil) == isAsked && (issuer.upstream.count(endpoint) == 1) == isAsked)
        }
    }

    @Test func `the kind of key and the issuer's list decide the algorithm`() async throws {
        let ec = try FakeKey.ec("client-key")
        _ = try assertion(in: try await form(provider(ec)), by: ec, .es256)
        issuer.publish(["token_endpoint_auth_signing_alg_values_supported": ["ES512", "PS256", "ES256"]])
        _ = try assertion(in: try await form(provider(rsa)), by: rsa, .ps256)
        _ = try assertion(in: try await form(provider(ec)), by: ec, .es256)
    }

    @Test func `a key that the issuer cannot use sends nothing, and the diagnosis says so`() async throws {
        issuer.publish([
            "token_endpoint_auth_signing_alg_values_supported": ["ES256"], "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        ])
        let provider = provider(rsa)
        let error = await failure { () async throws(ProviderError) in _ = try await provider.redeem(["code": "code-1"]) }
        #expect(error?.logDetail.contains("clientKey") == true)
        #expect(issuer.upstream.count(issuer.tokenURL) == 0)
        #expect(await provider.diagnose() == ["The token endpoint takes no signature that the clientKey can make."])
    }

    @Test func `the diagnosis says whether the issuer knows the key`() async {
        issuer.publish(["token_endpoint_auth_methods_supported": ["client_secret_basic"]])
        issuer.upstream.answer(issuer.tokenURL, ["error": "invalid_client"], status: 401)
        let findings = await provider(rsa).diagnose()
        #expect(findings.count == 2)
        #expect(findings.first?.contains("not private_key_jwt") == true)
        #expect(findings.last?.hasPrefix("The provider does not accept clientId and clientKey.") == true)
        #expect(findings.last?.contains("error invalid_client") == true)
        issuer.publish(["token_endpoint_auth_methods_supported": ["private_key_jwt"]])
        issuer.upstream.answer(issuer.tokenURL, ["error": "invalid_grant"], status: 400)
        #expect(await provider(rsa).diagnose() == [])
    }

    @Test func `Microsoft finds the key by its certificate`() async throws {
        let microsoft = try FakeMicrosoft()
        let pem = try rsa.key.pem + Self.certificate(of: rsa)
        let (settings, faults) = try read(
            "microsoft.com", "clientId: \(microsoft.clientID)\nclientKey: {env: KEY}", environment: ["KEY": pem])
        #expect(faults == [])
        let provider = ConfiguredProvider(
            try #require(settings), upstream: microsoft.upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
        microsoft.upstream.answer(microsoft.tokenURL("common"), ["error": "invalid_grant"], status: 400)
        _ = await failure { () async throws(ProviderError) in _ = try await provider.redeem(["code": "code-1"]) }
        let request = try #require(microsoft.upstream.requests.last)
        let assertion = try assertion(in: try #require(Form(request.body ?? [])), by: rsa, .ps256)
        let thumbprint = try #require(try Certificate.thumbprint(pem: pem, of: rsa.key))
        #expect(assertion.header == ["alg": "PS256", "x5t#S256": .string(Base64URL.encode(thumbprint)), "typ": "JWT"])
        #expect(assertion.claims["aud"] == .string(microsoft.tokenURL("common")))
    }

    // MARK: Settings

    static func certificate(of key: FakeKey) throws -> String {
        try Certificate.selfSigned(
            key: key.key, commonName: "gatehouse", notBefore: FakeIssuer.now, notAfter: FakeIssuer.now + .seconds(86_400), serial: [1])
    }

    /// An RSA key of 1024 bits, made for this test.
    private static let small = """
        -----BEGIN PRIVATE KEY-----
        MIICeAIBADANBgkqhkiG9w0BAQEFAASCAmIwggJeAgEAAoGBAKPLDnJT1Cl3T2lC
        XP3zzxncWjcQX1ahpteU9/qx8+CLeWnkN0psmYD5iUOz0I6cTiwtGp9NRyPGGMJk
        T17q0SRA9ML9/3D9G9S95zIe75PkSyPZ6TKV4Ck1tSkUBtpOpQsD7qrBWo9OYFWv
        kcOivIQiqqawBoAdZpy+n2YYaDDTAgMBAAECgYA/2IT3F6oZx8ISm6W37/OIdxZL
        ZHxlPnnUiuLmu7r+ih93oVfUEOT9G0fgNhVToaXvHl3EPtE+Jpe8HnG54/pFcazh
        f7KgmNI4Fbv3XhXj2dvuqQ45RVxbTwNRFp4NaVcPxUjwDVGbXSgm35NyGaQPLTuL
        bIsyKRdVrXYyKaHZ4QJBANWGoXQx0ldCfS6bmLVOb2AmJL736miJF+Rfeq/8jIaX
        1zhrK9lJQl7OJMc0bZbJohF5ch7MhJTn3oXYCR8OCOsCQQDEX+OkVoFpZK/YsIqK
        bRLNJAJcu4FXg0YyD/5CicW9lbL6040dKbmoU1uzXp9ADp0HUv1zPK5jOLUnmpKM
        e325AkEAhgnBiGNOGyDN3FgogIgAOmc3YfnW2FBXAzE8nwT2YfcnT29XU0s9sq3N
        QI+Uy7c/WaDXFqZkA+WaNoLrFueEiQJBAImmuZhxtucc2BKptYNQ79PygOFl4kVo
        1KS1B0K29nBtZfdioVEm9Wgjfm0eT70EQVhn+Rd1GrycfIeVV1K4IakCQQC5t74J
        veowahXpkyR7AevCq6NVuAHkForLnCQB5OQvTCpX0cN3P7qxhHq1aNSrzp6ZMQAY
        pBKKEuumf4LHpq0g
        -----END PRIVATE KEY-----
        """

    private func faults(_ id: String, _ lines: String, key: String? = nil) throws -> [String] {
        let issuer = id == "oidc.acme" ? "issuer: https://a.example\n" : ""
        return try read(id, issuer + "clientId: web\n" + lines, environment: ["KEY": key ?? rsa.key.pem]).1
    }

    @Test func `a key alone is enough, and may have an id`() throws {
        #expect(try faults("oidc.acme", "clientKey: {env: KEY}") == [])
        let (settings, _) = try read(
            "oidc.acme",
            "issuer: https://a.example\nclientId: web\nclientKey: {env: KEY}\nclientKeyId: k1\nassertionAudience: tokenEndpoint",
            environment: ["KEY": rsa.key.pem])
        #expect(settings?.clientAuthentication == .privateKeyJwt)
        #expect(settings?.clientKey?.naming["kid"] == "k1")
        #expect(settings?.protocol.issuer?.assertions?.audience == .tokenEndpoint)
    }

    @Test func `what does not fit a key is a fault that names the key`() throws {
        let ec = try FakeKey.ec()
        for (id, lines, key, words) in [
            ("oidc.acme", "clientAuth: privateKeyJwt", nil, "clientKey: is missing"),
            ("oidc.acme", "clientKey: {env: KEY}\nclientSecret: {env: SECRET}", nil, "clientSecret: has no use"),
            ("oidc.acme", "clientKey: {env: KEY}\nclientAuth: post", nil, "clientAuth: is post"),
            ("oidc.acme", "clientAuth: none\nclientKeyId: k", nil, "clientKeyId: needs the clientKey"),
            ("oidc.acme", "clientKey: {env: KEY}", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----", "openssl pkcs8"),
            ("oidc.acme", "clientKey: {env: KEY}", "-----BEGIN PRIVATE KEY-----\nAA AA\n-----END PRIVATE KEY-----", "openssl pkcs8"),
            ("oidc.acme", "clientKey: {env: KEY}", rsa.key.pem + (try Self.certificate(of: ec)), "a certificate of another key"),
            ("microsoft.com", "clientKey: {env: KEY}", nil, "clientKey: has no certificate"),
            (
                "microsoft.com", "clientKey: {env: KEY}", ec.key.pem + (try Self.certificate(of: ec)),
                "clientKey: is not a key for PS256; it needs an RSA key"
            ),
            ("oidc.acme", "clientKey: {env: KEY}", Self.small, "make an RSA key: openssl genpkey"),
        ] as [(String, String, String?, String)] {
            let faults = try faults(id, lines, key: key)
            #expect(faults.count == 1 && faults[0].contains(words), "\(lines): \(faults)")
        }
        #expect(try faults("google.com", "clientKey: {env: KEY}").contains { $0.contains("clientKey: unknown key") })
        #expect(try faults("google.com", "clientSecret: {env: SECRET}\nclientAuth: privateKeyJwt").count == 1)
    }
}
