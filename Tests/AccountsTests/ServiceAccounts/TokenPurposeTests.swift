@testable import Accounts
import Crypto
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// SEC-77: what service accounts sign, and what this server signs itself, is taken for nothing else than what it was made for.
@Suite struct TokenPurposeTests {
    private static let issuer = "backend@demo.iam.gserviceaccount.com"
    private static let now = Instant(seconds: 1_800_000_000)
    private static let tokenURI = "https://auth.example.com/token"

    private static func claims(for audience: String) -> JSON {
        [
            "iss": .string(issuer), "sub": .string(issuer), "aud": .string(audience), "iat": 1_800_000_000, "exp": 1_800_003_600,
            "uid": "ada", "scope": "https://www.googleapis.com/auth/firebase",
        ]
    }

    private static func live(_ key: FakeKey) -> ServiceAccountKey {
        ServiceAccountKey(
            projectID: "demo", id: key.id, rights: [.customTokens],
            key: JWK(key: key.key.publicKey, kid: UTF8Text(key.id), algorithm: .rs256))
    }

    @Test(arguments: TokenSample.all) func `SEC-77 a back end signs people in by custom tokens alone`(sample: TokenSample) throws {
        let key = try FakeKey.rsa()
        func isTaken(_ audience: String) throws -> Bool {
            let text = UTF8Text(try sample.sign(Self.claims(for: audience), by: key))
            let token = try? CustomToken.Unverified.parse(text).verified(by: [Self.live(key)], for: "demo", at: Self.now)
            return token != nil
        }
        #expect(try isTaken(CustomToken.audience) == sample.readers.contains(.customToken))
        #expect(try !isTaken(Self.tokenURI))
    }

    @Test(arguments: TokenSample.all) func `SEC-77 a back end gets access by an assertion alone`(sample: TokenSample) throws {
        let key = try FakeKey.rsa()
        func isTaken(_ audience: String) throws -> Bool {
            let text = UTF8Text(try sample.sign(Self.claims(for: audience), by: key))
            let assertion = try? ServiceAccountAssertion.parse(text, scope: nil, tokenURI: Self.tokenURI, at: Self.now)
            return try assertion?.signer(among: [Self.live(key)]) != nil
        }
        #expect(try isTaken(Self.tokenURI) == sample.readers.contains(.authorizationGrant))
        #expect(try !isTaken(CustomToken.audience))
    }

    @Test func `SEC-77 each of our own tokens is taken where it belongs, and nowhere else`() async throws {
        let clients = try await ClientFixture()
        let (accounts, project) = (clients.fixture.accounts, clients.project)
        let (browser, session) = try await clients.granted(scopes: ["openid"])
        let subject = ClientTokens.Subject(browser.account, session, of: clients.app, by: nil)
        let app = try await clients.signIn()
        let idToken = try accounts.idTokens.issue(for: app.account, app.session, in: project)
        let access = try accounts.openID.tokens.accessToken(
            subject, scopes: ["openid"], userInfo: "https://auth.example.com/demo/openid/userinfo", in: project)
        let message = OutgoingLogout(
            clientID: session.grant.clientID, issuer: session.grant.issuer, subject: browser.account.id, sid: session.grant.sid)
        let tokens: [(name: String, text: String)] = [
            ("the ID token of an app", idToken),
            (
                "a session cookie",
                try await accounts.administration.sessionCookies.create(
                    for: UTF8Text(idToken), life: .seconds(600), by: clients.fixture.operator)
            ),
            (
                "the ID token of a relying party",
                try accounts.openID.tokens.idToken(subject, scopes: ["openid"], accessToken: nil, nonce: nil, in: project)
            ),
            ("an access token", access),
            ("a log-out token", try accounts.openID.tokens.logoutToken(for: message)),
        ]
        for token in tokens {
            let opensCalls = (try? await accounts.idTokens.account(of: token.text, in: project)) != nil
            #expect(opensCalls == (token.name == "the ID token of an app"), "\(token.name)")
            let opensData = try? await accounts.firestoreTokens.token(
                forIDToken: token.text, of: Fixture.firestoreAccess(), in: project, from: Fixture.here)
            #expect((opensData != nil) == opensCalls, "\(token.name)")
            let opensUserInfo = try await clients.sessions.accessToken(UTF8Text(token.text), in: project) != nil
            #expect(opensUserInfo == (token.name == "an access token"), "\(token.name)")
            let text = UTF8Text(token.text)
            #expect((try? CustomToken.Unverified.parse(text)) == nil, "\(token.name)")
            let assertion = try? ServiceAccountAssertion.parse(
                text, scope: nil, tokenURI: Self.tokenURI, at: clients.fixture.time.clock.now())
            #expect(assertion == nil, "\(token.name)")
        }
    }
}
