@testable import Accounts
import Crypto
import Curl
import HTTP
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import Webhooks

@testable import Hooks

/// The calls of hooks: what they carry, and what comes of an answer under each policy.
@Suite struct HookCallTests {
    private static let url = "https://hooks.example.com/sign-in"
    private let upstream = FakeUpstream()
    private let time = TestTime()
    private let metrics = Metrics()
    private let keys = SigningKeys()
    private let key: FakeKey
    private let calls: HookCalls
    private let project = ProjectSettings(id: "demo", number: 7, apiKeys: [], authorizedDomains: [], redirectURLs: [])

    init() throws {
        key = try FakeKey.rsa()
        try keys.replace(
            [
                SigningKey(
                    kid: "k", algorithm: .rs256, signer: Signer(key: key.key, kid: "k", algorithm: .rs256), publicJWK: .null,
                    certificate: "", signsFrom: Instant(seconds: 0))
            ], for: .idToken)
        calls = HookCalls(
            upstream: upstream,
            tokens: HookTokens(clock: time.clock, signingKeys: keys, publicURL: "https://auth.example.com"),
            traffic: HookTraffic(metrics: metrics), clock: time.clock, log: TestDatabase.silent)
    }

    private func hook(_ policy: BlockingHook.FailurePolicy = .refuse, audience: String? = nil) throws -> BlockingHook {
        let secret = try #require(WebhookSecret(Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
        var hook = BlockingHook(Webhook(url: Self.url, secrets: [secret]), audience: audience)
        hook.onFailure = policy
        return hook
    }

    private func ada() -> Account {
        var account = Account(id: "ada", at: Instant(milliseconds: 1_700_000_000_123))
        account.email = "ada@example.com"
        account.passwordUpdatedAt = Instant(seconds: 1)
        account.customAttributes = #"{"role":"reader"}"#
        account.phoneNumber = "+15555550100"
        account.identities = [LinkedIdentity(providerID: "google.com", subject: "7", email: "ada@gmail.com")]
        account.secondFactors = #"[{"mfaEnrollmentId":"1","totpInfo":{},"enrolledAt":"2026-01-01T00:00:00Z"},{"phoneInfo":"+15555550101"}]"#
        return account
    }

    private func question(_ event: HookEvent = .beforeSignIn, credential: ProviderCredential? = nil) -> HookQuestion {
        let client = Session.ClientInfo(userAgent: nil, address: "192.0.2.1", hooks: HookAttempt(languages: "de"))
        let signIn = HookedSignIn(account: ada(), method: "google.com", secondFactor: nil, credential: credential)
        return HookQuestion(event, id: "call-1", from: client, about: .signIn(signIn))
    }

    private func ask(_ hook: BlockingHook, within limit: Duration = .seconds(3)) async throws(AccountError) -> HookAnswer {
        try await calls.answer(to: question(), by: hook, within: limit, in: project)
    }

    private func outcome(_ hook: BlockingHook) async -> String {
        do throws(AccountError) { return try await ask(hook) == HookAnswer() ? "goes on" : "changed" } catch { return "\(error)" }
    }

