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

/// GitHub as its API answers to one person's token.
struct FakeGitHub {
    let upstream = FakeUpstream()
    let data: ProviderData
    let user: JSON.Object
    static let tokenURL = "https://github.com/login/oauth/access_token"
    static let userURL = "https://api.github.com/user"
    static let emailsURL = "https://api.github.com/user/emails?per_page=100"
    static let checkURL = "https://api.github.com/applications/client-1/token"

    init() throws {
        data = try ProviderData("github.com")
        // One that a double cannot hold.
        user = try data.answer("user", ["id": 9_007_199_254_740_993, "login": "ada", "name": .null]).object ?? [:]
        upstream.answer(Self.tokenURL, try data.answer("token", ["token": "gho_1", "scope": "user:email"]))
        upstream.answer(Self.userURL, .object(user))
        upstream.answer(Self.emailsURL, try data.answer("emails", ["email": "ada@example.com"]))
        upstream.answer(Self.checkURL, try data.answer("check", ["client": "client-1", "token": "gho_2", "user": .object(user)]))
    }

    func provider(_ keys: String = "", _ change: (inout ProviderSettings) -> Void = { _ in }) throws -> ConfiguredProvider {
        let (settings, faults) = try read("github.com", "clientId: client-1\nclientSecret: {env: SECRET}\n\(keys)")
        #expect(faults == [])
        var entry = try #require(settings)
        change(&entry)
        return ConfiguredProvider(entry, upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    func identity(_ keys: String = "") async throws -> ProviderIdentity { try await provider(keys).redeem(["code": "code-1"]).identity }

    func refusal(_ answer: Form = ["code": "code-1"]) async throws -> ProviderError? {
        let provider = try provider()
        return await failure { () async throws(ProviderError) in _ = try await provider.redeem(answer) }
    }

    func refusal(of credential: Credential) async throws -> ProviderError? {
        let provider = try provider()
        return await failure { () async throws(ProviderError) in _ = try await provider.verify(credential) }
    }
}

@Suite struct GitHubTests {
    private let gitHub: FakeGitHub

    init() throws { gitHub = try FakeGitHub() }

    // MARK: Redirect

    @Test func `the URL asks for a code, with PKCE and state, and without a nonce`() async throws {
        let url = try #require(AuthorizationURL(try await gitHub.provider().authorize(["login": "ada"], scopes: ["repo", "user:email"])))
        #expect(url.base == "https://github.com/login/oauth/authorize")
        let fields = Dictionary(url.form.fields.map { ($0.name.asString, $0.value.asString) }, uniquingKeysWith: { "\($0) twice \($1)" })
        #expect(
            fields == [
                "response_type": "code", "client_id": "client-1", "redirect_uri": FakeIssuer.handler, "scope": "user:email repo",
                "state": "state-1",
                "code_challenge": SignInSecrets(codeVerifier: "verifier-1", nonce: "").codeChallenge, "code_challenge_method": "S256",
                "login": "ada",
            ])
        #expect(gitHub.upstream.requests.isEmpty)
    }

    @Test func `a code becomes a person`() async throws {
        let result = try await gitHub.provider().redeem(["code": "code-1", "state": "state-1"])
        #expect(result.identity.subject == "9007199254740993")
        #expect(result.identity.issuer == "https://github.com")
        #expect(result.identity.displayName == nil)
        #expect(result.identity.screenName == "ada")
        #expect(result.identity.photoURL == "https://avatars.example/u/9007199254740993?v=4")
        #expect(result.identity.email == "ada@example.com")
        #expect(!result.identity.emailVerified)
        #expect(try JSON.parse(Array(result.identity.rawUserInfo.utf8)) == .object(gitHub.user))
        #expect(result.accessToken == "gho_1")
        #expect(result.idToken == nil)
    }

    @Test func `the code is redeemed with the verifier and the client's secret`() async throws {
        _ = try await gitHub.identity()
        let request = try #require(gitHub.upstream.requests.first)
        #expect(request.url == FakeGitHub.tokenURL)
        #expect(request.headers["accept"] == "application/json")
        #expect(
            Form(request.body ?? [])?.encoded() == "grant_type=authorization_code&code=code-1"
                + "&redirect_uri=https%3A%2F%2Fgatehouse.example%2F__%2Fauth%2Fhandler&code_verifier=verifier-1"
                + "&client_id=client-1&client_secret=s3cret")
        for other in gitHub.upstream.requests.dropFirst() {
            #expect(other.headers["authorization"] == "Bearer gho_1" && other.body == nil)
        }
    }

