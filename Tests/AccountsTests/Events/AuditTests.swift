@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct AuditTests {
    private static let ada = "ada@example.com"

    /// The events of an account, each as its action, provider and rule.
    private func told(_ fixture: Fixture, _ accountID: String) async throws -> [String] {
        try await events(fixture, accountID).map { event in
            ([event.action] + [event.providerID, event.rule].compactMap(\.self)).joined(separator: " ")
        }
    }

    private func events(_ fixture: Fixture, _ accountID: String?) async throws -> [AuditEvent] {
        try await AuditEvents(database: fixture.database).list(of: accountID, limit: 1000, in: fixture.project.id)
    }

    @Test func `records who linked what, by which rule and from where, without a secret`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session) = try await fixture.signUpAnonymously()
        fixture.time.advance(.seconds(1))
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "of-ada"), .link(fixture.token(account, session)))
        let event = try #require(try await events(fixture, account.id).first)
        #expect(event.time == fixture.time.clock.now() && event.accountID == account.id)
        #expect(event.actorKind == "person" && event.actor == nil)
        #expect(event.action == "provider.linked" && event.providerID == "oidc.a" && event.rule == "linkAdds")
        #expect(event.address == "127.0.0.1" && event.userAgent == "test")
        #expect(event.details == #"{"subject": "of-ada"}"#)
    }

    @Test func `records a new account once, and nothing for a sign-in that is refused or must be confirmed`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signIn(Fixture.ada("oidc.a", email: Self.ada))
        _ = try await fixture.signIn(Fixture.ada("oidc.a", email: Self.ada))
        _ = try? await fixture.signIn(Fixture.ada("oidc.b", subject: "other", email: Self.ada))
        _ = try? await fixture.signIn(Fixture.ada("oidc.b", subject: "nobody"), .signIn(mayCreate: false))
        _ = try await fixture.signUp("password@example.com")
        _ = try await fixture.signUpAnonymously()
        let events = try await events(fixture, nil)
        #expect(events.map(\.action) == ["account.created", "account.created"])
        #expect(events.map(\.providerID) == ["oidc.a", "password"])
        #expect(events.allSatisfy { $0.actorKind == "person" && $0.address == "127.0.0.1" })
    }

    @Test func `SEC-02 records a takeover with all that it ended`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "trojan"), .link(fixture.token(account)))
        let owner = try await fixture.signIn(Fixture.ada("oidc.strict", email: Self.ada, authoritative: true))
        #expect(owner.account.id == account.id)
        #expect(
            try await told(fixture, account.id) == [
                "account.created password", "provider.linked oidc.a linkAdds", "account.takenOver makerNeverProved",
                "provider.unlinked oidc.a makerNeverProved", "sessions.ended makerNeverProved",
                "provider.linked oidc.strict makerNeverProved", "password.removed makerNeverProved",
            ])
        #expect(try await events(fixture, account.id)[3].details == #"{"subject": "trojan"}"#)
    }

    @Test func `records what joins by itself, and a mailbox with a new owner`() async throws {
        let fixture = try await Fixture.forCodes()
        let first = try await fixture.signIn(Fixture.ada("oidc.a", email: Self.ada, authoritative: true))
        _ = try await fixture.signIn(Fixture.ada("oidc.b", email: Self.ada, authoritative: true))
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "next", email: Self.ada, authoritative: true))
        #expect(
            try await told(fixture, first.account.id) == [
                "account.created oidc.a", "provider.linked oidc.b bothProven", "account.takenOver mailboxRecycled",
                "provider.unlinked oidc.a mailboxRecycled", "provider.unlinked oidc.b mailboxRecycled", "sessions.ended mailboxRecycled",
                "provider.linked oidc.a mailboxRecycled",
            ])
    }

    @Test func `records what people change in their accounts`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.ada)
        let linked = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(account, session)))
        fixture.time.advance(.seconds(1))
        var change = AccountChange()
        change.password = "second password"
        let (_, fresh) = try await fixture.update(try fixture.idToken(linked.account, linked.session), change)
        change = AccountChange()
        change.unlinked = ["oidc.a", "oidc.never"]
        let stored = try #require(try await fixture.stored(account.id))
        _ = try await fixture.update(try fixture.idToken(stored, try #require(fresh)), change)
        _ = try await fixture.enter(try await fixture.linkCode(Self.ada), Self.ada)
        #expect(
            try await told(fixture, account.id) == [
                "account.created password", "provider.linked oidc.a linkAdds", "password.changed", "sessions.ended",
                "provider.unlinked oidc.a", "account.takenOver makerNeverProved", "sessions.ended makerNeverProved",
                "password.removed makerNeverProved", "emailLink.added makerNeverProved",
            ])
    }

    @Test func `records what a code in a mail changed, and which kind of code`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, idToken) = try await fixture.signUp(Self.ada)
        try await fixture.apply(try await fixture.verifyCode(idToken, Self.ada))
        fixture.time.advance(.seconds(1))
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "thief"), .link(fixture.token(account, session)))
        let notice = try #require(try await fixture.notices().last)
        try await fixture.apply(try fixture.code(in: notice))
        _ = try await fixture.accounts.codes.resetPassword(
            try await fixture.resetCode(Self.ada), to: "second password", language: "en", in: fixture.project, from: Fixture.here)
        let events = try await events(fixture, account.id)
        #expect(
            events.map(\.action) == [
                "account.created", "provider.linked", "provider.unlinked", "sessions.ended", "password.removed", "password.added",
            ])
        #expect(
            events.map(\.details) == [
                "{}", #"{"subject": "thief"}"#, #"{"code": "recoverEmail", "subject": "thief"}"#,
                #"{"code": "recoverEmail", "reason": "account recovered", "sessions": 2}"#, #"{"code": "recoverEmail"}"#,
                #"{"code": "resetPassword"}"#,
            ])
        #expect(events.allSatisfy { $0.address == "127.0.0.1" && $0.rule == nil || $0.rule == "linkAdds" })
    }

    @Test func `an act that is undone leaves no record`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.ada)
        let token = fixture.token(account, session)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask { _ = try? await fixture.signIn(Fixture.ada("oidc.a", subject: "ada\(number)"), .link(token)) }
            }
            try await group.waitForAll()
        }
        #expect(try await told(fixture, account.id) == ["account.created password", "provider.linked oidc.a linkAdds"])
    }

    @Test func `a command is named, and records only what it did`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        let administration = fixture.accounts.administration.accounts
        try await administration.revokeSessions(of: account.id, by: fixture.operator)
        await expectRefusal("accountNotFound") { try await administration.revokeSessions(of: "nobody", by: fixture.operator) }
        let events = try await events(fixture, nil)
        #expect(events.map(\.action) == ["account.created", "sessions.revoked"])
        #expect(events[1].actorKind == "command" && events[1].actor == "test" && events[1].address == nil)
    }

    @Test func `outlives its account, and is deleted when it is older than the configuration says`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.ada)
        _ = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(account, session)))
        try await fixture.accounts.deletion.delete(account.id, by: fixture.operator)
        #expect(try await events(fixture, account.id).map(\.action) == ["account.created", "provider.linked", "account.deleted"])
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(100)))
        fixture.time.advance(.seconds(100))
        try await cleanup.run()
        #expect(try await told(fixture, account.id).count == 3)
        fixture.time.advance(.seconds(1))
        try await cleanup.run()
        #expect(try await told(fixture, account.id).isEmpty)
    }

    @Test func `lists the newest of one project, oldest first`() async throws {
        let fixture = try await Fixture.forCodes()
        for number in 0..<3 {
            let (account, session) = try await fixture.signUpAnonymously()
            _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "ada\(number)"), .link(fixture.token(account, session)))
        }
        let audit = AuditEvents(database: fixture.database)
        #expect(try await audit.list(limit: 2, in: "demo").map(\.details) == [#"{"subject": "ada1"}"#, #"{"subject": "ada2"}"#])
        #expect(try await audit.list(limit: 10, in: "other").isEmpty)
    }
}
