@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct EmailActionTests {
    @Test func `proves an address and leaves the sessions alone`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, idToken) = try await fixture.signUp("ada@example.com")
        let code = try await fixture.verifyCode(idToken, "ada@example.com")
        let spare = try await fixture.verifyCode(idToken, "ada@example.com")
        try await fixture.apply(code)
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.emailVerified && stored.emailProven)
        #expect(stored.validSince == account.validSince)
        #expect(try await fixture.refreshes(session))
        await expectRefusal("invalidActionCode") { try await fixture.apply(code) }
        await expectRefusal("invalidActionCode") { try await fixture.apply(spare) }
    }

    @Test func `moves the account to the new address, ends the sessions and tells the old address`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, idToken) = try await fixture.signUp("ada@example.com")
        let code = try await fixture.changeCode(idToken, to: "new@example.com")
        #expect(try await fixture.stored(account.id)?.email == "ada@example.com")
        let seen = try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here)
        #expect(seen.email == "ada@example.com" && seen.newEmail == "new@example.com")
        fixture.time.advance(.seconds(2))
        try await fixture.apply(code)
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.email == "new@example.com")
        #expect(stored.emailVerified && stored.emailProven)
        #expect(stored.initialEmail == "ada@example.com")
        #expect(stored.validSince == Instant(seconds: fixture.time.clock.now().seconds))
        #expect(try await !fixture.refreshes(session))
        #expect(try await fixture.signsIn("new@example.com", "first password"))
        let notice = try #require(try await fixture.outbox.recent(in: fixture.project).first { $0.kind == .recoverEmail })
        #expect(notice.to == "ada@example.com" && notice.newEmail == "new@example.com")
    }

    @Test func `an address that was taken meanwhile refuses and keeps the code`() async throws {
        let fixture = try await Fixture.forCodes()
        let (_, _, idToken) = try await fixture.signUp("ada@example.com")
        let code = try await fixture.changeCode(idToken, to: "new@example.com")
        let (other, _, _) = try await fixture.signUp("new@example.com")
        await expectRefusal("emailTaken") { try await fixture.apply(code) }
        try await fixture.accounts.deletion.delete(other.id, by: fixture.operator)
        try await fixture.apply(code)
    }

    @Test func `changing the address takes a fresh sign-in`() async throws {
        let fixture = try await Fixture.forCodes()
        let (_, _, idToken) = try await fixture.signUp("ada@example.com")
        fixture.time.advance(.seconds(301))
        await expectRefusal("signInTooOld") {
            try await fixture.askChange(idToken, to: "new@example.com")
        }
    }

    @Test func `a former address takes the account back, and nothing stays that came with the move`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("ada@example.com")
        try await fixture.apply(try await fixture.verifyCode(idToken, "ada@example.com"))
        let move = try await fixture.changeCode(idToken, to: "thief@example.com")
        try await fixture.apply(move)
        fixture.time.advance(.seconds(10))
        // The thief takes the account over completely.
        let (taken, thief) = try await fixture.signIn("thief@example.com")
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "thief"), .link(fixture.token(taken)))
        let reset = try await fixture.resetCode("thief@example.com")
        _ = try await fixture.accounts.codes.resetPassword(
            reset, to: "the thief's own", language: "en", in: fixture.project, from: Fixture.here)
        let later = try await fixture.linkCode("thief@example.com")
        let back = try await fixture.code(.recoverEmail, to: "ada@example.com")
        let seen = try await fixture.accounts.codes.inspect(back, in: fixture.project, from: Fixture.here)
        #expect(seen.email == "ada@example.com" && seen.newEmail == "thief@example.com")
        fixture.time.advance(.seconds(5))
        try await fixture.apply(back)
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.email == "ada@example.com")
        #expect(stored.emailVerified && stored.emailProven)
        #expect(!stored.hasPassword)
        #expect(stored.identities.isEmpty)
        #expect(try await !fixture.refreshes(thief))
        await expectRefusal("invalidActionCode") {
            try await fixture.accounts.codes.inspect(later, in: fixture.project, from: Fixture.here)
        }
        await expectRefusal("invalidActionCode") { try await fixture.apply(back) }
    }

    @Test func `the first of several moves can be undone, whatever the later ones say`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.emailEnumerationProtection = false
        var (account, session, _) = try await fixture.signUp("ada@example.com")
        for email in ["b@example.com", "c@example.com"] {
            fixture.time.advance(.seconds(1))
            var change = AccountChange()
            change.email = email
            let (changed, fresh) = try await fixture.update(try fixture.idToken(account, session), change, language: "de")
            (account, session) = (changed, try #require(fresh))
        }
        let second = try await fixture.code(.recoverEmail, to: "b@example.com")
        let first = try await fixture.code(.recoverEmail, to: "ada@example.com")
        try await fixture.apply(second)
        #expect(try await fixture.stored(account.id)?.email == "b@example.com")
        try await fixture.apply(first)
        #expect(try await fixture.stored(account.id)?.email == "ada@example.com")
    }

    @Test func `a change by the owner is mailed to the former address, if there was one`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.emailEnumerationProtection = false
        let (anonymous, session) = try await fixture.signUpAnonymously()
        let (account, own) = try await fixture.linkPassword(
            try fixture.idToken(anonymous, session), email: "ada@example.com", password: "first password")
        #expect(try await fixture.outbox.recent(in: fixture.project).isEmpty)
        var change = AccountChange()
        change.email = "new@example.com"
        _ = try await fixture.update(try fixture.idToken(account, own), change, language: "de")
        let mails = try await fixture.outbox.recent(in: fixture.project)
        #expect(mails.map(\.kind) == [.recoverEmail])
        #expect(mails.first?.to == "ada@example.com")
        #expect(mails.first?.language == "de")
    }
}
