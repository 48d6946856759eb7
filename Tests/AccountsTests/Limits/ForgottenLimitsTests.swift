@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct ForgottenLimitsTests {
    private static let ada = "ada@example.com"
    private static let bob = "bob@example.com"
    private static let home = "192.0.2.1"

    private func guess(_ fixture: Fixture, _ email: String, from address: String = home) async -> String? {
        do {
            _ = try await fixture.accounts.signIn.passwords.signIn(
                email: email, password: "wrong", in: fixture.project,
                from: Session.ClientInfo(userAgent: "test", address: address))
            return nil
        } catch { return String("\(error)".prefix { $0 != "(" }) }
    }

    private func guessUntilRefused(_ fixture: Fixture, _ email: String) async {
        for _ in 0..<40 { _ = await guess(fixture, email) }
        #expect(await guess(fixture, email) == "tooManyAttempts")
    }

    @Test func `a person whose limits are forgotten can try again at once, and no other person can`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        _ = try await fixture.signUp(Self.bob)
        await guessUntilRefused(fixture, Self.ada)
        await guessUntilRefused(fixture, Self.bob)
        let person = LimitedPerson(accountID: account.id, email: Self.ada, address: Self.home)
        #expect(try await fixture.accounts.limits.forget(person, on: account.id, by: fixture.operator) >= 2)
        #expect(await guess(fixture, Self.ada) == "invalidCredentials")
        #expect(await guess(fixture, Self.bob) == "tooManyAttempts")
        let events = try await AuditEvents(database: fixture.database).list(of: account.id, limit: 10, in: fixture.project.id)
        #expect(events.last?.action == "limits.forgotten" && events.last?.actor == "test")
    }

    @Test func `without the client's address, what counts by it stays counted`() async throws {
        let fixture = try await Fixture.forCodes()
        await guessUntilRefused(fixture, Self.ada)
        let person = LimitedPerson(accountID: nil, email: Self.ada, address: nil)
        #expect(try await fixture.accounts.limits.forget(person, on: nil, emailHash: "hash", by: fixture.operator) == 1)
        #expect(await guess(fixture, Self.ada) == "tooManyAttempts")
        #expect(await guess(fixture, Self.ada, from: "192.0.2.2") == "invalidCredentials")
        let nobody = LimitedPerson(accountID: nil, email: "nobody@example.com", address: nil)
        #expect(try await fixture.accounts.limits.forget(nobody, on: nil, by: fixture.operator) == 0)
    }
}
