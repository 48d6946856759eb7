@testable import Accounts
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Tests that an ID token is worthless once its session has ended, and which tokens and codes an ending reaches.
@Suite struct SessionEndingTests {
    @Test func `SEC-50 a token is dead as soon as its own session has ended, in whichever second`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, idToken) = try await fixture.signUp("ada@example.com")
        let other = try await fixture.signIn("ada@example.com")
        _ = try await fixture.caller(idToken)
        _ = try await fixture.database.write("UPDATE sessions SET ended_at = now() WHERE session_id = \(session.id)")
        await expectRefusal("sessionEnded") { try await fixture.caller(idToken) }
        #expect(try await fixture.caller(try fixture.idToken(account, other.session)).0.id == account.id)
    }

    @Test func `SEC-50 a token that a refresh signs after the ending it raced with is dead`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp("ada@example.com")
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        fixture.time.advance(.seconds(60))
        await expectRefusal("sessionEnded") { try await fixture.caller(try fixture.idToken(account, session)) }
    }

    @Test func `SEC-50 a token names a session of its own account or names none`() async throws {
        let fixture = try await Fixture.forCodes()
        let (ada, _, _) = try await fixture.signUp("ada@example.com")
        let (_, foreign, _) = try await fixture.signUp("eve@example.com")
        await expectRefusal("sessionEnded") { try await fixture.caller(try fixture.idToken(ada, foreign)) }
    }

    @Test func `SEC-50 a custom claim cannot name the session`() async throws {
        let fixture = try await Fixture.forCodes()
        var (account, session, _) = try await fixture.signUp("ada@example.com")
        account.customAttributes = #"{"sid": "AAAAAAAAAAAAAAAAAAAAAA"}"#
        #expect(try await fixture.caller(try fixture.idToken(account, session)).1.sessionID == session.id)
    }

    @Test func `a token from before tokens named their session counts until sessions of its account are ended`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, idToken) = try await fixture.signUp("ada@example.com")
        let first = try fixture.unnamed(idToken)
        let custom = try fixture.unnamed(idToken, more: ["sid": "what a custom token said"])
        #expect(try await fixture.caller(first).0.id == account.id, "of the second in which the account was made")
        #expect(try await fixture.caller(custom).0.id == account.id)
        fixture.time.advance(.milliseconds(300))
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        for token in [first, custom] { await expectRefusal("sessionEnded") { try await fixture.caller(token) } }
        fixture.time.advance(.milliseconds(300))
        let sameSecond = try fixture.unnamed(try fixture.idToken(account, session))
        await expectRefusal("sessionEnded") { try await fixture.caller(sameSecond) }
        fixture.time.advance(.seconds(1))
        let later = try fixture.unnamed(try fixture.idToken(account, session))
        #expect(try await fixture.caller(later).0.id == account.id)
    }

    @Test func `SEC-50 of versions that kept no exact time of an ending, the whole second is taken for dead`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp("ada@example.com")
        fixture.time.advance(.seconds(10))
        let token = try fixture.unnamed(try fixture.idToken(account, session))
        _ = try await fixture.database.write(
            "UPDATE accounts SET valid_since = \(fixture.time.clock.now()) WHERE account_id = \(account.id)")
        await expectRefusal("sessionEnded") { try await fixture.caller(token) }
    }

    @Test func `SEC-50 a token that does not name its session ends no others by a removal`() async throws {
        let fixture = try await Fixture.forCodes()
        let (_, session, idToken) = try await fixture.signUp("ada@example.com")
        var change = AccountChange()
        change.unlinked = ["password"]
        await expectRefusal("signInTooOld") { try await fixture.update(try fixture.unnamed(idToken), change) }
        #expect(try await fixture.refreshes(session))
    }

    @Test func `SEC-50 a provider's proof of the second of an ending, but from before it, opens nothing`() async throws {
        let fixture = try await Fixture.forCodes()
        let identity = Fixture.ada("oidc.a")
        let (account, _, _) = try await fixture.signIn(identity)
        let provenAt = fixture.time.clock.now()
        _ = try await fixture.signIn(identity, provenAt: provenAt)
        fixture.time.advance(.milliseconds(1))
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        await expectRefusal("invalidPendingToken") { try await fixture.signIn(identity, provenAt: provenAt) }
        _ = try await fixture.signIn(identity, provenAt: fixture.time.clock.now() + .milliseconds(1))
    }

    @Test func `SEC-50 a revocation ends the codes that a session asked for, and no way back of the owner's`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("ada@example.com")
        let move = try await fixture.changeCode(idToken, to: "mallory@example.com")
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        await expectRefusal("invalidActionCode") { try await fixture.apply(move) }
        let (again, session) = try await fixture.signIn("ada@example.com")
        try await fixture.apply(try await fixture.changeCode(try fixture.idToken(again, session), to: "new@example.com"))
        let back = try await fixture.code(.recoverEmail, to: "ada@example.com")
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        #expect(try await fixture.apply(back).email == "ada@example.com")
    }

    @Test func `unlinking the password ends the other sessions, and the caller's goes on with its tokens`() async throws {
        let fixture = try await Fixture.forCodes()
        let (_, session, idToken) = try await fixture.signUp("ada@example.com")
        fixture.time.advance(.seconds(5))
        let (_, other) = try await fixture.signIn("ada@example.com")
        var change = AccountChange()
        change.unlinked = ["password"]
        let (account, fresh) = try await fixture.update(idToken, change)
        #expect(fresh == nil && account.email == "ada@example.com")
        #expect(try await fixture.caller(idToken).0.hasPassword == false)
        #expect(try await fixture.refreshes(session))
        #expect(try await !fixture.refreshes(other))
        await expectRefusal("sessionEnded") { try await fixture.caller(try fixture.idToken(account, other)) }
        await expectRefusal("emailTaken") { try await fixture.signUp("ada@example.com") }
        let (linked, _) = try await fixture.linkPassword(idToken, email: "ada@example.com", password: "second password")
        #expect(linked.id == account.id)
    }

    @Test func `SEC-50 unlinking a provider ends the other sessions that it signed in, and what was asked for in them`() async throws {
        let fixture = try await Fixture.forCodes()
        let (owner, session, idToken) = try await fixture.signUp("ada@example.com")
        let thief = Fixture.ada("oidc.a", subject: "thief")
        let linked = try await fixture.signIn(thief, .link(fixture.token(owner, session)))
        let entered = try await fixture.signIn(thief)
        let elsewhere = try await fixture.signIn(Fixture.ada("oidc.b"), .link(fixture.token(owner, session)))
        let provenAt = fixture.time.clock.now()
        let move = try await fixture.changeCode(try fixture.idToken(entered.account, entered.session), to: "thief@example.com")

        var change = AccountChange()
        change.unlinked = ["oidc.a"]
        let (account, fresh) = try await fixture.update(idToken, change)
        #expect(fresh == nil && account.identities.map(\.providerID) == ["oidc.b"])
        for stays in [session, elsewhere.session] { #expect(try await fixture.refreshes(stays)) }
        #expect(try await fixture.caller(idToken).0.id == owner.id)
        for ended in [linked.session, entered.session] {
            #expect(try await !fixture.refreshes(ended))
            await expectRefusal("sessionEnded") { try await fixture.caller(try fixture.idToken(account, ended)) }
        }
        await expectRefusal("invalidActionCode") { try await fixture.apply(move) }
        await expectRefusal("invalidPendingToken") {
            try await fixture.signIn(thief, .link(fixture.token(owner, session)), provenAt: provenAt)
        }
        #expect(try await fixture.signIn(thief, provenAt: provenAt).account.id != owner.id)
    }

    @Test func `a session goes on when it unlinks the provider that signed it in`() async throws {
        let fixture = try await Fixture.forCodes()
        let first = try await fixture.signIn(Fixture.ada("oidc.b"))
        let second = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(first.account, first.session)))
        var change = AccountChange()
        change.unlinked = ["oidc.a"]
        _ = try await fixture.update(try fixture.idToken(second.account, second.session), change)
        for session in [first.session, second.session] { #expect(try await fixture.refreshes(session)) }
        fixture.time.advance(.seconds(1))
        let nameless = try fixture.unnamed(try fixture.idToken(first.account, first.session))
        change.unlinked = ["oidc.b"]
        await expectRefusal("signInTooOld") { [change] in try await fixture.update(nameless, change) }
    }
}
