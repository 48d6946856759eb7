import Curl
import JOSE
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct DiagnosisTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    @Test func `nothing is said of a provider that is well`() async throws {
        #expect(await issuer.provider().diagnose(redirectURI: FakeIssuer.handler) == [])
        for tenant in ["common", FakeMicrosoft.contoso, "contoso.onmicrosoft.com"] {
            #expect(await (try FakeMicrosoft()).provider(tenant).diagnose(redirectURI: FakeIssuer.handler) == [])
        }
    }

    @Test func `an unreachable provider is named with its reason`() async {
        issuer.upstream.fail(issuer.documentURL, .unreachable("Could not resolve host: issuer.example"))
        #expect(
            await issuer.provider().diagnose(redirectURI: FakeIssuer.handler) == [
                "The discovery document at \(issuer.documentURL) cannot be reached: Could not resolve host: issuer.example."
            ])
    }

    @Test(arguments: [
        ("https://issuer.example/", "slash at the end"), ("https://Issuer.example", "upper and lower case"), ("https://a.example", ""),
    ])
    func `an issuer mismatch is explained`(_ name: String, _ hint: String) async {
        issuer.publish(["issuer": .string(name)])
        let findings = await issuer.provider().diagnose(redirectURI: FakeIssuer.handler)
        #expect(findings.count == 1)
        #expect(findings.first?.contains("names the issuer \(name), which is not the configured https://issuer.example.") == true)
        #expect(hint.isEmpty || findings.first?.contains(hint) == true)
    }

    @Test func `unknown algorithms and keys are explained`() async {
        issuer.publish(["id_token_signing_alg_values_supported": ["HS256", "ES512"]])
        let findings = await issuer.provider().diagnose(redirectURI: FakeIssuer.handler)
        #expect(
            findings == [
                "The provider signs with ES512, HS256. This entry accepts other algorithms: ES256, EdDSA, PS256, RS256."
            ])
        issuer.publish()
        #expect(await issuer.provider { $0.algorithms = [.es256] }.diagnose(redirectURI: FakeIssuer.handler).count == 2)
    }

    @Test func `keys that cannot be read are explained`() async {
        issuer.upstream.answer(issuer.keysURL, text: "<html>")
        #expect(
            await issuer.provider().diagnose(redirectURI: FakeIssuer.handler) == ["The key set at \(issuer.keysURL) is not a JSON object."])
    }

    @Test func `what the entry asks for and the provider lacks is explained`() async {
        issuer.publish([
            "token_endpoint_auth_methods_supported": ["private_key_jwt"], "code_challenge_methods_supported": ["plain"],
            "response_modes_supported": ["query"],
        ])
        let findings = await issuer.provider().diagnose(redirectURI: FakeIssuer.handler)
        #expect(findings.contains { $0.contains("takes private_key_jwt, not client_secret_basic") })
        #expect(findings.contains { $0.contains("PKCE methods plain, not S256") })
        #expect(findings.count == 2)
        #expect(
            await issuer.provider { $0.flow = .idToken }.diagnose(redirectURI: FakeIssuer.handler).contains { $0.contains("form_post") })
        issuer.publish(["token_endpoint": .null, "userinfo_endpoint": "http://issuer.example/u"])
        let more = await issuer.provider().diagnose(redirectURI: FakeIssuer.handler)
        #expect(more.contains { $0.contains("no token_endpoint") })
        #expect(more.contains { $0.contains("without https: http://issuer.example") })
    }

    @Test func `a domain that is not a tenant is explained`() async throws {
        let microsoft = try FakeMicrosoft()
        microsoft.upstream.answer(microsoft.documentURL("gone.example"), ["error": "invalid_tenant"], status: 400)
        #expect(
            await microsoft.provider("gone.example").diagnose(redirectURI: FakeIssuer.handler) == [
                "The discovery document at \(microsoft.documentURL("gone.example")) answers with status 400."
            ])
    }

    @Test(arguments: [(401, "invalid_client"), (400, "unauthorized_client")])
    func `a client that the issuer does not know is named`(_ status: Int, _ error: UTF8Text) async {
        issuer.upstream.answer(issuer.tokenURL, ["error": .string(error)], status: status)
        let says = "\(issuer.tokenURL) says: token endpoint: status \(status), error \(error)."
        #expect(await issuer.provider().diagnose() == ["The provider does not accept clientId and clientSecret. \(says)"])
        #expect(await issuer.provider { $0.clientSecret = nil }.diagnose() == ["The provider does not accept clientId. \(says)"])
        #expect(await issuer.provider { $0.flow = .idToken }.diagnose() == [], "no code is redeemed")
    }

    @Test(arguments: ["invalid_grant", "invalid_request"] as [UTF8Text])
    func `an issuer that does not know the code knows the client`(_ error: UTF8Text) async {
        issuer.upstream.answer(issuer.tokenURL, ["error": .string(error)], status: 400)
        #expect(await issuer.provider().diagnose() == [])
        #expect(issuer.upstream.requests.last?.url == issuer.tokenURL && issuer.upstream.count(issuer.tokenURL) == 1)
        // Twitch leaves out the name of the error.
        issuer.upstream.answer(issuer.tokenURL, ["status": 400, "message": "Invalid authorization code"], status: 400)
        #expect(await issuer.provider().diagnose() == [])
    }

    @Test func `an authority of the operator's own is named with its remedy`() async {
        issuer.upstream.fail(
            issuer.documentURL, .unreachable("SSL certificate problem: unable to get local issuer certificate"))
        #expect(await issuer.provider().diagnose().first?.contains("name its PEM file in authorities") == true)
    }

    @Test func `an issuer that may be mixed up with another is noted, and is no problem`() async {
        #expect(await issuer.provider().advise().first?.contains("ownCallback: true") == true)
        #expect(await issuer.provider().diagnose(redirectURI: FakeIssuer.handler) == [])
        #expect(await issuer.provider { $0.hasOwnCallback = true }.advise() == [])
        issuer.publish(["authorization_response_iss_parameter_supported": true])
        #expect(await issuer.provider().advise() == [])
        issuer.upstream.fail(issuer.documentURL, .timedOut)
        #expect(await issuer.provider().advise() == [])
    }
}
