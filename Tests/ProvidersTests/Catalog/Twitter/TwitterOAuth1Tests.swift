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

/// Twitter as it answers one person.
private struct FakeTwitter {
    let upstream = FakeUpstream()
    static let requestURL = "https://api.twitter.com/oauth/request_token"
    static let accessURL = "https://api.twitter.com/oauth/access_token"
    static let profileURL =
        "https://api.twitter.com/1.1/account/verify_credentials.json?include_email=true&include_entities=false&skip_status=true"
    let user: JSON.Object
    static let request = OAuth1Token(token: "request-1", secret: "request-secret")

    init() throws {
        let data = try ProviderData("twitter.com")
        // A number that a double cannot hold.
        let person: JSON.Object = [
            "id": 9_007_199_254_740_993, "text_id": "9007199254740993", "user": "ada", "name": "Ada", "email": "ada@example.com",
        ]
        user = try data.answer("verify_credentials", person).object ?? [:]
        upstream.answer(Self.profileURL, .object(user))
        give(try data.form("request_token", ["token": "request-1", "secret": "request-secret"]), at: Self.requestURL)
        give(
            try data.form("access_token", person.merging(["token": "access-1", "secret": "access-secret"])), at: Self.accessURL)
    }

    func give(_ text: String, at url: String, status: Int = 200) { upstream.answer(url, text: text, status: status) }

