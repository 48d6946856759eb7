import Curl
import HTTP
import Identity
import JSON
import Runtime
import TestKit
import Testing

@testable import Providers
import Text

/// X as it answers one person by OAuth 2.0, and its call of API 1.1 for tokens that apps post.
private struct FakeX {
    let upstream = FakeUpstream()
    static let tokenURL = "https://api.x.com/2/oauth2/token"
    static let meURL =
        "https://api.x.com/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at"
    static let requestURL = "https://api.x.com/oauth/request_token"
    static let verifyURL =
        "https://api.x.com/1.1/account/verify_credentials.json?include_email=true&include_entities=false&skip_status=true"
    static let keys = "consumerKey: key-1\nconsumerSecret: {env: CONSUMER}"
    let user: JSON.Object

    init() throws {
        let data = try ProviderData("twitter.com")
        var person: JSON.Object = [
            "id": 9_007_199_254_740_993, "text_id": "9007199254740993", "user": "ada", "name": "Ada", "email": "ada@example.com",
        ]
        let me = try data.answer("me", person)
        user = me["data"]?.object ?? [:]
        upstream.answer(Self.tokenURL, try data.answer("token", ["token": "bearer-1", "scope": "users.read"]))
        upstream.answer(Self.meURL, me)
        person["email"] = ""
        upstream.answer(Self.verifyURL, try data.answer("verify_credentials", person))
    }

    func provider(_ keys: String = "", _ protocol: String = "protocol: oauth2\n") throws -> ConfiguredProvider {
        let (settings, faults) = try read(
            "twitter.com", "\(`protocol`)clientId: client-1\nclientSecret: {env: SECRET}\n\(keys)", environment: ["CONSUMER": "c0nsumer"])
        #expect(faults == [])
        return ConfiguredProvider(
            try #require(settings), upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    func refusal(of credential: Credential, _ keys: String = "") async throws -> ProviderError? {
        let provider = try provider(keys)
        return await failure { () async throws(ProviderError) in _ = try await provider.verify(credential) }
    }

    func refusal() async throws -> ProviderError? {
        let provider = try provider()
        return await failure { () async throws(ProviderError) in _ = try await provider.redeem(["code": "code-1"]) }
    }
}

@Suite struct TwitterOAuth2Tests {
    private let x: FakeX

    init() throws { x = try FakeX() }

    // MARK: Redirect

    @Test func `the URL has PKCE and the scopes that the profile needs`() async throws {
        let url = try #require(AuthorizationURL(try await x.provider("scopes: [offline.access]").authorize(["lang": "de"])))
        #expect(url.base == "https://x.com/i/oauth2/authorize")
        #expect(url.form["scope"] == "users.read tweet.read users.email offline.access")
        #expect(url.form["code_challenge_method"] == "S256" && url.form["nonce"] == nil && url.form["lang"] == "de")
        #expect(url.form["client_id"] == "client-1")
    }

