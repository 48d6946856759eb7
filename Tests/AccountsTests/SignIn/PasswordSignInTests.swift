@testable import Accounts
import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct PasswordSignInTests {
    private let origin = Session.ClientInfo(userAgent: "test", address: "127.0.0.1")

    private func signUp(_ email: String, _ fixture: Fixture) async throws -> Account {
        try await fixture.accounts.signIn.signUps.signUp(
            email: email, password: "correct horse", displayName: nil, in: fixture.project, from: origin
        ).0
    }

    private func signIn(_ email: String, _ password: String, _ fixture: Fixture) async throws -> Account {
        try await fixture.accounts.signIn.passwords.signIn(
            email: email, password: password, in: fixture.project, from: origin
        ).0
    }

    private func refusal(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch { return String("\(error)".prefix { $0 != "(" }) }
    }

    @Test func `signs in with the right password`() async throws {
        let fixture = try await Fixture()
        let made = try await signUp("ada@example.com", fixture)
        #expect(try await signIn("ada@example.com", "correct horse", fixture).id == made.id)
    }

    @Test func `SEC-15 costs one hash for an unknown address, a wrong password, no password and a disabled account`() async throws {
        let fixture = try await Fixture()
        let made = try await signUp("ada@example.com", fixture)
        let disabled = try await signUp("bob@example.com", fixture)
        _ = try await fixture.signIn(Fixture.ada(email: "carol@example.com", authoritative: true))
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(disabled.id)")
        for email in ["nobody@example.com", "ada@example.com", "bob@example.com", "carol@example.com"] {
            let before = fixture.passwords.hashesDone.value
            #expect(await refusal { _ = try await signIn(email, "battery staple", fixture) } == "invalidCredentials")
            #expect(fixture.passwords.hashesDone.value == before + 1)
        }
        #expect(await refusal { _ = try await signIn("bob@example.com", "correct horse", fixture) } == "accountDisabled")
        #expect(try await signIn("ada@example.com", "correct horse", fixture).id == made.id)
    }

    @Test func `takes two round trips`() async throws {
        let fixture = try await Fixture()
        _ = try await signUp("ada@example.com", fixture)
        let before = fixture.database.roundTrips
        _ = try await signIn("ada@example.com", "correct horse", fixture)
        #expect(fixture.database.roundTrips == before + 2)
    }

    @Test func `tells which was wrong only where addresses are not protected`() async throws {
        var fixture = try await Fixture()
        fixture.project.emailEnumerationProtection = false
        _ = try await signUp("ada@example.com", fixture)
        #expect(await refusal { _ = try await signIn("nobody@example.com", "correct horse", fixture) } == "noSuchEmail")
        #expect(await refusal { _ = try await signIn("ada@example.com", "battery staple", fixture) } == "wrongPassword")
    }

    @Test func `SEC-16 stops trying passwords of one account after ten failures from one address`() async throws {
        let fixture = try await Fixture()
        _ = try await signUp("ada@example.com", fixture)
        for _ in 0..<10 { #expect(await refusal { _ = try await signIn("ada@example.com", "wrong", fixture) } == "invalidCredentials") }
        let before = fixture.passwords.hashesDone.value
        let refused = await refusal { _ = try await signIn("ada@example.com", "correct horse", fixture) }
        #expect(refused.hasPrefix("tooManyAttempts"))
        #expect(fixture.passwords.hashesDone.value == before, "nothing is hashed for a refused caller")
        fixture.time.advance(.seconds(1800))
        _ = try await signIn("ada@example.com", "correct horse", fixture)
    }

    @Test func `SEC-16 honest sign-ins never meet a limit`() async throws {
        let fixture = try await Fixture()
        _ = try await signUp("ada@example.com", fixture)
        for _ in 0..<15 { _ = try await signIn("ada@example.com", "correct horse", fixture) }
    }

    @Test func `SEC-02 a sign-in at a provider that proves the address ends the maker's password and sessions`() async throws {
        let fixture = try await Fixture()
        let squatter = try await signUp("ada@example.com", fixture)
        let (session, _) = try await session(of: "ada@example.com", fixture)
        let stolen = fixture.sessions.refreshToken(for: session, in: fixture.project)
        let (owned, _, isNew) = try await fixture.signIn(Fixture.ada(email: "ada@example.com", authoritative: true))
        #expect(owned.id == squatter.id && !isNew)
        #expect(!owned.hasPassword)
        #expect(await refusal { _ = try await signIn("ada@example.com", "correct horse", fixture) } == "invalidCredentials")
        #expect(await refusal { _ = try await fixture.sessions.refresh(stolen, in: fixture.project) } == "sessionEnded")
    }

    private func session(of email: String, _ fixture: Fixture) async throws -> (Session, Account) {
        let (account, outcome) = try await fixture.accounts.signIn.passwords.signIn(
            email: email, password: "correct horse", in: fixture.project, from: origin)
        return (try outcome.session, account)
    }

    @Test func `a federated sign-in makes no account where only administrators may`() async throws {
        var fixture = try await Fixture()
        fixture.project.signIn.signUp = false
        let closed = fixture
        #expect(await refusal { _ = try await closed.signIn(Fixture.ada()) } == "adminOnly")
        fixture.project.signIn.signUp = true
        let made = try await fixture.signIn(Fixture.ada())
        fixture.project.signIn.signUp = false
        #expect(try await fixture.signIn(Fixture.ada()).account.id == made.account.id, "who has an account signs in")
    }
}