    @Test func `an error with status 200 is an error, and one about the client is the operator's`() async throws {
        gitHub.upstream.answer(FakeGitHub.tokenURL, try gitHub.data.error("bad_verification_code"))
        #expect(
            try await gitHub.refusal()
                == .grantRefused(
                    "The provider refused the code (bad_verification_code).",
                    detail: "token endpoint: status 200, error bad_verification_code"))
        for error in ["incorrect_client_credentials", "redirect_uri_mismatch"] as [UTF8Text] {
            gitHub.upstream.answer(FakeGitHub.tokenURL, try gitHub.data.error(error))
            guard case .clientRefused = try await gitHub.refusal() else {
                Issue.record("\(error)")
                continue
            }
        }
        #expect(gitHub.upstream.count(FakeGitHub.userURL) == 0)
    }

    @Test func `an answer without an access token signs in no person`() async throws {
        gitHub.upstream.answer(FakeGitHub.tokenURL, ["token_type": "bearer", "id_token": "a.b.c"])
        #expect(try await gitHub.refusal()?.reason == "The provider sent no access token.")
        #expect(gitHub.upstream.count(FakeGitHub.userURL) == 0)
    }

    @Test func `an answer may name GitHub, and no other issuer`() async throws {
        for name in [nil, "https://github.com/login/oauth"] as [UTF8Text?] { try await gitHub.provider().checkIssuer(name) }
        let provider = try gitHub.provider()
        for name in ["https://github.com", "https://github.com/login/oauth/", "https://evil.example", ""] {
            let error = await failure { () async throws(ProviderError) in try await provider.checkIssuer(UTF8Text(name)) }
            #expect(error?.reason == "The answer is from another provider.")
        }
        try await gitHub.provider("baseURL: https://git.example").checkIssuer("https://git.example/login/oauth")
    }

    @Test(arguments: [["id": "1"], ["id": 1.5], ["id": .null], ["id": true], ["id": 1e300]] as [JSON.Object])
    func `a profile without a number identifies no person`(_ change: JSON.Object) async throws {
        var user = gitHub.user
        for member in change { user[member.name] = member.value }
        gitHub.upstream.answer(FakeGitHub.userURL, .object(user))
        #expect(try await gitHub.refusal()?.reason == "The provider does not say who signed in.")
    }

    @Test func `a profile that does not come is the provider's fault, or an outage`() async throws {
        for status in [401, 403, 404] {
            gitHub.upstream.answer(FakeGitHub.userURL, ["message": "no"], status: status)
            #expect(try await gitHub.refusal()?.reason == "The provider does not say who signed in.")
        }
        gitHub.upstream.answer(FakeGitHub.userURL, text: "<html>")
        #expect(try await gitHub.refusal()?.reason == "The provider does not say who signed in.")
        for status in [429, 500, 503] {
            gitHub.upstream.answer(FakeGitHub.userURL, [:], status: status)
            #expect(try await gitHub.refusal()?.isUnavailable == true)
        }
        for headers in [["x-ratelimit-remaining": "0"], ["retry-after": "60"]] as [Headers] {
            gitHub.upstream.answer(FakeGitHub.userURL) { _ in OutboundResponse(status: 403, headers: headers) }
            #expect(try await gitHub.refusal()?.isUnavailable == true)
        }
        gitHub.upstream.answer(FakeGitHub.userURL, try gitHub.data.error("secondary rate limit"))
        #expect(try await gitHub.refusal()?.isUnavailable == true)
        gitHub.upstream.answer(FakeGitHub.tokenURL, ["message": "slow down"], status: 429)
        #expect(try await gitHub.refusal()?.isUnavailable == true)
        gitHub.upstream.fail(FakeGitHub.userURL, .timedOut)
        #expect(try await gitHub.refusal()?.isUnavailable == true)
    }

    // MARK: Addresses

    @Test(
        arguments: [
            ([["email": "ada@example.com", "primary": true, "verified": false]], nil),
            ([["email": "ada@example.com", "primary": false, "verified": true]], nil),
            ([["email": "1+ada@users.noreply.github.com", "primary": true, "verified": true]], nil),
            ([["email": "no address", "primary": true, "verified": true]], nil), ([["email": 7, "primary": true, "verified": true]], nil),
            ([["email": "ada@example.com", "primary": "true", "verified": 1]], nil), ([], nil),
            (
                [
                    ["email": "old@example.com", "primary": false, "verified": true],
                    ["email": "new@example.com", "primary": true, "verified": true],
                ], "new@example.com"
            ),
        ] as [(JSON, String?)])
    func `the address is the main one, if it is verified and a mailbox`(_ emails: JSON, _ expected: String?) async throws {
        gitHub.upstream.answer(FakeGitHub.emailsURL, emails)
        #expect(try await gitHub.identity().email == expected)
    }

    @Test func `a person whose addresses the app may not see signs in without one`() async throws {
        for status in [401, 403, 404] {
            gitHub.upstream.answer(FakeGitHub.emailsURL, ["message": "no"], status: status)
            #expect(try await gitHub.identity().email == nil)
        }
    }

    @Test func `a surprise among the addresses ends the sign-in, which would else make an account without one`() async throws {
        for (status, answer) in [(200, ["message": "no"]), (204, []), (301, []), (422, [])] as [(Int, JSON)] {
            gitHub.upstream.answer(FakeGitHub.emailsURL, answer, status: status)
            #expect(try await gitHub.refusal()?.reason == "The provider does not say which addresses the person has.")
        }
        for status in [429, 502] {
            gitHub.upstream.answer(FakeGitHub.emailsURL, [:], status: status)
            #expect(try await gitHub.refusal()?.isUnavailable == true)
        }
        gitHub.upstream.fail(FakeGitHub.emailsURL, .tooLarge)
        #expect(try await gitHub.refusal()?.reason == "The provider's answer is too long.")
    }

    @Test func `an address counts as verified only where the entry says so, and joins accounts only in the entry's domains`() async throws {
        let trusted = try await gitHub.identity("emailTrust: claim")
        #expect(trusted.emailVerified && !trusted.emailAuthoritative)
        #expect(try await gitHub.identity("emailTrust: claim\nauthoritativeDomains: [example.com]").emailAuthoritative)
        #expect(try await !gitHub.identity("emailTrust: claim\nauthoritativeDomains: [other.example]").emailAuthoritative)
    }

    // MARK: An access token that an app posts

    @Test func `a token of our client signs in`() async throws {
        let result = try await gitHub.provider().verify(Credential(accessToken: "gho_2"))
        #expect(result.identity.subject == "9007199254740993")
        #expect(result.accessToken == "gho_2")
        let request = try #require(gitHub.upstream.requests.first)
        #expect(request.method == .post && request.url == FakeGitHub.checkURL)
        #expect(request.headers["authorization"] == UTF8Text("Basic " + Base64.encode(Array("client-1:s3cret".utf8))))
        #expect(try JSON.parse(request.body ?? []) == ["access_token": "gho_2"])
    }

    @Test(
        arguments: [
            (404, ["message": "Not Found"]), (422, ["message": "Validation Failed"]), (200, [:]),
            (200, ["app": ["client_id": "client-2"], "user": ["id": 1]]),
            (200, ["app": ["client_id": "client-1"]]), (200, ["app": ["client_id": "client-1"], "user": ["id": "1"]]),
            (200, ["app": ["client_id": "client-1"], "user": ["id": 1]]),
        ] as [(Int, JSON)])
    func `a token of another app or of another person is refused`(_ status: Int, _ answer: JSON) async throws {
        gitHub.upstream.answer(FakeGitHub.checkURL, answer, status: status)
        let error = try await gitHub.refusal(of: Credential(accessToken: "gho_2"))
        #expect(error?.reason?.hasPrefix("The access token ") == true)
    }

    @Test func `a client that is not accepted is the operator's fault, and silence an outage`() async throws {
        for status in [301, 401, 403] {
            gitHub.upstream.answer(FakeGitHub.checkURL, ["message": "Bad credentials"], status: status)
            guard case .misconfigured = try await gitHub.refusal(of: Credential(accessToken: "gho_2")) else {
                Issue.record("status \(status): expected another error")
                continue
            }
        }
        gitHub.upstream.fail(FakeGitHub.checkURL, .timedOut)
        #expect(try await gitHub.refusal(of: Credential(accessToken: "gho_2"))?.isUnavailable == true)
    }

    @Test func `a credential without an access token proves nothing`() async throws {
        for credential in [Credential(), Credential(idToken: "a.b.c"), Credential(accessToken: "")] {
            #expect(try await gitHub.refusal(of: credential) == .invalidCredential("The credential has no access token."))
        }
        for token in ["a b", "a\r\nb: c", "\u{e4}", String(repeating: "x", count: 65_537)] {
            #expect(
                try await gitHub.refusal(of: Credential(accessToken: UTF8Text(token)))
                    == .invalidCredential("The access token is malformed."))
        }
        #expect(gitHub.upstream.requests.isEmpty)
    }
}