    @Test func `a call is signed twice: by a token in Firebase's form, and by Standard Webhooks`() async throws {
        upstream.answer(Self.url, [:])
        _ = try await ask(try hook(audience: "https://hooks.example.com/x?for=run.app"))
        let request = try #require(upstream.requests.first)
        #expect(request.method == .post && request.timeout == .seconds(3) && request.maxBytes == 65_536)
        #expect(request.headers["content-type"] == "application/json" && request.headers["webhook-id"] == "call-1")
        #expect(request.headers["webhook-signature"]?.hasPrefix("v1,") == true)
        let body = try JSON.parse(try #require(request.body))
        #expect(body.object?.map(\.name) == ["data"] && body["data"]?.object?.map(\.name) == ["jwt"])
        let token = try #require(body["data"]?["jwt"]?.string)
        let claims = try JSON.parse(try #require(keys.published.claims(of: token)))
        let now = time.clock.now().seconds
        #expect(claims["iss"] == "https://securetoken.google.com/demo" && claims["aud"] == "https://hooks.example.com/x?for=run.app")
        #expect(claims["iat"] == .integer(now) && claims["exp"] == .integer(now + 30) && claims["sub"] == "ada")
        #expect(claims["event_type"] == "beforeSignIn" && claims["event_id"] == "call-1" && claims["locale"] == "de")
        #expect(claims["user_agent"] == "" && claims["ip_address"] == "192.0.2.1" && claims["sign_in_method"] == "google.com")
        let record = try #require(claims["user_record"])
        #expect(record["uid"] == "ada" && record["custom_claims"]?["role"] == "reader" && record["email_verified"] == false)
        #expect(record["metadata"]?["creation_time"] == 1_700_000_000_123 && record["tokens_valid_after_time"] == 1_700_000_000)
        #expect(record["provider_data"]?.array?.map { $0["provider_id"] } == ["password", "google.com", "phone"])
        let factors = record["multi_factor"]?["enrolled_factors"]?.array
        #expect(factors?.count == 1 && factors?.first?["uid"] == "1" && factors?.first?["factor_id"] == "totp")
        let text = String(decoding: claims.bytes(), as: UTF8.self)
        #expect(!["password_hash", "password_salt", "oauth_", "sharedSecretKey"].contains { text.contains($0) })
    }

    @Test func `tokens of providers go where the entry says so`() async throws {
        let credential = ProviderCredential(
            rawUserInfo: #"{"login":"ada"}"#, idToken: "i", accessToken: "a", tokenSecret: "s", refreshToken: "r", expiresIn: 60)
        let tokens = HookTokens(clock: time.clock, signingKeys: keys, publicURL: "https://auth.example.com")
        func claims(_ forwarded: Set<BlockingHook.ForwardedToken>) throws -> JSON {
            var hook = try hook()
            hook.forwarded = forwarded
            let token = try tokens.token(for: question(credential: credential), to: hook, in: project)
            return try JSON.parse(try #require(keys.published.claims(of: UTF8Text(token))))
        }
        let none = try claims([])
        #expect(none["raw_user_info"] == #"{"login":"ada"}"# && none.object?.contains { $0.name.hasPrefix("oauth_") } == false)
        #expect(try claims([.idToken])["oauth_id_token"] == "i" && claims([.idToken])["oauth_access_token"] == nil)
        let access = try claims([.accessToken])
        #expect(access["oauth_access_token"] == "a" && access["oauth_token_secret"] == "s" && access["oauth_expires_in"] == 60)
        #expect(access["oauth_refresh_token"] == nil && access["oauth_id_token"] == nil)
        #expect(try claims([.refreshToken])["oauth_refresh_token"] == "r")
    }

    @Test func `SEC-61 a page that gives no sound answer is judged by the policy, and a refusal is a refusal under both`() async throws {
        let (strict, lax) = (try hook(), try hook(.allow))
        for error in [OutboundError.refusedAddress, .timedOut, .tooLarge, .notConnected("x"), .unreachable("x"), .refusedURL] {
            upstream.fail(Self.url, error)
            #expect(await outcome(strict) == "hookUnavailable(ProjectSettings.HookEvent.beforeSignIn)")
            #expect(await outcome(lax) == "goes on")
        }
        for (status, body) in [(302, ""), (500, "{}"), (200, "no JSON"), (200, #"{"userRecord":{"disabled":true}}"#), (404, "gone")] {
            upstream.answer(Self.url, text: body, status: status)
            #expect(await outcome(strict) == "hookUnavailable(ProjectSettings.HookEvent.beforeSignIn)")
            #expect(await outcome(lax) == "goes on")
        }
        upstream.answer(Self.url, ["error": ["status": "PERMISSION_DENIED", "message": "Only staff."]], status: 403)
        for hook in [strict, lax] { #expect(await outcome(hook).contains("Only staff.")) }
        #expect(
            metrics.lines(of: "gatehouse_hook_calls_total").filter { !$0.hasSuffix(" 0") } == [
                #"gatehouse_hook_calls_total{hook="beforeSignIn",outcome="failed"} 22"#,
                #"gatehouse_hook_calls_total{hook="beforeSignIn",outcome="refused"} 2"#,
            ])
    }

    @Test func `after twenty failures in a row each call waits a second, until one succeeds`() async throws {
        upstream.fail(Self.url, .timedOut)
        for _ in 0..<21 { _ = await outcome(try hook()) }
        #expect(upstream.requests[19].timeout == .seconds(3) && upstream.requests[20].timeout == .seconds(1))
        upstream.answer(Self.url, [:])
        _ = await outcome(try hook())
        _ = await outcome(try hook())
        #expect(upstream.requests[21].timeout == .seconds(1) && upstream.requests[22].timeout == .seconds(3))
    }

    @Test func `of one hook at most 32 calls are under way, and other hooks have their own`() throws {
        let traffic = HookTraffic(metrics: metrics)
        let (one, other) = (
            HookTraffic.Key(projectID: "demo", event: .beforeSignIn), HookTraffic.Key(projectID: "other", event: .beforeSignIn)
        )
        for _ in 0..<32 { #expect(traffic.begin(one) == .milliseconds(6500)) }
        #expect(traffic.begin(one) == nil && traffic.begin(other) != nil)
        traffic.end(one, .success(.answer(HookAnswer())), after: .seconds(3))
        #expect(traffic.begin(one) != nil && traffic.begin(one) == nil)
        #expect(metrics.lines(of: "gatehouse_hook_slow_calls_total").contains { $0.hasSuffix(" 1") })
    }
}
