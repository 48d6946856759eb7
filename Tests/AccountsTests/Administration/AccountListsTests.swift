import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts

@Suite(.takesTurns) struct AccountListsTests {
    private func store(
        _ id: String, _ fixture: Fixture, _ configure: (inout AdministratorChange) -> Void = { _ in }
    ) async throws {
        var change = AdministratorChange()
        configure(&change)
        _ = try await fixture.accounts.administration.accounts.create(id, change, by: fixture.operator)
    }

    private func find(_ fixture: Fixture, _ configure: (inout AccountLists.Wanted) -> Void) async throws -> [String] {
        var wanted = AccountLists.Wanted()
        configure(&wanted)
        return try await fixture.accounts.administration.lists.find(wanted, by: fixture.operator).map(\.account.id)
    }

    @Test func `finds accounts by each of their names, and each account once`() async throws {
        let fixture = try await Fixture()
        try await store("a", fixture) {
            $0.own.email = "a@example.com"; $0.phoneNumber = .set("+12025550101")
        }
        try await store("b", fixture) { $0.linked = LinkedIdentity(providerID: "oidc.a", subject: "b at a") }
        try await store("c", fixture) { $0.linked = LinkedIdentity(providerID: "oidc.a", subject: "c at a") }
        try await store("d", fixture) { $0.own.email = "first@example.com" }
        var move = AdministratorChange()
        move.own.email = "second@example.com"
        _ = try await fixture.accounts.administration.accounts.update("d", move, by: fixture.operator)
        _ = try await fixture.database.write("UPDATE identities SET alias = 'other name of c' WHERE account_id = 'c'")

        #expect(try await find(fixture) { _ in } == [])
        #expect(try await find(fixture) { $0.ids = ["a", "nobody", "a"] } == ["a"])
        #expect(try await find(fixture) { $0.emails = ["a@example.com", "first@example.com"] } == ["a"])
        #expect(try await find(fixture) { $0.initialEmails = ["first@example.com"] } == ["d"])
        #expect(try await find(fixture) { $0.phoneNumbers = ["+12025550101"] } == ["a"])
        #expect(try await find(fixture) { $0.identities = [("oidc.a", "b at a"), ("oidc.b", "c at a")] } == ["b"])
        #expect(try await find(fixture) { $0.identities = [("oidc.a", "other name of c")] } == ["c"])
        let all = try await find(fixture) {
            $0.ids = ["b", "a"]
            $0.emails = ["a@example.com", "second@example.com"]
            $0.phoneNumbers = ["+12025550101"]
            $0.identities = [("oidc.a", "b at a"), ("oidc.a", "c at a")]
            $0.initialEmails = ["first@example.com"]
        }
        #expect(all == ["a", "b", "c", "d"])
        #expect(try await fixture.accounts.administration.lists.find(wanted(["b"]), by: fixture.operator)[0].account.identities.count == 1)
    }

    private func wanted(_ ids: [String]) -> AccountLists.Wanted {
        var wanted = AccountLists.Wanted()
        wanted.ids = ids
        return wanted
    }

