@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct PasswordResetTests {
    @Test func `sets the password, proves the address and ends every session`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp("ada@example.com")
        let code = try await fixture.resetCode("ada@example.com")
        let spare = try await fixture.resetCode("ada@example.com")
        fixture.time.advance(.seconds(5))
        let (action, _) = try await fixture.accounts.codes.resetPassword(
            code, to: "second password", language: "en", in: fixture.project, from: Fixture.here)
        #expect(action.kind == .resetPassword)
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.emailVerified && stored.emailProven)
        #expect(stored.validSince == Instant(seconds: fixture.time.clock.now().seconds))
        #expect(try await !fixture.refreshes(session))
        #expect(try await !fixture.signsIn("ada@example.com", "first password"))
        #expect(try await fixture.signsIn("ada@example.com", "second password"))
        await expectRefusal("invalidActionCode") {
            try await fixture.accounts.codes.resetPassword(
                spare, to: "third password", language: "en", in: fixture.project, from: Fixture.here)
        }
    }

    @Test func `a password that the policy refuses leaves the code as it was`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.passwordPolicy.enforcement = .enforce
        fixture.project.passwordPolicy.minLength = 12
        _ = try await fixture.signUp("ada@example.com", password: "long enough it is")
        let code = try await fixture.resetCode("ada@example.com")
        let strict = fixture
        await expectRefusal("passwordRequirements([\"Password must contain at least 12 characters\"])") {
            try await strict.accounts.codes.resetPassword(code, to: "too short", language: "en", in: strict.project, from: Fixture.here)
        }
        _ = try await fixture.accounts.codes.resetPassword(
            code, to: "long enough as well", language: "en", in: fixture.project, from: Fixture.here)
    }

    @Test func `a disabled account gets no mail and takes no code`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp("ada@example.com")
        let code = try await fixture.resetCode("ada@example.com")
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(account.id)")
        await expectRefusal("accountDisabled") {
            try await fixture.accounts.codes.resetPassword(
                code, to: "second password", language: "en", in: fixture.project, from: Fixture.here)
        }
        try await fixture.accounts.codeMails.sendPasswordReset(
            to: "ada@example.com", Fixture.english, in: fixture.project, from: Fixture.here)
        #expect(try await fixture.codes(.resetPassword, to: "ada@example.com").count == 1)
    }

    @Test func `an account that is deleted takes its codes along`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("ada@example.com")
        let codes = [
            try await fixture.resetCode("ada@example.com"), try await fixture.linkCode("ada@example.com"),
            try await fixture.verifyCode(idToken, "ada@example.com"), try await fixture.changeCode(idToken, to: "new@example.com"),
        ]
        try await fixture.accounts.deletion.delete(account.id, by: fixture.operator)
        for code in codes {
            await expectRefusal("invalidActionCode") {
                try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here)
            }
        }
    }

    @Test func `a new password ends the codes of the old one`() async throws {
        let fixture = try await Fixture.forCodes()
        let (_, _, idToken) = try await fixture.signUp("ada@example.com")
        let codes = [try await fixture.resetCode("ada@example.com"), try await fixture.changeCode(idToken, to: "new@example.com")]
        var change = AccountChange()
        change.password = "second password"
        _ = try await fixture.update(idToken, change, language: "en")
        for code in codes {
            await expectRefusal("invalidActionCode") {
                try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here)
            }
        }
    }

    @Test func `SEC-02 drops what was linked before the address was proven, and keeps what was linked after`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, idToken) = try await fixture.signUp("ada@example.com")
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "before"), .link(fixture.token(account)))
        try await fixture.apply(try await fixture.verifyCode(idToken, "ada@example.com"))
        _ = try await fixture.signIn(Fixture.ada("oidc.b", subject: "after"), .link(fixture.token(account)))
        let code = try await fixture.resetCode("ada@example.com")
        _ = try await fixture.accounts.codes.resetPassword(
            code, to: "second password", language: "en", in: fixture.project, from: Fixture.here)
        #expect(try await fixture.stored(account.id)?.identities.map(\.subject) == ["after"])
        #expect(try await !fixture.refreshes(session))
    }
}
