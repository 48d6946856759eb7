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

/// Facebook as Graph answers to one person's token, and the keys of Limited Login.
struct FakeFacebook {
    let upstream = FakeUpstream()
    let key: FakeKey
    let limitedKey: FakeKey
    let data: ProviderData
    let user: JSON
    let about: JSON
    static let tokenURL = "https://graph.facebook.com/v25.0/oauth/access_token"
    static let keysURL = "https://www.facebook.com/.well-known/oauth/openid/jwks/"
    static let limitedKeysURL = "https://limited.facebook.com/.well-known/oauth/openid/jwks/"
    private static let person: JSON.Object = ["id": "10215241773831025", "first": "Ada", "last": "Lovelace", "email": "ada@example.com"]

    init() throws {
        (key, limitedKey) = (try .rsa("f-1"), try .otherRSA("f-2"))
        data = try ProviderData("facebook.com")
        user = try data.answer("me", Self.person)
        let expiry = FakeIssuer.now.seconds + 3600
        about = try data.answer("debug_token", ["app": "111", "id": "10215241773831025", "expiry": .integer(expiry)])
        upstream.answer(Self.tokenURL, try data.answer("token", ["token": "EAAG1"]))
        upstream.answer(Self.meURL("EAAG1"), user)
        upstream.answer(Self.checkURL("EAAG1"), about)
        upstream.answer(Self.keysURL, ["keys": [key.json]])
        upstream.answer(Self.limitedKeysURL, ["keys": [limitedKey.json]])
    }

    private static func proof(_ token: String) -> String {
        "appsecret_proof=" + Hex.encode(Digest.hmacSHA256(key: Array("s3cret".utf8), Array(token.utf8)))
    }

    static func meURL(_ token: String) -> String {
        "https://graph.facebook.com/v25.0/me?fields=id,name,first_name,last_name,email,picture&\(proof(token))"
    }

    static func checkURL(_ token: String) -> String {
        "https://graph.facebook.com/v25.0/debug_token?input_token=\(token)&\(proof("111|s3cret"))"
    }

    func provider(_ keys: String = "") throws -> ConfiguredProvider {
        let (settings, faults) = try read("facebook.com", "clientId: \"111\"\nclientSecret: {env: SECRET}\n\(keys)")
        #expect(faults == [])
        return ConfiguredProvider(
            try #require(settings), upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    func refusal(_ keys: String = "", of credential: Credential = Credential(accessToken: "EAAG1")) async throws -> ProviderError? {
        let provider = try provider(keys)
        return await failure { () async throws(ProviderError) in _ = try await provider.verify(credential) }
    }

    /// An ID token of Limited Login; `null` removes a claim.
    func token(_ changes: JSON.Object = [:], _ key: FakeKey? = nil) throws -> String {
        let now = FakeIssuer.now.seconds
        let values = Self.person.merging(["issuer": "https://www.facebook.com", "app": "111"])
        var claims = try data.answer("limited", values).object ?? [:]
        claims["iat"] = .integer(now - 5)
        claims["exp"] = .integer(now + 3600)
        for member in changes { claims[member.name] = member.value == .null ? .none : member.value }
        return try (key ?? self.key).sign(.object(claims))
    }
}

@Suite struct FacebookTests {
    private let facebook: FakeFacebook

    init() throws { facebook = try FakeFacebook() }

    private func expectPerson(_ identity: ProviderIdentity, _ profile: JSON) throws {
        #expect(identity.subject == "10215241773831025" && identity.issuer == "https://www.facebook.com")
        #expect(identity.displayName == "Ada Lovelace" && identity.firstName == "Ada" && identity.lastName == "Lovelace")
        #expect(identity.email == "ada@example.com" && !identity.emailVerified && !identity.emailAuthoritative)
        #expect(identity.photoURL == "https://graph.facebook.com/10215241773831025/picture")
        #expect(try JSON.parse(Array(identity.rawUserInfo.utf8)) == profile)
    }

    // MARK: Redirect

    @Test func `the URL is the dialog's of one version, with PKCE and without a nonce`() async throws {
        let url = try #require(AuthorizationURL(try await facebook.provider("graphVersion: v24.0").authorize(["display": "popup"])))
        #expect(url.base == "https://www.facebook.com/v24.0/dialog/oauth")
        #expect(url.form["scope"] == "public_profile email" && url.form["code_challenge_method"] == "S256")
        #expect(url.form["display"] == "popup" && url.form["nonce"] == nil)
    }

    @Test func `a code becomes a person, by a call with the proof of our app`() async throws {
        let result = try await facebook.provider().redeem(["code": "code-1"])
        try expectPerson(result.identity, facebook.user)
        #expect(result.accessToken == "EAAG1" && result.expiresIn == 5_183_944 && result.idToken == nil)
        #expect(facebook.upstream.requests.map(\.url) == [FakeFacebook.tokenURL, FakeFacebook.meURL("EAAG1")])
        #expect(facebook.upstream.requests.last?.headers["authorization"] == "Bearer EAAG1")
    }

