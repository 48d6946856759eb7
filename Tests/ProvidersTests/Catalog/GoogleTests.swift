import Curl
import HTTP
import Identity
import JSON
import Runtime
import TestKit
import Testing

@testable import Providers
import Text

/// Google as an issuer, with its check of access tokens and its profile.
struct FakeGoogle {
    let data: ProviderData
    let issuer: FakeIssuer
    let user: JSON.Object
    static let infoURL = "https://oauth2.googleapis.com/tokeninfo?access_token=ya29.a-token"
    static let userURL = "https://openidconnect.googleapis.com/v1/userinfo"
    static let sub: JSON = "110248495921238986420"

    init() throws {
        let url = "https://accounts.google.com"
        data = try ProviderData("google.com")
        issuer = try FakeIssuer(url, document: try data.answer("discovery", ["base": .string(url)]))
        let person: JSON.Object = [
            "sub": Self.sub, "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace", "email": "ada@example.com",
        ]
        user = try data.answer("person", person).object ?? [:]
        issuer.upstream.answer(Self.infoURL, try data.answer("tokeninfo", ["client": "client-1", "sub": Self.sub]))
        issuer.upstream.answer(Self.userURL, .object(user))
    }

    func provider(_ keys: String = "") throws -> ConfiguredProvider {
        let (settings, faults) = try read("google.com", "clientId: client-1\nclientSecret: {env: SECRET}\n\(keys)")
        #expect(faults == [])
        return ConfiguredProvider(
            try #require(settings), upstream: issuer.upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    func token(_ changes: JSON.Object = [:]) throws -> String {
        try issuer.token(user.merging(changes))
    }

    func identity(_ changes: JSON.Object = [:], _ keys: String = "") async throws -> ProviderIdentity {
        try await provider(keys).verify(Credential(idToken: try token(changes))).identity
    }

    func refusal(of credential: Credential, _ keys: String = "") async throws -> ProviderError? {
        let provider = try provider(keys)
        return await failure { () async throws(ProviderError) in _ = try await provider.verify(credential) }
    }
}

@Suite struct GoogleTests {
    private let google: FakeGoogle

    init() throws { google = try FakeGoogle() }

    @Test func `an ID token becomes a person, with the profile by Firebase's names`() async throws {
        let identity = try await google.identity(["hd": "example.com"])
        #expect(identity.subject == "110248495921238986420")
        #expect(identity.federatedID == "https://accounts.google.com/110248495921238986420")
        #expect(identity.displayName == "Ada Lovelace" && identity.firstName == "Ada" && identity.lastName == "Lovelace")
        #expect(identity.photoURL == "https://lh3.example/a=s96-c")
        let profile = try JSON.parse(Array(identity.rawUserInfo.utf8))
        #expect(
            profile == [
                "id": "110248495921238986420", "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace",
                "email": "ada@example.com", "verified_email": true, "picture": "https://lh3.example/a=s96-c", "locale": "en",
                "hd": "example.com",
            ])
    }

    @Test func `an older token names the issuer without its scheme`() async throws {
        #expect(try await google.identity(["iss": "accounts.google.com"]).subject == "110248495921238986420")
        for name in ["https://accounts.google.com/", "http://accounts.google.com", "accounts.google.com.evil.example", "google.com", ""] {
            let error = try await google.refusal(of: Credential(idToken: try google.token(["iss": .string(name)])))
            #expect(error?.reason == "The ID token comes from another issuer.")
        }
    }

    @Test(
        arguments: [
            ("ada@gmail.com", true, .null, true), ("ada@gmail.com", false, .null, false), ("ada@example.com", true, .null, false),
            ("ada@example.com", true, "example.com", true), ("ada@example.com", true, "Example.COM", true),
            ("ada@example.com", true, "other.example", false), ("ada@example.com", "true", "example.com", true),
            ("ada@example.com", "TRUE", "example.com", false), ("ada@googlemail.evil.example", true, .null, false),
        ] as [(String, JSON, JSON, Bool)])
    func `an address is proof where Google runs its mailbox`(_ email: String, _ verified: JSON, _ domain: JSON, _ isProof: Bool)
        async throws
    {
        let identity = try await google.identity(["email": .string(email), "email_verified": verified, "hd": domain])
        #expect(identity.emailAuthoritative == isProof)
    }

