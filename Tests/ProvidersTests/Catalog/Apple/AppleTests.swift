import Crypto
import Curl
import HTTP
import Identity
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct AppleTests {
    private let apple: FakeApple

    init() throws { apple = try FakeApple() }

    @Test func `a sign-in begins at the pinned address, asks for a posted answer, and asks Apple nothing`() async throws {
        let text = try await apple.provider().authorize()
        let url = try #require(AuthorizationURL(text))
        #expect(url.base == "https://appleid.apple.com/auth/authorize")
        #expect(text.contains("scope=name%20email"), "Apple does not read + as a space")
        #expect(url.form["response_mode"] == "form_post" && url.form["response_type"] == "code")
        #expect(url.form["nonce"] == "nonce-1" && url.form["code_challenge_method"] == "S256")
        #expect(apple.upstream.requests.isEmpty)
    }

    @Test func `a code is redeemed with a secret that is made for the request`() async throws {
        try apple.redeems()
        let user = try apple.data.answer("user", ["first": "Ada", "last": "Lovelace", "email": "victim@example.com"]).text()
        let result = try await apple.provider().redeem(["code": "code-1", "user": UTF8Text(user)])
        let request = try #require(apple.upstream.requests.first { $0.url == FakeApple.tokenURL })
        let form = try #require(Form(request.body ?? []))
        try apple.check(secretIn: form, of: "client-1")
        #expect(form["code"] == "code-1" && form["code_verifier"] == "verifier-1" && form["redirect_uri"] == UTF8Text(FakeIssuer.handler))
        #expect(request.headers["authorization"] == nil)
        #expect(result.identity.subject == "001234.f00dcafe.1234" && result.identity.issuer == "https://appleid.apple.com")
        #expect(result.identity.email == "ada@example.com", "never the address beside the name, which the person can write")
        #expect(
            result.identity.displayName == "Ada Lovelace" && result.identity.firstName == "Ada" && result.identity.lastName == "Lovelace")
        #expect(result.identity.saysNameOnce && result.identity.photoURL == nil)
        let profile = try JSON.parse(Array(result.identity.rawUserInfo.utf8))
        #expect(profile["name"] == ["firstName": "Ada", "lastName": "Lovelace"] && profile["email"] == "ada@example.com")
        #expect(result.refreshToken == "refresh-1" && result.accessToken == "access-1" && result.expiresIn == 3600)
        #expect(!apple.upstream.requests.contains { $0.url == apple.issuer.documentURL })
    }

    @Test(
        arguments: [
            (#"{"name":{"firstName":"Ada"}}"#, "Ada"), (#"{"name":{"lastName":"Lovelace"}}"#, "Lovelace"),
            (#"{"name":{"firstName":"Zoë 💫","lastName":"O'Neil & Co"}}"#, "Zoë 💫 O'Neil & Co"),
            (#"{"name":{}}"#, nil), (#"{"name":null}"#, nil), (#"{"name":{"firstName":"","lastName":7}}"#, nil), ("{}", nil), ("", nil),
            ("[1]", nil), ("{", nil), (#"{"name":"Ada"}"#, nil), (#"{"name":{"firstName":"Ada"},"name":{"firstName":"Eve"}}"#, nil),
        ] as [(UTF8Text, String?)])
    func `a name is read where there is one, and a sign-in never fails because of it`(_ user: UTF8Text, _ name: String?) async throws {
        let identity = try await apple.identity(user: user)
        #expect(identity.displayName == name)
        #expect((try JSON.parse(Array(identity.rawUserInfo.utf8))["name"] != nil) == (name != nil))
    }

    @Test func `a name of any length is capped`() throws {
        let long = String(repeating: "a", count: 257)
        #expect(AppleName(UTF8Text(#"{"name":{"firstName":"\#(long)","lastName":"b"}}"#))?.full == "b")
        #expect(AppleName(UTF8Text(#"{"name":{"firstName":"a"},"pad":"\#(String(repeating: "a", count: 4096))"}"#)) == nil)
        #expect(AppleName(nil) == nil)
    }

    @Test(
        arguments: [
            (true, true), ("true", true), (false, false), ("false", false), ("TRUE", false), (1, false), (.null, false), ([], false),
        ] as [(JSON, Bool)])
    func `truth values may be texts, and an address that is verified joins accounts in every domain`(_ claim: JSON, _ isVerified: Bool)
        async throws
    {
        let identity = try await apple.identity(["email_verified": claim, "is_private_email": claim])
        #expect(identity.emailVerified == isVerified && identity.emailAuthoritative == isVerified && identity.emailIsRelay == isVerified)
    }

    @Test func `a private relay address is known by its domain, and an address may be absent`() async throws {
        #expect(try await apple.identity(["email": "abc@privaterelay.appleid.com"]).emailIsRelay)
        #expect(try await apple.identity(["email": "abc@PrivateRelay.AppleID.com", "is_private_email": "false"]).emailIsRelay)
        #expect(try await !apple.identity(["email": "abc@privaterelay.appleid.com.evil.example"]).emailIsRelay)
        let without = try await apple.identity(["email": .null, "email_verified": .null])
        #expect(without.email == nil && !without.emailVerified && !without.emailAuthoritative)
    }

    @Test func `a transfer to another team changes nothing`() async throws {
        #expect(try await apple.identity(["transfer_sub": "another-person"]).names == ["001234.f00dcafe.1234"])
    }

    // MARK: Whose token it is

    @Test func `SEC-01 both names of Apple are accepted, and no other, without any request`() async throws {
        #expect(try await apple.identity(["iss": "https://account.apple.com"]).issuer == "https://appleid.apple.com", "one identity space")
        let asked = apple.upstream.requests.count
        for name in ["https://appleid.apple.com/", "https://appleid.apple.com.evil.example", "http://account.apple.com", "apple.com", ""] {
            let error = try await apple.refusal(of: Credential(idToken: try apple.token(["iss": .string(name)]), rawNonce: "raw"))
            #expect(error?.reason == "The ID token comes from another issuer.")
        }
        #expect(apple.upstream.requests.count == asked)
    }

    @Test(arguments: [("client-1", true), ("com.example.app", true), ("com.example.other", false), ("sister", true), ("com.evil", false)])
    func `a token is accepted for the web, the native apps and the sister apps`(_ audience: String, _ isAccepted: Bool) async throws {
        let claims: JSON.Object = ["aud": .string(audience), "nonce": .string(NonceRule.hash("raw"))]
        let credential = Credential(idToken: try apple.token(claims), rawNonce: "raw")
        let error = try await apple.refusal(of: credential, "bundleIds: [com.example.app]\nallowedAudiences: [sister]")
        #expect(error?.reason == (isAccepted ? nil : "The ID token was issued for another app."))
    }

    @Test(
        arguments: [
            ("raw", "hash", true, true), ("raw", "hash", .null, true), ("raw", "raw", true, false), ("other", "hash", true, false),
            (nil, "hash", true, false), (nil, "hash", false, false), (nil, .null, true, false), (nil, .null, .null, false),
            ("raw", .null, true, false), ("raw", .null, .null, false), (nil, .null, "true", false),
            (nil, .null, false, true), (nil, .null, "false", true), ("raw", .null, false, true), ("raw", .null, "false", true),
        ] as [(String?, JSON, JSON, Bool)])
    func `a nonce is required, unless Apple says that the device has none`(
        _ posted: String?, _ claim: JSON, _ supported: JSON, _ isAccepted: Bool
    ) async throws {
        let nonce = claim == "hash" ? .string(NonceRule.hash("raw")) : claim
        let token = try apple.token(["nonce": nonce, "nonce_supported": supported])
        #expect(try await apple.refusal(of: Credential(idToken: token, rawNonce: posted)) == (isAccepted ? nil : .nonce))
    }

    @Test func `a redirect's own nonce is required in any case`() async throws {
        try apple.redeems(for: try apple.token(["nonce": .null, "nonce_supported": false]))
        let provider = try apple.provider()
        #expect(await failure { () async throws(ProviderError) in _ = try await provider.redeem(["code": "code-1"]) } == .nonce)
    }

    @Test func `an access token alone is refused without a request`() async throws {
        let error = try await apple.refusal(of: Credential(accessToken: "access-1"))
        #expect(error?.reason?.contains("An access token alone is not accepted from Apple") == true)
        #expect(apple.upstream.requests.isEmpty)
    }

    // MARK: The code of a native app

    private func credential(aud: String, code: UTF8Text = "native-code") throws -> Credential {
        let token = try apple.token(["aud": .string(aud), "nonce": .string(NonceRule.hash("raw"))])
        return Credential(idToken: UTF8Text(token), rawNonce: "raw", code: code)
    }

    @Test func `the code of a native app is redeemed in the name of the app`() async throws {
        try apple.redeems(of: "com.example.other")
        let result = try await apple.provider().verify(try credential(aud: "com.example.other"))
        #expect(result.refreshToken == "refresh-1" && result.accessToken == "access-1" && result.expiresIn == 3600)
        let form = apple.form
        try apple.check(secretIn: form, of: "com.example.other")
        #expect(form["code"] == "native-code" && form["redirect_uri"] == nil && form["code_verifier"] == nil)
    }

    @Test func `a code of another person, or one that Apple refuses, ends the sign-in`() async throws {
        try apple.redeems(of: "com.example.app", for: try apple.token(["sub": "another-person"]))
        #expect(
            try await apple.refusal(of: try credential(aud: "com.example.app"))?.reason
                == "The code and the ID token belong to different people.")
        try apple.redeems(of: "com.example.app", adding: ["id_token": .null])
        #expect(try await apple.refusal(of: try credential(aud: "com.example.app"))?.reason != nil)
        apple.upstream.answer(FakeApple.tokenURL, try apple.data.error("invalid_grant"))
        #expect(
            try await apple.refusal(of: try credential(aud: "com.example.app"))?.reason == "The provider refused the code (invalid_grant).")
    }

    @Test func `a code beside a token of the web is not redeemed, since it lacks what the page kept`() async throws {
        #expect(try await apple.refusal(of: try credential(aud: "client-1")) == nil)
        #expect(try await apple.refusal(of: try credential(aud: "com.example.app", code: "")) == nil)
        #expect(apple.upstream.count(FakeApple.tokenURL) == 0)
    }
}
