import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@testable import Accounts

/// Changes of accounts as another system is to have them, in a real database.
@Suite(.takesTurns) struct AccountMirrorTests {
    private let target = AccountMirror.Target(id: "acme-prod", purpose: "accounts")

    private func mirror(_ fixture: Fixture) -> AccountMirror {
        AccountMirror(database: fixture.database, clock: fixture.time.clock, statementTimeout: .seconds(10))
    }

    /// As the server does: it tells that it copies, and asks.
    private func next(
        _ fixture: Fixture, of project: ProjectSettings? = nil, for target: AccountMirror.Target? = nil
    ) async throws -> AccountMirror.Changes? {
        let (project, target) = (project ?? fixture.project, target ?? self.target)
        try await mirror(fixture).see(target, of: project)
        return try await mirror(fixture).next(of: project, for: target).changes
    }

    private func done(_ changes: AccountMirror.Changes, _ fixture: Fixture) async throws {
        try await mirror(fixture).done(changes, of: fixture.project, for: target)
    }

    /// An account that an administrator makes, whose event has just been written.
    private func made(_ id: String, _ fixture: Fixture, password: String? = nil) async throws {
        var change = AdministratorChange()
        change.own.email = "\(id)@example.com"
        change.own.password = password
        _ = try await fixture.accounts.administration.accounts.create(id, change, by: fixture.operator)
    }

