import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@testable import Accounts

@Suite(.takesTurns) struct UserReaderTests {
    private func details(of id: String, _ fixture: Fixture) async throws -> UserDetails {
        try #require(try await fixture.accounts.administration.users.details(of: id, by: fixture.operator))
    }

    @Test func `reads everything of one account in two round trips, and nothing of another`() async throws {
        let fixture = try await Fixture.forCodes()
        let (ada, session, _) = try await fixture.signUp("ada@example.com")
        _ = try await fixture.signUp("bob@example.com")
        var change = AdministratorChange()
        change.linked = LinkedIdentity(providerID: "oidc.acme", subject: "ada")
        _ = try await fixture.accounts.administration.accounts.update(ada.id, change, by: fixture.operator)
        let before = fixture.database.roundTrips
        let details = try await details(of: ada.id, fixture)
        #expect(fixture.database.roundTrips - before == 2)
        #expect(details.account.id == ada.id && details.account.identities.count == 1)
        #expect(details.identityTimes["oidc.acme"]?.linked == fixture.time.clock.now())
        #expect(details.sessions.map(\.id) == [session.id])
        #expect(details.sessions.first?.address != nil && details.sessions.first?.signInProvider == "password")
        #expect(details.events.map(\.action).last == "provider.linked")
        #expect(details.events.allSatisfy { $0.accountID == ada.id })
        #expect(details.lastEnding == nil && details.recoveryCodes == 0 && details.rememberedBrowsers == 0)
        #expect(try await fixture.accounts.administration.users.details(of: "nobody", by: fixture.operator) == nil)
    }

    @Test func `shows the limits that wrong passwords have used up, until they are forgotten`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.limits[.password, .account] = Rate(2, per: .seconds(3600))
        let (ada, _, _) = try await fixture.signUp("ada@example.com")
        for _ in 0..<2 {
            _ = try? await fixture.accounts.signIn.passwords.signIn(
                email: "ada@example.com", password: "wrong password", in: fixture.project,
                from: Session.ClientInfo(userAgent: nil, address: "192.0.2.1"))
        }
        let limits = try await details(of: ada.id, fixture).limits
        #expect(limits.map(\.action) == [.password] && limits.first?.scope == .account)
        #expect(limits.first?.refusesUntil == fixture.time.clock.now() + .seconds(1800))
        fixture.time.advance(.seconds(1801))
        #expect(try await details(of: ada.id, fixture).limits.first?.refusesUntil == nil)
    }

    @Test func `ends one session, records it, and leaves the others`() async throws {
        let fixture = try await Fixture.forCodes()
        let (ada, first, _) = try await fixture.signUp("ada@example.com")
        let second = try await fixture.signIn("ada@example.com").session
        let sessions = fixture.accounts.administration.userSessions
        try await sessions.end(first.id, of: ada.id, by: fixture.operator)
        let details = try await details(of: ada.id, fixture)
        #expect(details.sessions.map(\.id) == [second.id])
        #expect(details.lastEnding?.reason == "ended by an operator")
        #expect(details.events.last?.action == "sessions.ended" && details.events.last?.actorKind == "command")
        #expect(try await !fixture.refreshes(first))
        #expect(try await fixture.refreshes(second))
        let (bob, _, _) = try await fixture.signUp("bob@example.com")
        await expectRefusal("sessionEnded") { try await sessions.end(first.id, of: ada.id, by: fixture.operator) }
        await expectRefusal("sessionEnded") { try await sessions.end(second.id, of: bob.id, by: fixture.operator) }
        await expectRefusal("accountNotFound") { try await sessions.end(second.id, of: "nobody", by: fixture.operator) }
        #expect(try await fixture.refreshes(second))
    }

    @Test func `ends with a browser's session those of its relying parties`() async throws {
        let clients = try await ClientFixture()
        let (browser, granted) = try await clients.granted(scopes: ["openid"])
        let fixture = clients.fixture
        let administrator = Administrator(command: "test", of: clients.project)
        let before = try #require(
            try await fixture.accounts.administration.users.details(of: browser.account.id, by: administrator))
        #expect(Set(before.sessions.map(\.id)) == [browser.session.id, granted.session.id])
        try await fixture.accounts.administration.userSessions.end(browser.session.id, of: browser.account.id, by: administrator)
        let after = try await fixture.accounts.administration.users.details(of: browser.account.id, by: administrator)
        #expect(after?.sessions.isEmpty == true)
    }
}