    @Test func `an error of the token endpoint is an object with a number`() async throws {
        func refusal(_ code: JSON, status: Int = 400) async throws -> ProviderError? {
            facebook.upstream.answer(
                FakeFacebook.tokenURL, ["error": ["message": "of ada@example.com", "type": "OAuthException", "code": code]], status: status)
            let provider = try facebook.provider()
            return await failure { () async throws(ProviderError) in _ = try await provider.redeem(["code": "code-1"]) }
        }
        #expect(
            try await refusal(100)
                == .grantRefused("The provider refused the code (100).", detail: "token endpoint: status 400, error 100"))
        for code in [1, 101, 191] as [JSON] {
            guard case .clientRefused = try await refusal(code) else {
                Issue.record("\(code)")
                continue
            }
        }
        for code in [2, 4, 17, 613] as [JSON] { #expect(try await refusal(code)?.isUnavailable == true) }
        #expect(try await refusal("a text")?.reason == "The provider refused the code (an error).")
        #expect(try await refusal(100, status: 500)?.isUnavailable == true)
    }

    // MARK: An access token that an app posts

    @Test func `a token of our app signs in`() async throws {
        try expectPerson(try await facebook.provider().verify(Credential(accessToken: "EAAG1")).identity, facebook.user)
        let check = try #require(facebook.upstream.requests.first)
        #expect(check.url == FakeFacebook.checkURL("EAAG1") && check.headers["authorization"] == "Bearer 111|s3cret")
        facebook.upstream.answer(
            FakeFacebook.checkURL("EAAG1"),
            ["data": ["app_id": 111, "type": "USER", "is_valid": true, "user_id": 10_215_241_773_831_025]])
        #expect(try await facebook.refusal() == nil, "the numbers may be numbers")
    }

    @Test(
        arguments: [
            ["is_valid": false], ["is_valid": "true"], ["is_valid": 1], ["app_id": "112"], ["app_id": .null], ["app_id": "0111"],
            ["type": "PAGE"], ["type": .null], ["user_id": .null], ["user_id": "7"], ["user_id": "10215241773831025 "],
        ] as [JSON.Object])
    func `a token of another app, kind or person is refused`(_ changes: JSON.Object) async throws {
        var about = facebook.about["data"]?.object ?? [:]
        for member in changes { about[member.name] = member.value }
        facebook.upstream.answer(FakeFacebook.checkURL("EAAG1"), ["data": .object(about)])
        #expect(try await facebook.refusal()?.reason?.hasPrefix("The access token ") == true)
    }

    @Test func `Graph answers about a token of another app with error 100`() async throws {
        facebook.upstream.answer(FakeFacebook.checkURL("EAAG1"), try facebook.data.error("foreign token"))
        #expect(
            try await facebook.refusal()
                == .invalidResponse(
                    "The access token was not issued to this app.", detail: "token check: status 400, code 100, trace AbCdEfGh"))
    }

    @Test func `a check that does not work is the operator's fault, and a limit an outage`() async throws {
        let url = FakeFacebook.checkURL("EAAG1")
        for (status, answer) in [(400, ["error": ["code": 190]]), (200, ["error": ["code": 190]]), (200, []), (301, [:])] as [(Int, JSON)] {
            facebook.upstream.answer(url, answer, status: status)
            guard case .misconfigured = try await facebook.refusal() else {
                Issue.record("\(answer)")
                continue
            }
        }
        for code in [4, 17, 613] as [JSON] {
            facebook.upstream.answer(url, ["error": ["code": code]], status: 400)
            #expect(try await facebook.refusal()?.isUnavailable == true)
        }
    }

