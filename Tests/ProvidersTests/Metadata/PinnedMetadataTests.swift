import Curl
import HTTP
import Identity
import JSON
import TestKit
import Testing

@testable import Providers
import Text

/// Issuers whose endpoints the operator decides on, wholly or in part.
@Suite struct PinnedMetadataTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    private static let entry = "issuer: https://issuer.example\nclientId: client-1\nclientSecret: {env: SECRET}\n"
    private static let endpoints = """
        endpoints:
          authorization: https://issuer.example/authorize
          token: https://issuer.example/token
          jwks: https://issuer.example/keys
        """

    private func provider(_ settings: ProviderSettings?) throws -> ConfiguredProvider {
        ConfiguredProvider(
            try #require(settings), upstream: issuer.upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    @Test func `endpoints in the entry take the place of a discovery document`() async throws {
        let (settings, faults) = try read("oidc.acme", Self.entry + Self.endpoints)
        #expect(faults == [])
        let provider = try provider(settings)
        #expect(try await provider.authorize().hasPrefix("https://issuer.example/authorize?response_type=code&"))
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        #expect(try await provider.redeem(["code": "code-1"]).identity.subject == "subject-1")
        #expect(await provider.diagnose() == [])
        #expect(issuer.upstream.count(issuer.documentURL) == 0)
    }

    @Test func `endpoints are complete, and stand alone`() throws {
        for (lines, words) in [
            ("endpoints: {token: https://issuer.example/token}", ["endpoints.authorization: is missing", "endpoints.jwks: is missing"]),
            ("endpoints: {authorization: https://a.example, jwks: https://a.example/k}", ["endpoints.token: is missing"]),
            ("flow: idToken\nendpoints: {authorization: https://a.example, jwks: https://a.example/k}", []),
            (Self.endpoints + "\ndiscoveryURL: https://issuer.example/d", ["discoveryURL: cannot stand beside endpoints"]),
            (Self.endpoints + "\n  keys: https://issuer.example/k", ["endpoints.keys: unknown key"]),
            ("endpoints: {authorization: http://a.example, jwks: x, token: https://a.example}", ["an https URL", "an https URL"]),
        ] {
            let faults = try read("oidc.acme", Self.entry + lines).1
            #expect(faults.count == words.count, "\(faults)")
            for (fault, words) in zip(faults.sorted(), words) { #expect(fault.contains(words), "\(faults)") }
        }
    }

    @Test func `an endpoint in the entry is on a host of the entry`() throws {
        let endpoints = "endpoints: {authorization: https://login.example/a, jwks: https://issuer.example/k, token: https://t.example/t}"
        #expect(
            try read("oidc.acme", Self.entry + "allowedHosts: [T.example]\n" + endpoints).1.map {
                $0.split(separator: " ", maxSplits: 1)[1]
            } == [
                "providers.oidc.acme.endpoints.authorization: is on login.example, which is neither the issuer's host nor in allowedHosts"
            ])
        #expect(try read("oidc.acme", Self.entry + endpoints).1 == [], "without allowedHosts, any host will do")
    }

    @Test func `an endpoint on a host that the entry does not list is not used`() async throws {
        let provider = issuer.provider(issuer: { $0.allowedHosts = ["login.issuer.example"] })
        issuer.publish(["token_endpoint": "https://login.issuer.example/token"])
        #expect(await provider.refusal(of: try issuer.token()) == nil)
        for (member, url) in [
            ("token_endpoint", "https://evil.example/token"), ("jwks_uri", "https://sub.issuer.example/keys"),
            ("authorization_endpoint", "https://issuer.example.evil.example/a"), ("userinfo_endpoint", "https://10.0.0.1/u"),
        ] as [(UTF8Text, JSON)] {
            let issuer = try FakeIssuer()
            issuer.publish([member: url])
            let provider = issuer.provider(issuer: { $0.allowedHosts = ["login.issuer.example"] })
            #expect(await provider.refusal(of: try issuer.token())?.logDetail.contains("allowedHosts") == true, "\(member)")
            #expect(await provider.diagnose().first?.contains("allowedHosts") == true)
            #expect(issuer.upstream.requests.allSatisfy { $0.url == issuer.documentURL || $0.url == issuer.keysURL })
        }
    }

    @Test func `hosts are hosts`() throws {
        let (settings, faults) = try read("oidc.acme", Self.entry + "allowedHosts: [Login.Acme.example, 'localhost']")
        #expect(faults == [])
        #expect((settings?.protocol.issuer as? OpenIDConnect)?.allowedHosts == ["login.acme.example", "localhost"])
        #expect(try read("oidc.acme", Self.entry + "allowedHosts: [https://a.example, 'a.example:1', a/b]").1.count == 3)
    }

    @Test func `a request asks for a posted answer where the entry says so`() async throws {
        for (mode, flow, asks) in [
            (ResponseMode.query, ProviderSettings.Flow.code, false), (.formPost, .code, true), (.query, .idToken, true),
        ] {
            let (settings, _) = try read("oidc.acme", Self.entry + "responseMode: \(mode)\nflow: \(flow)")
            let provider = try provider(settings)
            let url = try #require(AuthorizationURL(try await provider.authorize()))
            #expect(url.form["response_mode"] == (asks ? "form_post" : nil))
            #expect(provider.settings.answersByPost == asks)
        }
        issuer.publish(["response_modes_supported": ["query"]])
        #expect(await issuer.provider(issuer: { $0.responseMode = .formPost }).diagnose().first?.contains("responseMode: formPost") == true)
    }

    @Test func `what any client can write does not reach the log`() async throws {
        let mark = "written-by-a-client"
        let tokens = [
            try issuer.token(["iss": .string("https://\(mark).example")]),
            try issuer.token(["tfp": .string(mark)]), try issuer.token(["acr": .string(mark)]),
        ]
        for token in tokens {
            let error = await issuer.provider(issuer: { $0.policy = "b2c_1_in" }).refusal(of: token)
            #expect(error?.logDetail.isEmpty == false && error?.logDetail.contains(mark) == false)
        }
        let microsoft = try FakeMicrosoft()
        let other = "cccccccc-1111-4222-8333-444444444444"
        for token in [
            try microsoft.token(other, ["iss": .string("https://\(mark).example")]), try microsoft.token(other, ["ver": "1.0"]),
            try microsoft.token(other),
        ] {
            let error = await microsoft.provider(FakeMicrosoft.contoso).refusal(of: token)
            #expect(error?.logDetail.isEmpty == false && error?.logDetail.contains(mark) == false)
            #expect(error?.logDetail.contains(other) == false)
        }
        let callback = await failure { () async throws(ProviderError) in
            try await issuer.provider().checkIssuer(UTF8Text("https://\(mark).example"))
        }
        #expect(callback?.logDetail.isEmpty == false && callback?.logDetail.contains(mark) == false)
    }
}