    @Test func `lists every account once, page by page, in one round trip each`() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.database.write(
            """
            INSERT INTO accounts (project_id, account_id, valid_since, created_at)
            SELECT p, 'account ' || n, date_trunc('second', now()), now() FROM generate_series(1, 250) n, unnest(ARRAY['demo', 'other']) p
            """)
        _ = try await fixture.database.write(
            """
            INSERT INTO identities (project_id, provider_id, subject, account_id, linked_at, last_sign_in_at)
            SELECT project_id, p, account_id, account_id, now(), now() FROM accounts, unnest(ARRAY['oidc.a', 'oidc.b']) p
            """)
        var seen: [String] = []
        var pages = 0
        while pages < 5 {
            let before = fixture.database.roundTrips
            let page = try await fixture.accounts.administration.lists.page(after: seen.last, most: 100, by: fixture.operator)
            #expect(fixture.database.roundTrips - before == 1)
            #expect(page.allSatisfy { $0.account.identities.map(\.providerID) == ["oidc.a", "oidc.b"] })
            seen += page.map(\.account.id)
            pages += 1
            if page.count < 100 { break }
        }
        #expect(pages == 3 && seen.count == 250 && Set(seen).count == 250)
    }

    @Test func `gives hashes only to administrators who may read them`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("ada@example.com")
        let client = Session.ClientInfo(userAgent: nil, address: "127.0.0.1")
        let some = Administrator(
            serviceAccount: Administrator.Proof(
                token: AdministratorToken(serviceAccount: try #require(ServiceAccountEmail("a", in: "demo")), keyID: "", expires: 0),
                right: .readUsers),
            rights: [.readUsers, .manageUsers], of: fixture.project, from: client)
        for (administrator, sees) in [(some, false), (fixture.operator, true)] {
            let listed = try await fixture.accounts.administration.lists.page(after: nil, most: 10, by: administrator)
            #expect(listed.count == 1 && listed[0].account.hasPassword)
            #expect((listed[0].passwordHash != nil) == sees)
        }
    }

    @Test func `sorts, skips and counts`() async throws {
        let fixture = try await Fixture()
        for (id, name) in [("a", "Zoe"), ("b", "Ada"), ("c", nil)] as [(String, String?)] {
            try await store(id, fixture) {
                if let name { $0.own.displayName = .set(name) }
                if id != "b" { $0.own.email = "\(id)@example.com" }
            }
            fixture.time.advance(.seconds(1))
        }
        func query(_ order: AccountLists.Order, descending: Bool = false, from: Int = 0, most: Int = 10) async throws -> [String] {
            try await fixture.accounts.administration.lists.query(
                nil, by: order, descending: descending, from: from, most: most, by: fixture.operator
            ).map(\.account.id)
        }
        #expect(try await query(.id) == ["a", "b", "c"])
        #expect(try await query(.displayName) == ["c", "b", "a"])
        #expect(try await query(.displayName, descending: true) == ["a", "b", "c"])
        #expect(try await query(.createdAt, descending: true) == ["c", "b", "a"])
        #expect(try await query(.email) == ["b", "a", "c"])
        #expect(try await query(.lastLoginAt) == ["a", "b", "c"])
        #expect(try await query(.id, from: 1, most: 1) == ["b"])
        let lists = fixture.accounts.administration.lists
        #expect(try await lists.count(nil, by: fixture.operator) == 3)
        #expect(try await lists.count(wanted(["a", "x"]), by: fixture.operator) == 1)
        #expect(try await lists.count(AccountLists.Wanted(), by: fixture.operator) == 0)
        let one = try await lists.query(
            wanted(["b"]), by: .email, descending: false, from: 0, most: 5, by: fixture.operator)
        #expect(one.map(\.account.id) == ["b"])
    }

    @Test func `removes the disabled ones of many accounts, or all, with their sessions, and records it`() async throws {
        let fixture = try await Fixture.forCodes()
        let (ada, session, _) = try await fixture.signUp("ada@example.com")
        for id in ["b", "c"] { try await store(id, fixture) { $0.disabled = id == "c" } }
        let deletion = fixture.accounts.deletion
        let ids = [ada.id, "b", "c", "nobody", "c"]
        let stay = try await deletion.deleteAll(of: ids, enabledToo: false, by: fixture.operator)
        #expect(stay == [UTF8Text(ada.id), "b"])
        #expect(try await fixture.refreshes(session))
        #expect(try await deletion.deleteAll(of: ids, enabledToo: true, by: fixture.operator) == [])
        #expect(try await fixture.count("accounts") == 0)
        await expectRefusal("accountNotFound") { try await fixture.refreshes(session) }
        let open = try await fixture.database.query("SELECT 1 FROM sessions WHERE ended_at IS NULL OR address IS NOT NULL")
        #expect(open.isEmpty)
        let events = try await AuditEvents(database: fixture.database).list(limit: 10, in: "demo").filter { $0.action == "account.deleted" }
        #expect(Set(events.compactMap(\.accountID)) == [ada.id, "b", "c"] && events.count == 3)
    }

    @Test func `two calls that remove the same accounts in another order do not wait for one another for ever`() async throws {
        let fixture = try await Fixture()
        let ids = (0..<50).map { "account \($0)" }
        for id in ids { try await store(id, fixture) }
        let deletion = fixture.accounts.deletion
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in [ids, ids.reversed()] {
                group.addTask {
                    _ = try await deletion.deleteAll(of: order, enabledToo: true, by: fixture.operator)
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.count("accounts") == 0)
        #expect(try await fixture.database.query("SELECT 1 FROM audit_events WHERE action = 'account.deleted'").count == 50)
    }
}
