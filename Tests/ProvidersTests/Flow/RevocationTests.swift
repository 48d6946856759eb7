import Curl
import HTTP
import JSON
import TestKit
import Testing

@testable import Providers
import Text

/// Revocation, with Apple as the example: a client secret of its own for each client, and native apps.
@Suite struct RevocationTests {
    private let apple: FakeApple

    init() throws {
        apple = try FakeApple()
        apple.upstream.answer(FakeApple.revokeURL, text: "")
    }

    private func revoke(_ token: RevocableToken) async throws -> Bool { try await apple.provider().revoke(token) }

    private func refusal(of token: RevocableToken) async throws -> ProviderError? {
        let provider = try apple.provider()
        return await failure { () async throws(ProviderError) in _ = try await provider.revoke(token) }
    }

    @Test(
        arguments: [(.accessToken("token-1"), "access_token"), (.refreshToken("token-1"), "refresh_token")] as [(RevocableToken, UTF8Text)])
    func `a token is revoked in the name of each client that it may have been issued to`(token: RevocableToken, kind: UTF8Text) async throws
    {
        #expect(try await revoke(token))
        let forms = apple.upstream.requests.map { Form($0.body ?? []) ?? [:] }
        for (form, client) in zip(forms, ["client-1", "com.example.app", "com.example.other"]) {
            #expect(form["token"] == "token-1" && form["token_type_hint"] == kind)
            try apple.check(secretIn: form, of: client)
        }
        #expect(apple.upstream.requests.map(\.url) == Array(repeating: FakeApple.revokeURL, count: 3))
    }

    @Test func `a native app's code is redeemed in the name of the app that it was issued to, and what it gave is revoked`() async throws {
        try apple.redeems(of: "com.example.other")
        #expect(try await revoke(.code("native-code", redirectURI: nil)))
        let requests = apple.upstream.requests
        #expect(requests.map(\.url) == [FakeApple.tokenURL, FakeApple.tokenURL, FakeApple.revokeURL])
        let forms = requests.map { Form($0.body ?? []) ?? [:] }
        for (form, client) in zip(forms, ["com.example.app", "com.example.other", "com.example.other"]) {
            try apple.check(secretIn: form, of: client)
        }
        #expect(forms[1]["code"] == "native-code" && forms[1]["redirect_uri"] == nil && forms[1]["code_verifier"] == nil)
        #expect(forms[2]["token"] == "refresh-1" && forms[2]["token_type_hint"] == "refresh_token")
        try apple.redeems(of: "com.example.app", adding: ["refresh_token": .null])
        #expect(try await revoke(.code("native-code", redirectURI: nil)))
        #expect(apple.form["token"] == "access-1" && apple.form["token_type_hint"] == "access_token")
    }