    @Test func `the log gets the numbers of an error and not its message`() async throws {
        facebook.upstream.answer(
            FakeFacebook.meURL("EAAG1"),
            ["error": ["message": "of Ada", "code": 190, "error_subcode": 463, "fbtrace_id": "AbC"]], status: 401)
        #expect(
            try await facebook.refusal()
                == .invalidResponse(
                    "The provider does not say who signed in.",
                    detail: "profile: status 401, code 190, error_subcode 463, trace AbC"))
    }

    // MARK: Limited Login

    @Test func `an ID token of Limited Login is the same person, and nothing but its keys is fetched`() async throws {
        let result = try await facebook.provider().verify(Credential(idToken: try facebook.token()))
        // Graph's names, and of the picture what the token says.
        var profile = facebook.user.object ?? [:]
        profile["picture"] = ["data": ["url": "https://cdn.example/10215241773831025.jpg?expires=1"]]
        try expectPerson(result.identity, .object(profile))
        #expect(facebook.upstream.requests.map(\.url) == [FakeFacebook.keysURL])
    }

    @Test func `each issuer has its own keys, and the second one counts where the entry names it`() async throws {
        let limited: JSON.Object = ["iss": "https://limited.facebook.com"]
        let key = "limitedIssuer: https://limited.facebook.com"
        let token = try facebook.token(limited, facebook.limitedKey)
        #expect(try await facebook.refusal(of: Credential(idToken: token))?.reason == "The ID token comes from another issuer.")
        #expect(facebook.upstream.requests.isEmpty)
        #expect(try await facebook.refusal(key, of: Credential(idToken: token)) == nil)
        #expect(facebook.upstream.requests.map(\.url) == [FakeFacebook.limitedKeysURL])
        for crossed in [try facebook.token(limited), try facebook.token([:], facebook.limitedKey)] {
            #expect(
                try await facebook.refusal(key, of: Credential(idToken: crossed))?.reason
                    == "The ID token is signed with a key that the provider does not publish.")
        }
    }

    @Test(
        arguments: [
            ["iss": "https://facebook.com"], ["iss": "https://www.facebook.com/"], ["iss": .null], ["aud": "112"], ["sub": "ada"],
            ["exp": 0], ["azp": "112"],
        ] as [JSON.Object])
    func `an ID token with wrong claims is refused`(_ changes: JSON.Object) async throws {
        #expect(try await facebook.refusal(of: Credential(idToken: try facebook.token(changes)))?.reason != nil)
    }

    @Test func `the nonce follows the rule, and other apps' tokens count where the entry names them`() async throws {
        let token = try facebook.token(["nonce": .string(NonceRule.hash("raw"))])
        #expect(try await facebook.refusal(of: Credential(idToken: token, rawNonce: "raw")) == nil)
        #expect(try await facebook.refusal(of: Credential(idToken: token)) == .nonce)
        #expect(try await facebook.refusal("nonce: ifPosted", of: Credential(idToken: token)) == nil)
        let other = Credential(idToken: try facebook.token(["aud": "222"]))
        #expect(try await facebook.refusal("allowedAudiences: [\"222\"]", of: other) == nil)
    }

    @Test func `without Limited Login, an ID token is no credential`() async throws {
        #expect(
            try await facebook.refusal("limitedLogin: false", of: Credential(idToken: try facebook.token()))
                == .invalidCredential("The credential has no access token."))
    }

    // MARK: Settings

    @Test(arguments: [
        ("graphVersion: \"25\"", "graphVersion: expected a version of Graph such as v25.0"),
        ("graphVersion: v25.0/x", "graphVersion: expected a version of Graph such as v25.0"),
        ("graphVersion: v.0", "graphVersion: expected a version of Graph such as v25.0"),
        ("limitedIssuer: http://limited.facebook.com", "limitedIssuer: expected an https URL"), ("flow: code", "flow: unknown key"),
        ("pkce: off", "pkce: must stay on: without ID tokens, nothing else shows that a code belongs to the sign-in"),
    ])
    func `a key that cannot be is a fault`(_ line: String, _ fault: String) throws {
        let (_, faults) = try read("facebook.com", "clientId: a\nclientSecret: {env: SECRET}\n\(line)")
        #expect(faults == ["5 providers.facebook.com.\(fault)"])
    }

    @Test func `a second issuer without Limited Login is a fault`() throws {
        let (_, faults) = try read(
            "facebook.com", "clientId: a\nclientSecret: {env: SECRET}\nlimitedLogin: false\nlimitedIssuer: https://limited.facebook.com")
        #expect(faults.count == 1 && faults.first?.contains("needs limitedLogin: true") == true)
    }

    @Test func `a diagnosis asks for the client, the check and the keys`() async throws {
        facebook.upstream.answer(FakeFacebook.tokenURL, ["error": ["code": 100]], status: 400)
        facebook.upstream.answer(FakeFacebook.checkURL("not-a-token"), ["data": ["is_valid": false, "error": ["code": 190]]])
        #expect(try await facebook.provider().diagnose() == [])
        for (code, words) in [(1, "does not accept clientId and clientSecret"), (191, "does not know the redirect URI")]
            as [(Int64, String)]
        {
            facebook.upstream.answer(FakeFacebook.tokenURL, ["error": ["code": .integer(code)]], status: 400)
            let findings = try await facebook.provider().diagnose()
            #expect(findings.count == 1 && findings[0].hasPrefix("The provider \(words)") && findings[0].contains("error \(code)"))
        }
        facebook.upstream.answer(FakeFacebook.tokenURL, ["error": ["code": 100]], status: 400)
        facebook.upstream.answer(FakeFacebook.keysURL, ["keys": []])
        #expect(
            try await facebook.provider().diagnose() == [
                "The key set at \(FakeFacebook.keysURL) has no key that can be used (0 were skipped)."
            ])
    }
}