    func provider(_ keys: String = "") throws -> ConfiguredProvider {
        let (settings, faults) = try read("twitter.com", "clientId: key-1\nclientSecret: {env: SECRET}\n\(keys)")
        #expect(faults == [])
        return ConfiguredProvider(
            try #require(settings), upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    func redeem(_ answer: Form? = nil, requestToken: OAuth1Token? = request) async throws -> ProviderResult {
        let secrets = SignInSecrets(codeVerifier: "verifier-1", nonce: "nonce-1", requestToken: requestToken)
        let answer = answer ?? ["state": "state-1", "oauth_token": "request-1", "oauth_verifier": "approved-1"]
        return try await provider().redeem(answer: answer, redirectURI: FakeIssuer.handler, secrets: secrets)
    }

    func refusal(_ answer: Form? = nil, requestToken: OAuth1Token? = request) async -> ProviderError? {
        do {
            _ = try await redeem(answer, requestToken: requestToken)
            return nil
        } catch { return error as? ProviderError }
    }

    func refusal(of credential: Credential) async throws -> ProviderError? {
        let provider = try provider()
        return await failure { () async throws(ProviderError) in _ = try await provider.verify(credential) }
    }

    func refusalOfStart() async throws -> ProviderError? {
        let provider = try provider()
        return await failure { () async throws(ProviderError) in _ = try await provider.start() }
    }
}

/// The parameters of a signed request, whose signature is right.
private func parameters(of request: OutboundRequest, _ tokenSecret: String) throws -> [String: String] {
    let header = try #require(request.headers["authorization"]).asString
    #expect(header.hasPrefix("OAuth "))
    let pairs = try header.dropFirst(6).split(separator: ", ").map { field in
        let parts = field.split(separator: "=", maxSplits: 1)
        #expect(parts[1].hasPrefix("\"") && parts[1].hasSuffix("\""))
        return (name: String(parts[0]), value: try #require(PercentEncoding.decode(String(parts[1].dropFirst().dropLast()))))
    }
    var fields = Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0) twice \($1)" })
    let signature = OAuth1Signature(
        method: request.method, url: try #require(URI.parse(request.url)), parameters: pairs.filter { $0.name != "oauth_signature" })
    #expect(fields.removeValue(forKey: "oauth_signature") == signature.signed(clientSecret: "s3cret", tokenSecret: tokenSecret))
    #expect(fields.removeValue(forKey: "oauth_nonce")?.count == 32)
    #expect(fields.removeValue(forKey: "oauth_timestamp") == "\(FakeIssuer.now.seconds)")
    #expect(fields.removeValue(forKey: "oauth_signature_method") == "HMAC-SHA1")
    #expect(fields.removeValue(forKey: "oauth_version") == "1.0")
    #expect(fields.removeValue(forKey: "oauth_consumer_key") == "key-1")
    return fields
}

@Suite struct TwitterOAuth1Tests {
    private let twitter: FakeTwitter

    init() throws { twitter = try FakeTwitter() }

    // MARK: Redirect

    @Test func `a sign-in begins with a request token, whose callback has our state`() async throws {
        let begun = try await twitter.provider().start(["force_login": "true", "lang": "de"], scopes: ["tweet.read"])
        #expect(begun.url == "https://api.twitter.com/oauth/authenticate?oauth_token=request-1&force_login=true&lang=de#")
        #expect(begun.requestToken == FakeTwitter.request)
        let request = try #require(twitter.upstream.requests.first)
        #expect(request.method == .post && request.url == FakeTwitter.requestURL && request.body == [])
        #expect(try parameters(of: request, "") == ["oauth_callback": "\(FakeIssuer.handler)?state=state-1"])
    }

    @Test func `a callback with a query keeps it`() async throws {
        _ = try await twitter.provider().start(redirectURI: "https://app.example/cb?a=1")
        let request = try #require(twitter.upstream.requests.first)
        #expect(try parameters(of: request, "") == ["oauth_callback": "https://app.example/cb?a=1&state=state-1"])
    }

    @Test func `each request has a nonce of its own`() async throws {
        for _ in 1...2 { _ = try await twitter.provider().start() }
        #expect(Set(twitter.upstream.requests.compactMap { $0.headers["authorization"] }).count == 2)
    }

    @Test(arguments: ["oauth_token", "oauth_callback", "OAuth_Token", "state"])
    func `an app cannot replace what the flow sends`(name: String) async throws {
        let provider = try twitter.provider()
        let error = await failure { () async throws(ProviderError) in _ = try await provider.start([name: "x"]) }
        #expect(error?.isBadParameter == true)
        #expect(twitter.upstream.requests.isEmpty)
    }

    @Test(arguments: ["", "&oauth_callback_confirmed=false", "&oauth_callback_confirmed=true&oauth_callback_confirmed=true"])
    func `a provider that does not confirm the callback is refused`(confirmation: String) async throws {
        twitter.give("oauth_token=request-1&oauth_token_secret=s\(confirmation)", at: FakeTwitter.requestURL)
        guard case .misconfigured(_, let detail)? = try await twitter.refusalOfStart() else { return #expect(Bool(false)) }
        #expect(detail.contains("does not speak OAuth 1.0a"))
    }

    @Test(arguments: [
        "oauth_token=a&oauth_callback_confirmed=true", "oauth_token=&oauth_token_secret=s&oauth_callback_confirmed=true",
        "oauth_token=a&oauth_token=b&oauth_token_secret=s&oauth_callback_confirmed=true", "<html>", "", "%",
    ])
    func `an answer without one token begins nothing`(text: String) async throws {
        twitter.give(text, at: FakeTwitter.requestURL)
        #expect(try await twitter.refusalOfStart()?.reason == "The provider sent no token.")
    }

    @Test func `a request token and its verifier become a person, and a token with its secret`() async throws {
        let result = try await twitter.redeem()
        #expect(result.identity.subject == "9007199254740993")
        #expect(result.identity.issuer == "https://api.twitter.com")
        #expect(result.identity.displayName == "Ada" && result.identity.screenName == "ada")
        #expect(result.identity.photoURL == "https://pbs.example/ada_normal.jpg")
        #expect(result.identity.email == "ada@example.com")
        #expect(!result.identity.emailVerified && !result.identity.emailAuthoritative)
        #expect(try JSON.parse(Array(result.identity.rawUserInfo.utf8)) == .object(twitter.user))
        #expect(result.accessToken == "access-1" && result.accessTokenSecret == "access-secret")
        #expect(result.idToken == nil && result.refreshToken == nil)
        #expect(try JSON(encoding: result).decode(ProviderResult.self) == result)
        let (exchange, call) = (twitter.upstream.requests[0], twitter.upstream.requests[1])
        #expect(exchange.method == .post && exchange.url == FakeTwitter.accessURL)
        #expect(try parameters(of: exchange, "request-secret") == ["oauth_token": "request-1", "oauth_verifier": "approved-1"])
        #expect(call.method == .get && call.url == FakeTwitter.profileURL && call.body == nil)
        #expect(try parameters(of: call, "access-secret") == ["oauth_token": "access-1"])
    }

    @Test func `an answer with another request token is of another sign-in`() async throws {
        let foreign: Form = ["oauth_token": "request-2", "oauth_verifier": "approved-1"]
        #expect(await twitter.refusal(foreign)?.reason == "The provider's answer belongs to another sign-in.")
        #expect(await twitter.refusal(requestToken: nil)?.reason == "The provider's answer belongs to another sign-in.")
        for answer in [["oauth_token": "request-1"], ["oauth_verifier": "v"], ["oauth_token": "request-1", "oauth_verifier": ""]] as [Form]
        {
            #expect(await twitter.refusal(answer)?.reason?.hasPrefix("The provider's answer has no ") == true)
        }
        #expect(twitter.upstream.requests.isEmpty)
    }

    @Test func `a verifier that is refused, an answer without a token, and silence`() async throws {
        for status in [400, 401, 403, 302] {
            twitter.give("Request token missing", at: FakeTwitter.accessURL, status: status)
            #expect(await twitter.refusal()?.reason == "The provider refused its own answer to the sign-in.")
        }
        twitter.give("oauth_token=access-1", at: FakeTwitter.accessURL)
        #expect(await twitter.refusal()?.reason == "The provider sent no token.")
        twitter.give("", at: FakeTwitter.accessURL, status: 503)
        #expect(await twitter.refusal()?.isUnavailable == true)
        twitter.upstream.fail(FakeTwitter.accessURL, .timedOut)
        #expect(await twitter.refusal()?.isUnavailable == true)
        #expect(twitter.upstream.count(FakeTwitter.profileURL) == 0)
    }

    // MARK: The person

    @Test(arguments: [["id_str": .null], ["id_str": ""], ["id_str": 7], ["id_str": "7a"], ["id_str": "-7"]] as [JSON.Object])
    func `a profile without a number as a text identifies no person`(_ change: JSON.Object) async throws {
        var user = twitter.user
        for member in change { user[member.name] = member.value }
        twitter.upstream.answer(FakeTwitter.profileURL, .object(user))
        #expect(await twitter.refusal()?.reason == "The provider does not say who signed in.")
    }

    @Test(arguments: [.null, "", "no address", 7] as [JSON])
    func `a person without an address signs in without one`(_ email: JSON) async throws {
        var user = twitter.user
        user["email"] = email
        twitter.upstream.answer(FakeTwitter.profileURL, .object(user))
        #expect(try await twitter.redeem().identity.email == nil)
    }

    @Test func `no setting makes an address count as verified`() async throws {
        let provider = try twitter.provider("authoritativeDomains: [example.com]")
        let result = try await provider.verify(Credential(accessToken: "access-2", accessTokenSecret: "secret-2"))
        #expect(result.identity.email == "ada@example.com")
        #expect(!result.identity.emailVerified && !result.identity.emailAuthoritative)
    }

    @Test func `a plan without the call is the operator's fault, by name`() async throws {
        twitter.upstream.answer(FakeTwitter.profileURL, ["errors": [["code": 453, "message": "You currently have access"]]], status: 403)
        guard case .misconfigured(_, let detail)? = await twitter.refusal() else { return #expect(Bool(false)) }
        #expect(detail.contains("The plan of this app at X does not include this call (code 453)"))
        for status in [429, 500] {
            twitter.upstream.answer(FakeTwitter.profileURL, [:], status: status)
            #expect(await twitter.refusal()?.isUnavailable == true)
        }
    }

    // MARK: A token that an app posts

    @Test func `a token of our client signs in, and its request is signed with its secret`() async throws {
        let result = try await twitter.provider().verify(Credential(accessToken: "a&b%=+", accessTokenSecret: "secret-2"))
        #expect(result.identity.subject == "9007199254740993")
        #expect(result.accessToken == "a&b%=+" && result.accessTokenSecret == "secret-2")
        let request = try #require(twitter.upstream.requests.first)
        #expect(try parameters(of: request, "secret-2") == ["oauth_token": "a&b%=+"])
    }

    @Test(arguments: [(401, 89), (401, 32), (403, 64)] as [(Int, JSON)])
    func `a token of another client is refused`(_ status: Int, _ code: JSON) async throws {
        twitter.upstream.answer(FakeTwitter.profileURL, ["errors": [["code": code, "message": "Invalid"]]], status: status)
        let error = try await twitter.refusal(of: Credential(accessToken: "access-2", accessTokenSecret: "secret-2"))
        #expect(error?.reason == "The access token was not issued to this app, or is not valid any more.")
    }

    @Test func `a token without its secret is refused, with what is missing`() async throws {
        let text = "The credential has no oauth_token_secret, which signs requests with the access token."
        for credential in [Credential(accessToken: "access-2"), Credential(accessToken: "access-2", accessTokenSecret: "")] {
            #expect(try await twitter.refusal(of: credential) == .invalidCredential(text))
        }
        let none = Credential(idToken: "a.b.c", accessTokenSecret: "secret-2")
        #expect(try await twitter.refusal(of: none) == .invalidCredential("The credential has no access token."))
        #expect(twitter.upstream.requests.isEmpty)
    }

    // MARK: Settings and diagnosis

    @Test func `an entry of two lines is enough`() throws {
        let settings = try twitter.provider().settings
        #expect(settings.name == "Twitter")
        #expect(settings.scopes == [])
        #expect(settings.protocol.issuer == nil)
        let moved = try twitter.provider("apiBase: https://api.x.com/").settings
        #expect((moved.protocol.rules as? TwitterOAuth1)?.endpoints.requestToken == "https://api.x.com/oauth/request_token")
        #expect(moved.storedIssuer == settings.storedIssuer)
    }

    @Test(arguments: ["flow: code", "nonce: sha256", "clientAuth: post", "pkce: s256", "scopes: [a]", "baseURL: https://x.com"])
    func `a key that the protocol does not have is a fault`(_ line: String) throws {
        let (_, faults) = try read("twitter.com", "clientId: a\nclientSecret: {env: SECRET}\n\(line)")
        #expect(faults.count == 1 && faults[0].contains("unknown key"), "\(faults)")
    }

    @Test func `the secret is required`() throws {
        let (_, faults) = try read("twitter.com", "clientId: a")
        #expect(faults == ["3 providers.twitter.com.clientSecret: is missing; write {env: NAME} or {file: path}"])
    }

    @Test func `a request token shows that the client is accepted and its callback is registered`() async throws {
        #expect(try await twitter.provider().diagnose() == [])
        let request = try #require(twitter.upstream.requests.first)
        #expect(try parameters(of: request, "") == ["oauth_callback": FakeIssuer.handler])
    }

    @Test(
        arguments: [
            (401, #"{"errors":[{"code":32,"message":"Could not authenticate you."}]}"#, "does not accept clientId and clientSecret"),
            (
                403, #"<?xml version="1.0" encoding="UTF-8"?><errors><error code="415">Callback URL not approved</error></errors>"#,
                "The callback URL is not registered with the app at X"
            ), (403, #"{"errors":[{"code":415}]}"#, "The callback URL is not registered with the app at X"),
            (401, #"{"errors":[{"code":135}]}"#, "The clock of this server is wrong"), (403, "Desktop applications", "status 403"),
            (200, "oauth_token=a&oauth_token_secret=s", "does not speak OAuth 1.0a"),
        ])
    func `what the operator must mend is named`(status: Int, text: String, finding: String) async throws {
        twitter.give(text, at: FakeTwitter.requestURL, status: status)
        let findings = try await twitter.provider().diagnose()
        #expect(findings.count == 1 && findings[0].contains(finding), "\(findings)")
    }

    @Test func `an address that does not answer is named`() async throws {
        twitter.upstream.fail(FakeTwitter.requestURL, .unreachable("Could not resolve host: api.twitter.com"))
        #expect(
            try await twitter.provider().diagnose() == [
                "The address \(FakeTwitter.requestURL) cannot be reached: Could not resolve host: api.twitter.com."
            ])
    }
}
