@testable import Accounts
import Crypto
import JOSE
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Session cookies, and the keys that sign them.
@Suite struct SessionCookiesTests {
    private struct Visitor {
        let fixture: Fixture
        let account: Account
        let session: Session
        let idToken: UTF8Text

        func cookie(_ life: Duration = .seconds(300)) async throws -> String {
            try await fixture.accounts.administration.sessionCookies.create(for: idToken, life: life, by: fixture.operator)
        }

        var events: Int {
            get async throws { try await fixture.database.query("SELECT 1 FROM audit_events WHERE action = 'sessionCookie.created'").count }
        }
    }

    private func visitor() async throws -> Visitor {
        let fixture = try await Fixture()
        try await fixture.loadSigningKeys()
        let (account, session, _) = try await fixture.signIn(Fixture.ada(email: "ada@example.com"))
        let token = try fixture.accounts.idTokens.issue(for: account, session, in: fixture.project)
        return Visitor(fixture: fixture, account: account, session: session, idToken: UTF8Text(token))
    }

    @Test func `has the claims of the ID token, and issuer, times and keys of its own`() async throws {
        let visitor = try await visitor()
        visitor.fixture.time.advance(.seconds(100))
        let cookie = try UnverifiedJWT.parse(try await visitor.cookie(), as: .ownIDToken)
        let verified = try cookie.verified(with: visitor.fixture.keys.publishedForSessionCookies.keys, algorithms: [.rs256])
        let token = try UnverifiedJWT.parse(visitor.idToken.asString, as: .ownIDToken)
        let now = visitor.fixture.time.clock.now().seconds
        #expect(verified.claims["iss"] == "https://session.firebase.google.com/demo")
        #expect(verified.claims["iat"]?.integer == now && verified.claims["exp"]?.integer == now + 300)
        for member in token.claims.object ?? [:] where !["iss", "iat", "exp"].contains(member.name) {
            #expect(verified.claims[member.name] == member.value, "\(member.name)")
        }
        #expect(throws: JOSEError.unknownKey) { try cookie.verified(with: visitor.fixture.keys.published.keys, algorithms: [.rs256]) }
        #expect(try await visitor.events == 1)
    }

    @Test func `is unsigned where ID tokens are, as the Admin SDKs expect of an emulator`() async throws {
        let visitor = try await visitor()
        var project = visitor.fixture.project
        project.tokens.unsigned = true
        let token = try visitor.fixture.accounts.idTokens.issue(for: visitor.account, visitor.session, in: project)
        func cookie(_ project: ProjectSettings) async throws -> String {
            try await visitor.fixture.accounts.administration.sessionCookies.create(
                for: UTF8Text(token), life: .seconds(300), by: Administrator(command: "test", of: project))
        }
        let unsigned = try await cookie(project)
        #expect(unsigned.hasSuffix("."))
        #expect(
            UnsignedJWT(provingNothing: UTF8Text(unsigned), as: .ownIDToken)?.claims?["iss"] == "https://session.firebase.google.com/demo")
        // No other project takes the unsigned ID token.
        await #expect(throws: AccountError.self) { try await cookie(visitor.fixture.project) }
        await #expect(throws: AccountError.self) { try await visitor.fixture.accounts.idTokens.account(of: unsigned, in: project) }
    }

    @Test func `is no ID token, and an ID token is no cookie`() async throws {
        let visitor = try await visitor()
        let cookie = try await visitor.cookie()
        await #expect { try await visitor.fixture.accounts.idTokens.account(of: cookie, in: visitor.fixture.project) } throws: {
            if case AccountError.invalidIDToken = $0 { true } else { false }
        }
        let cookies = visitor.fixture.keys.publishedForSessionCookies
        #expect(throws: JOSEError.unknownKey) {
            try UnverifiedJWT.parse(visitor.idToken.asString, as: .ownIDToken).verified(with: cookies.keys, algorithms: [.rs256])
        }
        #expect(Set(cookies.keys.keys.map(\.kid)).isDisjoint(with: visitor.fixture.keys.published.keys.keys.map(\.kid)))
    }

    @Test func `SEC-50 is not made for a session that has ended, nor recorded`() async throws {
        for ending in [
            "UPDATE sessions SET ended_at = now(), end_reason = 'test'", "UPDATE accounts SET disabled = true", "DELETE FROM accounts",
        ] as [SQL] {
            let visitor = try await visitor()
            _ = try await visitor.fixture.database.write(ending)
            await #expect(throws: AccountError.self) { try await visitor.cookie() }
            #expect(try await visitor.events == 0)
        }
    }

    @Test func `SEC-50 is not made when the session ends while it is being made`() async throws {
        let visitor = try await visitor()
        // The act itself, as it is written after the account was read.
        let token = try visitor.fixture.accounts.idTokens.ownToken(visitor.idToken.asString, in: visitor.fixture.project)
        _ = try await visitor.fixture.database.write("UPDATE sessions SET ended_at = now(), end_reason = 'test'")
        let act = visitor.fixture.operator.act(on: visitor.account.id, at: visitor.fixture.time.clock.now())
        await #expect(throws: PostgresError.self) {
            try await visitor.fixture.database.write(
                all: token.holdSession(in: visitor.fixture.project) + [act.record(AccountEvent(.sessionCookieCreated), in: "demo")])
        }
        #expect(try await visitor.events == 0)
    }

    @Test func `rotates keys apart from those of ID tokens, and keeps the former one for as long as a cookie lives`() async throws {
        let visitor = try await visitor()
        let store = visitor.fixture.keyStore
        let before = try await visitor.cookie()
        let new = try await store.rotate(.rs256, for: .sessionCookie).kid
        try await store.load(into: visitor.fixture.keys)
        let listed = try await store.list()
        #expect(listed.map(\.purpose) == [.idToken, .idToken, .sessionCookie, .sessionCookie])
        #expect(listed.filter { $0.purpose == .idToken }.allSatisfy { $0.retiresAt == nil })
        #expect(try UnverifiedJWT.parse(try await visitor.cookie(), as: .ownIDToken).kid != UTF8Text(new))
        visitor.fixture.time.advance(SigningKeyStore.overlap + .seconds(1))
        #expect(visitor.fixture.keys.published.keys.keys.count == 2)
        let signer = try visitor.fixture.keys.signer(for: .rs256, .sessionCookie, at: visitor.fixture.time.clock.now())
        #expect(try UnverifiedJWT.parse(try signer.sign(claims: Array("{}".utf8)), as: .ownIDToken).kid == UTF8Text(new))
        visitor.fixture.time.advance(SessionCookies.longestLife)
        try await store.load(into: visitor.fixture.keys)
        let keys = visitor.fixture.keys.publishedForSessionCookies.keys
        _ = try UnverifiedJWT.parse(before, as: .ownIDToken).verified(with: keys, algorithms: [.rs256])
        visitor.fixture.time.advance(.seconds(3600))
        try await store.load(into: visitor.fixture.keys)
        #expect(visitor.fixture.keys.publishedForSessionCookies.keys.keys.count == 1)
    }

    @Test func `withdraws a compromised key of cookies alone`() async throws {
        let visitor = try await visitor()
        let ofIDTokens = visitor.fixture.keys.published.jwks
        let new = try await visitor.fixture.keyStore.rotate(.rs256, for: .sessionCookie, compromised: true).kid
        try await visitor.fixture.keyStore.load(into: visitor.fixture.keys)
        #expect(visitor.fixture.keys.publishedForSessionCookies.keys.keys.map(\.kid) == [UTF8Text(new)])
        #expect(visitor.fixture.keys.published.jwks == ofIDTokens)
    }
}
