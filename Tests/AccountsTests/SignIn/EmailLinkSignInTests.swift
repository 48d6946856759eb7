@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import Testing
import Text

@Suite struct EmailLinkSignInTests {
    @Test func `makes an account for a new address, proven at once`() async throws {
        let fixture = try await Fixture.forCodes()
        let signIn = try await fixture.enter(try await fixture.linkCode("ada@example.com"), "ada@example.com")
        #expect(signIn.isNewUser)
        #expect(signIn.session.signInProvider == "password")
        let stored = try #require(try await fixture.stored(signIn.account.id))
        #expect(stored.emailVerified && stored.emailProven && stored.emailLinkSignIn && !stored.hasPassword)
        #expect(try await fixture.refreshes(signIn.session))
    }

    @Test func `signs in to a proven account without touching its password and sessions`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, idToken) = try await fixture.signUp("ada@example.com")
        try await fixture.apply(try await fixture.verifyCode(idToken, "ada@example.com"))
        let signIn = try await fixture.enter(try await fixture.linkCode("ada@example.com"), "ada@example.com")
        #expect(!signIn.isNewUser)
        #expect(signIn.account.id == account.id)
        #expect(try await fixture.signsIn("ada@example.com", "first password"))
        #expect(try await fixture.refreshes(session))
    }

    @Test func `refuses another address than the one that was mailed, and keeps the code`() async throws {
        let fixture = try await Fixture.forCodes()
        let code = try await fixture.linkCode("ada@example.com")
        await expectRefusal("emailMismatch") { try await fixture.enter(code, "bob@example.com") }
        _ = try await fixture.enter(code, "ada@example.com")
    }

    @Test func `one use ends the other links to the address`() async throws {
        let fixture = try await Fixture.forCodes()
        let first = try await fixture.linkCode("ada@example.com")
        let second = try await fixture.linkCode("ada@example.com")
        _ = try await fixture.enter(second, "ada@example.com")
        await expectRefusal("invalidActionCode") { try await fixture.enter(first, "ada@example.com") }
    }

    @Test func `where apps may not make accounts, new addresses get no mail and no sign-in`() async throws {
        var fixture = try await Fixture.forCodes()
        let code = try await fixture.linkCode("ada@example.com")
        fixture.project.signIn.signUp = false
        let closed = fixture
        try await closed.accounts.codeMails.sendSignInLink(to: "bob@example.com", Fixture.english, in: closed.project, from: Fixture.here)
        #expect(try await closed.codes(.signIn, to: "bob@example.com").isEmpty)
        await expectRefusal("adminOnly") { try await closed.enter(code, "ada@example.com") }
    }

    @Test func `a link of before its account was disabled says so, and stays ended when the account is enabled again`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp("ada@example.com")
        let code = try await fixture.linkCode("ada@example.com")
        var change = AdministratorChange()
        for (disabled, refusal) in [(true, "accountDisabled"), (false, "expiredActionCode")] {
            change.disabled = disabled
            _ = try await fixture.accounts.administration.accounts.update(account.id, change, by: fixture.operator)
            await expectRefusal(refusal) { try await fixture.enter(code, "ada@example.com") }
        }
    }

    @Test func `a disabled account is not opened`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp("ada@example.com")
        let code = try await fixture.linkCode("ada@example.com")
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(account.id)")
        await expectRefusal("accountDisabled") { try await fixture.enter(code, "ada@example.com") }
        await expectRefusal("accountDisabled") { try await fixture.enter(code, "ada@example.com") }
    }

    @Test func `links the address to the caller's anonymous account`() async throws {
        let fixture = try await Fixture.forCodes()
        let (anonymous, session) = try await fixture.signUpAnonymously()
        let idToken = try fixture.idToken(anonymous, session)
        let signIn = try await fixture.enter(try await fixture.linkCode("ada@example.com"), "ada@example.com", linkingTo: idToken)
        #expect(signIn.account.id == anonymous.id && !signIn.isNewUser)
        let stored = try #require(try await fixture.stored(anonymous.id))
        #expect(stored.email == "ada@example.com" && stored.emailProven && stored.emailLinkSignIn)
        #expect(try await fixture.refreshes(signIn.session))
    }

    @Test func `does not link an address that another account has`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("ada@example.com")
        let (anonymous, session) = try await fixture.signUpAnonymously()
        let idToken = try fixture.idToken(anonymous, session)
        let code = try await fixture.linkCode("ada@example.com")
        await expectRefusal("emailTaken") { try await fixture.enter(code, "ada@example.com", linkingTo: idToken) }
    }
}