    @Test func `a code of the web is redeemed with the address that it was sent to`() async throws {
        try apple.redeems()
        #expect(try await revoke(.code("web-code", redirectURI: "https://app.example/cb")))
        let form = try #require(Form(apple.upstream.requests[0].body ?? []))
        #expect(form["client_id"] == "client-1" && form["redirect_uri"] == "https://app.example/cb")
        #expect(
            try await apple.provider("").revoke(.code("web-code", redirectURI: nil)), "without native apps, a code can only be of the web")
    }

    @Test func `a code that nothing was issued for revokes nothing`() async throws {
        try apple.redeems(of: "com.evil")
        #expect(try await refusal(of: .code("stolen", redirectURI: nil))?.reason == "The provider refused the code (invalid_grant).")
        try apple.redeems(of: "com.example.app", adding: ["access_token": .null, "refresh_token": .null])
        #expect(try await refusal(of: .code("empty", redirectURI: nil))?.reason == "The provider sent no token to revoke.")
        #expect(apple.upstream.count(FakeApple.revokeURL) == 0)
        // A client that the provider does not know is the operator's to mend, so no other app is tried.
        apple.upstream.answer(FakeApple.tokenURL, try apple.data.error("invalid_client"))
        let asked = apple.upstream.count(FakeApple.tokenURL)
        guard case .clientRefused = try await refusal(of: .code("any", redirectURI: nil)) else { return #expect(Bool(false)) }
        #expect(apple.upstream.count(FakeApple.tokenURL) == asked + 1)
    }

    @Test func `a revocation that fails says whose fault it is`() async throws {
        for (status, body, words) in [
            (400, #"{"error":"invalid_client"}"#, "misconfigured"), (400, #"{"error":"unsupported_token_type"}"#, "invalidResponse"),
            (302, "", "invalidResponse"), (503, "", "unavailable"), (429, "", "unavailable"),
            (400, #"{"error":"temporarily_unavailable"}"#, "unavailable"),
        ] {
            apple.upstream.answer(FakeApple.revokeURL, text: body, status: status)
            let error = try #require(try await refusal(of: .accessToken("token-1")))
            #expect("\(error)".hasPrefix(words) && !"\(error)".contains("token-1"), "\(error)")
        }
        apple.upstream.fail(FakeApple.revokeURL, .timedOut)
        #expect(
            try await refusal(of: .accessToken("token-1"))
                == .unavailable(detail: "The revocation endpoint \(FakeApple.revokeURL) did not come in time."))
    }

    @Test func `every client is asked, and a success of one does not hide that another was not accepted`() async throws {
        apple.upstream.answer(FakeApple.revokeURL) { request in
            let isOfWeb = Form(request.body ?? [])?["client_id"] == "client-1"
            return isOfWeb ? OutboundResponse(status: 200) : OutboundResponse(status: 400, body: Array(#"{"error":"invalid_client"}"#.utf8))
        }
        guard case .misconfigured = try await refusal(of: .refreshToken("token-1")) else { return #expect(Bool(false)) }
        #expect(apple.upstream.count(FakeApple.revokeURL) == 3)
        apple.upstream.answer(FakeApple.revokeURL) { request in
            let isOfApp = Form(request.body ?? [])?["client_id"] == "com.example.other"
            return isOfApp ? OutboundResponse(status: 200) : OutboundResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8))
        }
        #expect(try await revoke(.refreshToken("token-1")), "the others refuse a token that is not theirs")
    }

    @Test func `a token that the provider does not know any more is revoked already`() async throws {
        apple.upstream.answer(FakeApple.revokeURL, ["error": "invalid_token"], status: 400)
        #expect(try await revoke(.accessToken("token-1")))
    }

    @Test(arguments: ["", "a token", "tok\r\nen", "tök", UTF8Text(String(repeating: "a", count: 65_537))] as [UTF8Text])
    func `a text that cannot be a token is not sent`(_ text: UTF8Text) async throws {
        for token in [RevocableToken.accessToken(text), .refreshToken(text), .code(text, redirectURI: nil)] {
            #expect(try await refusal(of: token) == .invalidCredential("The token is malformed."))
        }
        #expect(apple.upstream.requests.isEmpty)
    }

    @Test func `a provider without a revocation endpoint revokes nothing`() async throws {
        let issuer = try FakeIssuer()
        #expect(try await !issuer.provider().revoke(.accessToken("token-1")))
        #expect(issuer.upstream.requests.map(\.url) == [issuer.documentURL])
        issuer.publish(["revocation_endpoint": "https://issuer.example/revoke"])
        issuer.upstream.answer("https://issuer.example/revoke", text: "")
        #expect(try await issuer.provider().revoke(.accessToken("token-1")))
        #expect(issuer.upstream.requests.last?.headers["authorization"]?.hasPrefix("Basic ") == true, "as at the token endpoint")
        issuer.publish(["revocation_endpoint": "http://issuer.example/revoke"])
        let provider = issuer.provider()
        guard
            case .misconfigured = await failure({ () async throws(ProviderError) in _ = try await provider.revoke(.accessToken("token-1")) }
            )
        else { return #expect(Bool(false)) }
    }
}
