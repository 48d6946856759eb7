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
    private let target = "acme-prod"

    private func mirror(_ fixture: Fixture) -> AccountMirror {
        AccountMirror(database: fixture.database, clock: fixture.time.clock, statementTimeout: .seconds(10))
    }

    private func next(_ fixture: Fixture) async throws -> AccountMirror.Changes? {
        try await mirror(fixture).next(of: fixture.project, for: target)
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
        #expect(changes.accounts[0].hasOwnPassword && changes.accounts[0].passwordHash != nil)
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
        #expect(try await mirror(fixture).next(of: fixture.project, for: "another") != nil)
        var other = fixture.project
        other.id = "other"
        #expect(try await mirror(fixture).next(of: other, for: target) == nil)
    }

    @Test func `an account that is gone counts as deleted only if it was`() async throws {
        let fixture = try await Fixture()
        for id in ["ada", "bob"] { try await made(id, fixture) }
        _ = try await fixture.accounts.deletion.delete("ada", by: fixture.operator)
        _ = try await fixture.database.write("DELETE FROM accounts WHERE account_id = 'bob'")
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let changes = try #require(try await next(fixture))
        #expect(changes.accounts.isEmpty && changes.deleted == ["ada"])
    }

    @Test func `an imported password is not one of this server until it is set here`() async throws {
        let fixture = try await Fixture()
        var account = Account(id: "ada", at: Instant(seconds: 1_600_000_000))
        (account.email, account.passwordUpdatedAt) = ("ada@example.com", account.createdAt)
        let hash = try await fixture.passwords.hash("secret")
        _ = try await fixture.accounts.administration.imports.store(
            [ImportedAccount(account, password: .hash(hash), place: 0)], by: fixture.operator)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        // An import is not copied back.
        let imported = try #require(try await next(fixture))
        #expect(imported.accounts.isEmpty)
        try await done(imported, fixture)
        var change = AdministratorChange()
        change.own.displayName = .set("Ada")
        _ = try await fixture.accounts.administration.accounts.update("ada", change, by: fixture.operator)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        let renamed = try #require(try await next(fixture))
        #expect(renamed.accounts.map(\.hasOwnPassword) == [false])
        try await done(renamed, fixture)
        change.own.password = "another secret"
        _ = try await fixture.accounts.administration.accounts.update("ada", change, by: fixture.operator)
        fixture.time.advance(mirror(fixture).lag + .seconds(1))
        #expect(try await next(fixture)?.accounts.map(\.hasOwnPassword) == [true])
    }
}