    @Test func `a code becomes a person, for a client that proves itself in the header`() async throws {
        let result = try await x.provider().redeem(["code": "code-1"])
        let identity = result.identity
        #expect(identity.subject == "9007199254740993" && identity.displayName == "Ada" && identity.screenName == "ada")
        #expect(identity.photoURL == "https://pbs.example/ada_normal.jpg")
        #expect(identity.email == "ada@example.com" && !identity.emailVerified && !identity.emailAuthoritative)
        #expect(result.accessToken == "bearer-1" && result.accessTokenSecret == nil && result.idToken == nil && result.expiresIn == 7200)
        let profile = try JSON.parse(Array(identity.rawUserInfo.utf8))
        for member in x.user { #expect(profile[member.name] == member.value) }
        #expect(profile["id_str"] == "9007199254740993" && profile["screen_name"] == "ada" && profile["email"] == "ada@example.com")
        let (exchange, call) = (x.upstream.requests[0], x.upstream.requests[1])
        #expect(exchange.headers["authorization"] == "Basic Y2xpZW50LTE6czNjcmV0")
        let form = try #require(Form(exchange.body ?? []))
        #expect(form["code_verifier"] == "verifier-1" && form["client_secret"] == nil)
        #expect(call.url == FakeX.meURL && call.headers["authorization"] == "Bearer bearer-1")
    }

    @Test func `the person is the same by either protocol and at either address of the API`() async throws {
        let byOAuth2 = try await x.provider().redeem(["code": "code-1"]).identity
        let moved = try x.provider("apiBase: https://api.twitter.com").settings
        let before = try x.provider("", "").settings
        #expect(byOAuth2.issuer == "https://api.twitter.com")
        #expect(moved.storedIssuer == byOAuth2.issuer && before.storedIssuer == byOAuth2.issuer)
        let native = try await x.provider(FakeX.keys).verify(Credential(accessToken: "access-1", accessTokenSecret: "secret-1")).identity
        #expect(native.issuer == byOAuth2.issuer && native.subject == byOAuth2.subject)
    }

    @Test(arguments: [["id": 7], ["id": .null], ["id": ""], ["id": "7a"], ["id": "-7"], ["id": "٧"]] as [JSON.Object])
    func `a profile without a number as a text identifies no person`(_ change: JSON.Object) async throws {
        var user = x.user
        for member in change { user[member.name] = member.value }
        x.upstream.answer(FakeX.meURL, ["data": .object(user)])
        #expect(try await x.refusal()?.reason == "The provider does not say who signed in.")
    }

    @Test(arguments: [[:], [], "7", ["data": []], ["data": .null], ["errors": [["title": "Not Found Error"]]]] as [JSON])
    func `an answer without a profile identifies no person`(_ answer: JSON) async throws {
        x.upstream.answer(FakeX.meURL, answer)
        #expect(try await x.refusal()?.reason == "The provider does not say who signed in.")
    }

    @Test(arguments: [.null, "", "no address", 7] as [JSON])
    func `only an address that X has confirmed counts`(_ email: JSON) async throws {
        var user = x.user
        user["confirmed_email"] = email
        user["email"] = "another@example.com"
        x.upstream.answer(FakeX.meURL, ["data": .object(user)])
        #expect(try await x.provider().redeem(["code": "code-1"]).identity.email == nil)
    }

    @Test(
        arguments: [
            (403, ["reason": "client-not-enrolled", "type": "https://api.twitter.com/2/problems/client-forbidden"], "client-not-enrolled"),
            (403, ["type": "https://api.twitter.com/2/problems/client-forbidden"], "client-forbidden"),
            (402, ["type": "https://api.twitter.com/2/problems/credits"], "credits"), (402, [:], "status 402"),
        ] as [(Int, JSON, String)])
    func `a plan without the call is the operator's fault, by name`(_ status: Int, _ answer: JSON, _ name: String) async throws {
        x.upstream.answer(FakeX.meURL, answer, status: status)
        guard case .misconfigured(_, let detail)? = try await x.refusal() else { return #expect(Bool(false)) }
        #expect(detail.contains(name) && detail.contains("The app at X may not make this call"))
    }

    @Test func `a person whom X refuses is no fault of the operator's`() async throws {
        for (status, answer) in [(401, ["type": "about:blank"]), (403, ["type": "about:blank", "detail": "of Ada"])] as [(Int, JSON)] {
            x.upstream.answer(FakeX.meURL, answer, status: status)
            let error = try await x.refusal()
            #expect(error?.reason == "The provider does not say who signed in." && error?.logDetail.contains("Ada") == false)
        }
        for status in [429, 500] {
            x.upstream.answer(FakeX.meURL, [:], status: status)
            #expect(try await x.refusal()?.isUnavailable == true)
        }
    }

    // MARK: A token that an app posts

    @Test func `an access token alone is not accepted, and costs no request`() async throws {
        for keys in ["", FakeX.keys] {
            let error = try await x.refusal(of: Credential(accessToken: "bearer-1"), keys)
            #expect(error?.reason?.hasPrefix("An access token alone is not accepted from Twitter") == true)
            #expect(error?.reason?.contains("ID token") == false)
        }
        let withSecret = Credential(accessToken: "bearer-1", accessTokenSecret: "secret-1")
        #expect(try await x.refusal(of: withSecret)?.reason?.hasPrefix("An access token alone is not accepted") == true)
        #expect(x.upstream.requests.isEmpty)
    }

    @Test func `a token of OAuth 1.0a is accepted with the consumer keys, which sign the request`() async throws {
        let result = try await x.provider(FakeX.keys).verify(Credential(accessToken: "access-1", accessTokenSecret: "secret-1"))
        #expect(result.identity.subject == "9007199254740993" && result.accessTokenSecret == "secret-1")
        let request = try #require(x.upstream.requests.first)
        let header = try #require(request.headers["authorization"])
        #expect(request.url == FakeX.verifyURL && header.contains(#"oauth_consumer_key="key-1""#) && !header.contains("client-1"))
        x.upstream.answer(FakeX.verifyURL, ["errors": [["code": 89]]], status: 401)
        let foreign = try await x.refusal(of: Credential(accessToken: "access-2", accessTokenSecret: "secret-2"), FakeX.keys)
        #expect(foreign?.reason == "The access token was not issued to this app, or is not valid any more.")
    }

    // MARK: Settings and diagnosis

    @Test func `an entry of three lines is enough`() throws {
        let settings = try x.provider().settings
        #expect(settings.scopes == ["users.read", "tweet.read", "users.email"] && settings.hasOwnCallback && settings.usesPKCE)
        #expect(try x.provider("", "protocol: oauth1\n").settings.hasOwnCallback == false)
    }

    @Test(arguments: [
        ("protocol: oauth2\npkce: off", "pkce: must stay on"), ("protocol: oauth2\nflow: code", "flow: unknown key"),
        ("protocol: oauth2\nnonce: sha256", "nonce: unknown key"), ("protocol: oauth3", "protocol: expected one of: oauth1, oauth2"),
        ("protocol: oauth2\nconsumerKey: a", "consumerSecret: is missing; consumerKey needs it"),
        ("protocol: oauth2\nconsumerSecret: {env: SECRET}", "consumerKey: is missing; consumerSecret needs it"),
        ("consumerKey: a", "consumerKey: needs protocol: oauth2"),
        ("protocol: oauth2\nclientAuth: none", "clientAuth: expected one of: post, basic"),
    ])
    func `a key that does not fit the protocol is a fault`(_ lines: String, _ words: String) throws {
        let (_, faults) = try read("twitter.com", "clientId: a\nclientSecret: {env: SECRET}\n\(lines)")
        #expect(faults.count == 1 && faults[0].contains(words), "\(faults)")
    }

    @Test func `a refused code shows that the client is accepted`() async throws {
        x.upstream.answer(FakeX.tokenURL, ["error": "invalid_request"], status: 400)
        x.upstream.answer(FakeX.requestURL, text: "oauth_token=a&oauth_token_secret=s&oauth_callback_confirmed=true")
        #expect(try await x.provider().diagnose() == [])
        #expect(try await x.provider(FakeX.keys).diagnose() == [])
        // A callback that the app of the consumer keys does not have is of no use to a posted token.
        x.upstream.answer(FakeX.requestURL, ["errors": [["code": 415]]], status: 403)
        #expect(try await x.provider(FakeX.keys).diagnose() == [])
    }

    @Test func `a client that X does not know is named`() async throws {
        x.upstream.answer(FakeX.tokenURL, ["error": "unauthorized_client", "error_description": "Missing header"], status: 401)
        for (code, words) in [(32, "does not accept consumerKey and consumerSecret"), (135, "The clock of this server is wrong")]
            as [(JSON, String)]
        {
            x.upstream.answer(FakeX.requestURL, ["errors": [["code": code]]], status: 401)
            let findings = try await x.provider(FakeX.keys).diagnose()
            #expect(findings.count == 2 && findings[0].contains("unauthorized_client") && findings[1].contains(words), "\(findings)")
        }
    }
}