    @Test func `a change is given once it is old enough, and once`() async throws {
        let fixture = try await Fixture()
        try await made("ada", fixture, password: "secret")
        #expect(try await next(fixture) == nil)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let changes = try #require(try await next(fixture))
        #expect(changes.accounts.map(\.account.id) == ["ada"] && changes.deleted.isEmpty && !changes.mayBeMore)
        #expect(
            changes.accounts[0].fields.contains(.password) && changes.accounts[0].passwordHash != nil && !changes.accounts[0].isImported)
        try await done(changes, fixture)
        #expect(try await next(fixture) == nil)
    }

    @Test func `another process gets the changes of one that ended`() async throws {
        let fixture = try await Fixture()
        try await made("ada", fixture)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let first = try #require(try await next(fixture))
        #expect(try await next(fixture) == nil)
        fixture.time.advance(AccountMirror.lease + .seconds(1))
        let second = try #require(try await next(fixture))
        #expect(second.accounts.map(\.account.id) == ["ada"])
        try await done(second, fixture)
        // The first process was only slow, and does not move the mark back or forth.
        try await done(first, fixture)
        try await made("bob", fixture)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        #expect(try await next(fixture)?.accounts.map(\.account.id) == ["bob"])
    }

    @Test func `each Firebase project and each project of this server has its own mark`() async throws {
        let fixture = try await Fixture()
        try await made("ada", fixture)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        try await done(try #require(try await next(fixture)), fixture)
        #expect(try await next(fixture, for: AccountMirror.Target(id: "another", purpose: "accounts")) != nil)
        var other = fixture.project
        other.id = "other"
        #expect(try await next(fixture, of: other) == nil)
    }

    @Test func `a deletion tells when the account was made, as a copy of the account does`() async throws {
        let fixture = try await Fixture()
        // The next millisecond is nearer than the last one.
        fixture.time.advance(.microseconds(1_000_900 - fixture.time.clock.now().microseconds % 1_000_000))
        try await made("ada", fixture)
        try await made("bob", fixture)
        #expect(try await next(fixture) == nil)
        let createdAt = try #require(try await fixture.stored("ada")).createdAt.milliseconds
        try await fixture.accounts.deletion.delete("ada", by: fixture.operator)
        _ = try await fixture.accounts.deletion.deleteAll(of: ["bob"], enabledToo: true, by: fixture.operator)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let deleted = try #require(try await next(fixture)).deleted
        #expect(Set(deleted.map(\.id)) == ["ada", "bob"] && deleted.allSatisfy { $0.createdAt == createdAt })
    }

    @Test func `an account that is gone counts as deleted only if it was`() async throws {
        let fixture = try await Fixture()
        for id in ["ada", "bob"] { try await made(id, fixture) }
        #expect(try await next(fixture) == nil)
        _ = try await fixture.accounts.deletion.delete("ada", by: fixture.operator)
        _ = try await fixture.database.write("DELETE FROM accounts WHERE account_id = 'bob'")
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let changes = try #require(try await next(fixture))
        #expect(changes.accounts.isEmpty && changes.deleted.map(\.id) == ["ada"])
    }

    @Test func `an account that was deleted while nothing was copied stays at Google`() async throws {
        let fixture = try await Fixture()
        for id in ["ada", "bob"] { try await made(id, fixture) }
        // Switched on, off, and on again.
        #expect(try await next(fixture) == nil)
        fixture.time.advance(.seconds(1))
        _ = try await fixture.accounts.deletion.delete("ada", by: fixture.operator)
        fixture.time.advance(AccountMirror.pause + .seconds(1))
        // Before a process tells that it copies, no change is given.
        #expect(try await mirror(fixture).next(of: fixture.project, for: target).changes == nil)
        var changes = try #require(try await next(fixture))
        #expect(changes.deleted.isEmpty && changes.deletedBefore == ["ada"] && changes.accounts.map(\.account.id) == ["bob"])
        try await done(changes, fixture)
        // While somebody looks all the time, it counts, however long Google does not answer.
        _ = try await fixture.accounts.deletion.delete("bob", by: fixture.operator)
        for _ in 0..<5 {
            fixture.time.advance(AccountMirror.lease + .seconds(1))
            changes = try #require(try await next(fixture))
            #expect(changes.deleted.map(\.id) == ["bob"] && changes.deletedBefore.isEmpty)
        }
        #expect(changes.failures == 0 && !changes.deleted[0].isImported && changes.deleted[0].createdAt != nil)
        try await mirror(fixture).failed(changes, of: fixture.project, for: target, isAnswered: true)
        #expect(try await next(fixture) == nil)
        fixture.time.advance(AccountMirror.rest + .seconds(1))
        #expect(try await next(fixture)?.failures == 1)
    }

    @Test func `an import is not copied back, and what is changed afterwards is named`() async throws {
        let fixture = try await Fixture()
        var account = Account(id: "ada", at: Instant(seconds: 1_600_000_000))
        (account.email, account.passwordUpdatedAt) = ("ada@example.com", account.createdAt)
        let hash = try await fixture.passwords.hash("secret")
        _ = try await fixture.accounts.administration.imports.store(
            [ImportedAccount(account, password: .hash(hash), place: 0)], by: fixture.operator)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let imported = try #require(try await next(fixture))
        #expect(imported.accounts.isEmpty)
        try await done(imported, fixture)
        var change = AdministratorChange()
        change.own.displayName = .set("Ada")
        change.customAttributes = .set(#"{"role":"admin"}"#)
        _ = try await fixture.accounts.administration.accounts.update("ada", change, by: fixture.operator)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let renamed = try #require(try await next(fixture)).accounts
        #expect(renamed.map(\.fields) == [[.profile, .claims]] && renamed.map(\.isImported) == [true] && !renamed[0].isRevoked)
    }

    @Test func `a revocation is told apart from other changes`() async throws {
        let fixture = try await Fixture()
        for id in ["ada", "bob"] { try await made(id, fixture, password: "secret") }
        fixture.time.advance(.seconds(1))
        try await fixture.accounts.administration.accounts.revokeSessions(of: "ada", by: fixture.operator)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let changes = try #require(try await next(fixture))
        #expect(Dictionary(uniqueKeysWithValues: changes.accounts.map { ($0.account.id, $0.isRevoked) }) == ["ada": true, "bob": false])
    }

    @Test func `what waits longer has a mark of its own`() async throws {
        let fixture = try await Fixture()
        let late = AccountMirror.Target(id: "acme-prod", purpose: "late", delay: .seconds(300))
        try await made("ada", fixture)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        try await done(try #require(try await next(fixture)), fixture)
        #expect(try await next(fixture, for: late) == nil)
        fixture.time.advance(.seconds(300))
        #expect(try await next(fixture, for: late)?.accounts.map(\.account.id) == ["ada"])
    }
}

extension AccountMirror.Next {
    fileprivate var changes: AccountMirror.Changes? {
        guard case .changes(let changes) = self else { return nil }
        return changes
    }
}
