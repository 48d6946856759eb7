import Curl
import HTTP
import Identity
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct AuthorizeTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    @Test func `the URL asks for a code, with PKCE, nonce and state, and ends with an empty fragment`() async throws {
        let text = try await issuer.provider().authorize(
            ["prompt": "login", "login_hint": "ada+1@example.com&x=1"], scopes: ["email", "api.read"],
            // Verifier and challenge of <https://www.rfc-editor.org/rfc/rfc7636#appendix-B>
            verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        let url = try #require(AuthorizationURL(text))
        #expect(url.base == "https://issuer.example/authorize")
        #expect(url.hasEmptyFragment)
        let fields = Dictionary(url.form.fields.map { ($0.name.asString, $0.value.asString) }, uniquingKeysWith: { "\($0) twice \($1)" })
        #expect(
            fields == [
                "response_type": "code", "client_id": "client-1", "redirect_uri": FakeIssuer.handler,
                "scope": "openid profile email api.read",
                "state": "state-1", "nonce": "nonce-1",
                "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
                "prompt": "login",
                "login_hint": "ada+1@example.com&x=1",
            ])
        #expect(text.contains("scope=openid%20profile"))
    }

    @Test func `an endpoint with a query keeps it`() async throws {
        issuer.publish(["authorization_endpoint": "https://issuer.example/authorize?p=b2c_1_in"])
        let url = try #require(AuthorizationURL(try await issuer.provider().authorize()))
        #expect(url.form["p"] == "b2c_1_in")
        #expect(url.form["client_id"] == "client-1")
    }

    @Test func `the entry's parameters are sent, and an app's of the same name give way`() async throws {
        let url = try await issuer.provider { $0.parameters = ["hd": "example.com", "prompt": "login"] }.authorize([
            "prompt": "none", "a": "b",
        ])
        let form = try #require(AuthorizationURL(url)).form
        #expect(form.all("prompt") == ["login"])
        #expect(form["hd"] == "example.com")
        #expect(form["a"] == "b")
    }

    @Test func `a provider that posts its codes is asked to`() async throws {
        let form = try #require(AuthorizationURL(try await issuer.provider(issuer: { $0.responseMode = .formPost }).authorize())).form
        #expect(form["response_type"] == "code" && form["response_mode"] == "form_post" && form["code_challenge"] != nil)
        let other = try #require(AuthorizationURL(try await issuer.provider().authorize())).form
        #expect(other["response_mode"] == nil)
    }

    @Test func `the implicit flow runs only where the entry says so`() async throws {
        let form = try #require(AuthorizationURL(try await issuer.provider { $0.flow = .idToken }.authorize())).form
        #expect(form["response_type"] == "id_token")
        #expect(form["response_mode"] == "form_post")
        #expect(form["nonce"] == "nonce-1")
        #expect(form["code_challenge"] == nil)
    }

    @Test func `PKCE can be switched off`() async throws {
        let form = try #require(AuthorizationURL(try await issuer.provider { $0.usesPKCE = false }.authorize())).form
        #expect(form["code_challenge"] == nil)
        #expect(form["code_challenge_method"] == nil)
    }

    @Test(arguments: CustomParameters.reserved.map(\.asString).sorted() + ["Client_ID", "SCOPE", "Redirect_Uri"])
    func `reserved parameters are refused`(_ name: String) async {
        let error = await failure { () async throws(ProviderError) in _ = try await issuer.provider().authorize([name: "x"]) }
        #expect(error?.isBadParameter == true)
        #expect(issuer.upstream.requests.isEmpty)
    }

    @Test(
        arguments: [
            ["": "x"], ["a\r\nb": "x"], ["a": "x\r\ny"], ["a": "x\u{0}"], ["a": "\u{7F}"], ["a": "\u{85}"], ["a": "\u{2028}"],
            [String(repeating: "n", count: 1025): "x"], ["a": String(repeating: "v", count: 1025)],
            Dictionary(uniqueKeysWithValues: (0..<21).map { ("p\($0)", "x") }),
        ])
    func `parameters out of bounds are refused`(_ parameters: [String: String]) async {
        let error = await failure { () async throws(ProviderError) in _ = try await issuer.provider().authorize(parameters) }
        #expect(error?.isBadParameter == true)
        #expect(issuer.upstream.requests.isEmpty)
    }

    @Test func `parameters at the bounds pass`() async throws {
        var parameters = Dictionary(uniqueKeysWithValues: (0..<19).map { ("p\($0)", "x") })
        parameters[String(repeating: "n", count: 1024)] = String(repeating: "v", count: 1024)
        _ = try await issuer.provider().authorize(parameters)
    }

    @Test(arguments: ["", "a b", "a\"b", "a\\b", "a\nb", "\u{e4}"])
    func `malformed scopes are refused`(_ scope: String) async {
        let error = await failure { () async throws(ProviderError) in _ = try await issuer.provider().authorize(scopes: [scope]) }
        #expect(error?.isBadParameter == true)
    }

    // MARK: RFC 9207

    @Test func `an iss in the callback must be the issuer's`() async throws {
        try await issuer.provider().checkIssuer(nil)
        try await issuer.provider().checkIssuer("https://issuer.example")
        for name in ["https://evil.example", "https://issuer.example/", "https://ISSUER.example", ""] {
            let error = await failure { () async throws(ProviderError) in try await issuer.provider().checkIssuer(UTF8Text(name))
            }
            #expect(error?.reason == "The answer is from another provider.")
        }
    }

    @Test func `a promised iss must be there`() async throws {
        issuer.publish(["authorization_response_iss_parameter_supported": true])
        try await issuer.provider().checkIssuer("https://issuer.example")
        let error = await failure { () async throws(ProviderError) in try await issuer.provider().checkIssuer(nil) }
        #expect(error?.reason == "The provider's answer does not name its issuer.")
    }

    // MARK: Discovery

    @Test(arguments: ["https://issuer.example/", "https://evil.example", "https://ISSUER.example"])
    func `a discovery document of another issuer is refused`(_ name: String) async {
        issuer.publish(["issuer": .string(name)])
        let error = await failure { () async throws(ProviderError) in _ = try await issuer.provider().authorize() }
        #expect(error?.reason == "The provider does not work as configured.")
    }

    @Test(
        arguments: [
            ["issuer": .null], ["authorization_endpoint": .null], ["jwks_uri": .null], ["jwks_uri": "keys"], ["token_endpoint": 1],
            ["authorization_endpoint": "javascript:alert(1)"], ["authorization_endpoint": "https://issuer.example/a#b"],
            ["token_endpoint": "http://issuer.example/token"], ["jwks_uri": "file:///etc/passwd"],
            ["userinfo_endpoint": "https://user@issuer.example/"],
        ] as [JSON.Object])
    func `a discovery document without proper https endpoints is refused`(_ change: JSON.Object) async {
        issuer.publish(change)
        let error = await failure { () async throws(ProviderError) in _ = try await issuer.provider().authorize() }
        #expect(error?.reason != nil)
    }

    @Test func `plain http endpoints are for development`() async throws {
        let issuer = try FakeIssuer("http://127.0.0.1:9000")
        #expect(await failure { () async throws(ProviderError) in _ = try await issuer.provider().authorize() }?.reason != nil)
        _ = try await issuer.provider { $0.allowsPlainText = true }.authorize()
    }

    @Test func `a provider that is down says so, without its address`() async {
        issuer.upstream.fail(issuer.documentURL, .unreachable("Connection refused"))
        let error = await failure { () async throws(ProviderError) in _ = try await issuer.provider().authorize() }
        #expect(error?.isUnavailable == true)
        #expect(error?.logDetail.contains("cannot be reached: Connection refused") == true)
    }

    // MARK: Errors in the callback

    @Test func `the person's no is told from the provider's`() {
        #expect(ProviderError.callback("access_denied", description: nil) == .denied("The sign-in was cancelled at the provider."))
        #expect(ProviderError.callback("user_cancelled_login", description: nil) == .denied("The sign-in was cancelled at the provider."))
        let reset = ProviderError.callback("access_denied", description: "AADB2C90118: The user has forgotten their password.")
        #expect(reset == .denied("The person asked to reset the password."))
        #expect(
            ProviderError.callback("server_error", description: "AADSTS50020: User account 'ada@example.com' does not exist")
                == .invalidResponse("The provider answered server_error.", detail: "callback with error server_error AADSTS50020"))
    }

    @Test(arguments: ["<script>", "a b", "", String(repeating: "x", count: 65), "x\r\nSet-Cookie: a=b", "\u{202E}"])
    func `an odd error name is not repeated`(_ name: String) {
        #expect(
            ProviderError.callback(UTF8Text(name), description: "call +1 555 now")
                == .invalidResponse("The provider answered an error.", detail: "callback with error an error"))
    }
}