    @Test func `only people of the hosted domains sign in, by the claim and not by the wish`() async throws {
        let keys = "hostedDomains: [Example.com]"
        #expect(try await google.identity(["hd": "example.com"], keys).subject == "110248495921238986420")
        for domain in ["other.example", .null, 1] as [JSON] {
            let error = try await google.refusal(of: Credential(idToken: try google.token(["hd": domain])), keys)
            #expect(error?.reason == "Accounts of this domain may not sign in here.")
        }
        let error = try await google.refusal(of: Credential(accessToken: "ya29.a-token"), keys)
        #expect(error?.reason == "Accounts of this domain may not sign in here.")
    }

    @Test func `a nonce that Google's SDK added is no obstacle, and one that the app posts is compared`() async throws {
        let token = try google.token(["nonce": .string(NonceRule.hash("raw"))])
        #expect(try await google.refusal(of: Credential(idToken: token)) == nil)
        #expect(try await google.refusal(of: Credential(idToken: token, rawNonce: "raw")) == nil)
        #expect(try await google.refusal(of: Credential(idToken: token, rawNonce: "other")) == .nonce)
        #expect(try await google.refusal(of: Credential(idToken: try google.token(), rawNonce: "raw")) == .nonce)
        #expect(try await google.refusal(of: Credential(idToken: token), "nonce: required") == .nonce)
    }

    // MARK: An access token that an app posts

    @Test func `an access token of our client signs in`() async throws {
        let result = try await google.provider().verify(Credential(accessToken: "ya29.a-token"))
        #expect(result.identity.subject == "110248495921238986420")
        #expect(result.identity.email == "ada@example.com")
        #expect(result.accessToken == "ya29.a-token")
        let profile = try #require(google.issuer.upstream.requests.last)
        #expect(profile.url == FakeGoogle.userURL && profile.headers["authorization"] == "Bearer ya29.a-token")
    }

    @Test func `an access token of a sister app signs in where the entry names it`() async throws {
        google.issuer.upstream.answer(FakeGoogle.infoURL, try google.data.answer("tokeninfo", ["client": "ios", "sub": FakeGoogle.sub]))
        #expect(
            try await google.refusal(of: Credential(accessToken: "ya29.a-token"))?.reason == "The access token was not issued to this app.")
        #expect(try await google.refusal(of: Credential(accessToken: "ya29.a-token"), "allowedAudiences: [ios]") == nil)
    }

    @Test(
        arguments: [
            (200, [:]), (200, ["aud": "client-1"]),
            (200, ["aud": "client-2", "sub": "110248495921238986420"]),
            (200, ["sub": "110248495921238986420"]), (200, ["aud": ["client-1"], "sub": "110248495921238986420"]),
            (200, ["aud": "client-1", "sub": "7", "expires_in": "3599"]),
            (200, ["aud": "client-1", "azp": "client-2", "sub": "110248495921238986420", "expires_in": "3599"]),
            (200, ["aud": "client-2", "azp": "client-1", "sub": "110248495921238986420", "expires_in": "3599"]),
            (200, ["aud": "client-1", "sub": "110248495921238986420", "expires_in": "0"]),
            (200, ["aud": "client-1", "sub": "110248495921238986420"]),
        ] as [(Int, JSON)])
    func `a token of another app or of another person is refused`(_ status: Int, _ answer: JSON) async throws {
        google.issuer.upstream.answer(FakeGoogle.infoURL, answer, status: status)
        #expect(try await google.refusal(of: Credential(accessToken: "ya29.a-token"))?.reason != nil)
    }

    @Test func `a token that Google does not know is refused`() async throws {
        google.issuer.upstream.answer(FakeGoogle.infoURL, try google.data.error("unknown token"))
        #expect(try await google.refusal(of: Credential(accessToken: "ya29.a-token"))?.reason != nil)
    }

    @Test func `an access token has no nonce, so it is refused where one is required`() async throws {
        #expect(try await google.refusal(of: Credential(accessToken: "ya29.a-token"), "nonce: required") == .nonce)
        #expect(google.issuer.upstream.requests.isEmpty)
    }

    @Test func `an outage names the address, and never the token in it`() async throws {
        google.issuer.upstream.fail(FakeGoogle.infoURL, .timedOut)
        let error = try await google.refusal(of: Credential(accessToken: "ya29.a-token"))
        #expect(error == .unavailable(detail: "The address https://oauth2.googleapis.com/tokeninfo did not come in time."))
    }

    @Test func `an entry of two lines is enough`() throws {
        let settings = try google.provider().settings
        #expect(settings.name == "Google" && settings.nonceRule == .ifPosted && settings.clientAuthentication == .post)
        #expect(settings.scopes == ["openid", "profile", "email"])
    }
}
