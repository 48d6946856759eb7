import Crypto
import HTTP
import Identity
import JSON
import TestKit
import Testing
import Text

@testable import Providers

/// Identities made of claims that no provider has proven. Who may use them is tested where requests are (`DevelopmentSignInTests`).
@Suite struct DevelopmentTests {
    private static let page = "http://localhost:8080/__/auth/development"
    private static let claims: JSON = [
        "sub": "ada", "email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace", "given_name": "Ada",
        "family_name": "Lovelace", "screen_name": "countess", "picture": "https://pictures.example/ada",
    ]
    private let providers = DevelopmentProviders(believingEveryClaimAt: Self.page, except: ["twitter.com"])

    private func provider(_ id: UTF8Text) throws -> ConfiguredProvider {
        ConfiguredProvider(
            try #require(providers.provider(id)), upstream: FakeUpstream(), cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    private func unsigned(_ claims: JSON) -> String {
        [JSON.object(["alg": "none"]), claims].map { Base64URL.encode($0.bytes()) + "." }.joined()
    }

    private func refusal(_ credential: Credential) async throws -> ProviderError? {
        let provider = try provider("github.com")
        return await failure { () async throws(ProviderError) in _ = try await provider.verify(credential) }
    }

    @Test func `has every provider of the catalogue that the project's file does not name, and no other`() {
        #expect(providers.all.map(\.id) == Provider.catalog.map(\.id).filter { $0 != "twitter.com" })
        for id: UTF8Text in ["twitter.com", "oidc.Any", "saml.any", "example.com", "password", ""] {
            #expect(providers.provider(id) == nil)
        }
    }

    @Test func `sends the browser to the page with the request of OAuth 2`() async throws {
        let url = try #require(
            AuthorizationURL(try await provider("github.com").authorize(["login_hint": "ada"], scopes: ["repo"])))
        #expect(url.base == Self.page)
        let expected: [UTF8Text: UTF8Text] = [
            "response_type": "code", "client_id": "github.com", "redirect_uri": UTF8Text(FakeIssuer.handler), "scope": "user:email repo",
            "state": "state-1", "login_hint": "ada",
        ]
        #expect(Dictionary(uniqueKeysWithValues: url.form.fields.map { ($0.name, $0.value) }) == expected)
    }

    @Test func `takes the claims of the page's answer as they are, and asks no server`() async throws {
        let provider = try provider("github.com")
        let text = Self.claims.text()
        let result = try await provider.redeem(["code": UTF8Text(text), "state": "state-1"])
        #expect(result.identity.subject == "ada" && result.identity.issuer == "development")
        #expect(result.idToken == text && result.accessToken == text)
        #expect(try await provider.verify(Credential(accessToken: UTF8Text(text))).identity == result.identity)
        let foreign = await failure { () async throws(ProviderError) in try await provider.checkIssuer("https://evil.example") }
        #expect(foreign?.reason == "The answer is from another provider.")
    }

    @Test func `makes the identity that the emulator makes`() async throws {
        let identity = try await provider("github.com").verify(Credential(idToken: Self.claims.text())).identity
        #expect(identity.email == "ada@example.com" && identity.emailVerified && identity.emailAuthoritative)
        #expect(identity.displayName == "Ada Lovelace" && identity.screenName == "countess")
        #expect(identity.photoURL == "https://pictures.example/ada")
        #expect(identity.federatedID == nil && identity.firstName == nil)
        #expect(try JSON.parse(Array(identity.rawUserInfo.utf8)) == Self.claims)
        let unproven = try await provider("github.com").verify(Credential(idToken: #"{"sub":"ada","email":"ada@example.com"}"#)).identity
        #expect(unproven.email == "ada@example.com" && !unproven.emailVerified && !unproven.emailAuthoritative)
    }

    @Test func `makes a profile of Google's from the claims`() async throws {
        let identity = try await provider("google.com").verify(Credential(idToken: Self.claims.text())).identity
        #expect(identity.federatedID == "https://accounts.google.com/ada")
        #expect(identity.firstName == "Ada" && identity.lastName == "Lovelace")
        #expect(
            try JSON.parse(Array(identity.rawUserInfo.utf8)) == [
                "granted_scopes": "openid https://www.googleapis.com/auth/userinfo.profile https://www.googleapis.com/auth/userinfo.email",
                "id": "ada", "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace", "verified_email": true,
                "locale": "en", "email": "ada@example.com", "picture": "https://pictures.example/ada",
            ])
    }

    @Test func `takes a JWT without a signature, and gives an access token where the app has none`() async throws {
        let token = unsigned(["sub": "ada"])
        let result = try await provider("google.com").verify(Credential(idToken: token))
        #expect(result.identity.subject == "ada" && result.idToken == token)
        #expect(result.accessToken == "FirebaseAuthEmulatorFakeAccessToken_google.com")
        let both = try await provider("google.com").verify(Credential(idToken: token, accessToken: "mine"))
        #expect(both.accessToken == "mine")
    }

    @Test(arguments: [
        ("{", "The made-up claims are not a JSON object."), (#"{"sub":"a""#, "The made-up claims are not a JSON object."),
        ("{}", "The made-up claims have no sub, a text that says who signs in."),
        (#"{"sub":7}"#, "The made-up claims have no sub, a text that says who signs in."),
        (#"{"sub":""}"#, "The sub of the made-up claims is empty, longer than 255 bytes, or has control characters."),
        (#"{"sub":"a\u0000b"}"#, "The sub of the made-up claims is empty, longer than 255 bytes, or has control characters."),
        (
            #"{"sub":"\#(String(repeating: "a", count: 256))"}"#,
            "The sub of the made-up claims is empty, longer than 255 bytes, or has control characters."
        ),
        (#"{"sub":"\#(String(repeating: "a", count: 20_000))"}"#, "The made-up claims are longer than 16384 bytes."),
    ])
    func `says what is wrong with claims`(claims: String, reason: String) async throws {
        #expect(try await refusal(Credential(idToken: claims))?.reason == reason)
    }

    @Test func `says that a real token cannot be verified without an entry, and shows none of it`() async throws {
        let signed = try FakeKey.ec("key").sign(["sub": "ada"])
        for token in [signed, "gho_secret", String(unsigned(["sub": "ada"]).dropLast())] {
            let reason = try #require(try await refusal(Credential(accessToken: UTF8Text(token)))?.reason)
            #expect(reason.hasPrefix("github.com has no entry in the project's file") && !reason.contains(token))
        }
        #expect(try await refusal(Credential()) == .invalidCredential("The credential has neither an ID token nor an access token."))
    }
}
