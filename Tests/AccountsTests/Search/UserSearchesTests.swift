import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts

@Suite(.takesTurns) struct UserSearchesTests {
    private func store(
        _ id: String, _ fixture: Fixture, _ configure: (inout AdministratorChange) -> Void = { _ in }
    ) async throws {
        var change = AdministratorChange()
        configure(&change)
        _ = try await fixture.accounts.administration.accounts.create(id, change, by: fixture.operator)
        fixture.time.advance(.seconds(1))
    }

    /// Four people whose names and addresses have much in common.
    private func people() async throws -> Fixture {
        let fixture = try await Fixture()
        try await store("ada", fixture) {
            $0.own.email = "countess@example.com"
            $0.own.displayName = .set("Ada Lovelace")
            $0.phoneNumber = .set("+12025550101")
        }
        try await store("b", fixture) {
            $0.own.email = "ada@example.org"
            $0.own.displayName = .set("ADA 100%")
        }
        try await store("c", fixture) {
            $0.own.email = "adam@example.com"
            $0.linked = LinkedIdentity(providerID: "oidc.a", subject: "c at a", email: "ada@example.org")
        }
        try await store("d", fixture) {
            $0.own.displayName = .set("Grace Hopper")
            $0.disabled = true
            $0.linked = LinkedIdentity(providerID: "oidc.a", subject: "d at a", email: "grace@example.net")
        }
        return fixture
    }

    @Test func `finds accounts by everything that a text can be, each once`() async throws {
        let fixture = try await people()
        let cases: [(String, [String])] = [
            ("", ["d", "c", "b", "ada"]),
            ("ada", ["ada", "b", "c"]),
            ("ADA@example.org", ["b", "c"]),
            ("ada l", ["ada"]),
            ("grace", ["d"]),
            ("grace@example.net", ["d"]),
            ("@example.com", ["c", "ada"]),
            ("@EXAMPLE.org", ["b"]),
            ("+1 202 555 0101", ["ada"]),
            ("oidc.a:c at a", ["c"]),
            ("oidc.b:c at a", []),
            ("example", []),
            ("ad%", []),
            ("nobody", []),
        ]
        for (typed, ids) in cases { #expect(try await fixture.found(typed) == ids, "\(typed)") }
        var other = fixture
        other.project = ProjectSettings(id: "other", number: 2, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        for typed in ["ada", ""] { #expect(try await other.found(typed).isEmpty) }
    }

    @Test func `lists those that a filter leaves`() async throws {
        let fixture = try await people()
        var filter = SearchFilter()
        filter.disabled = true
        #expect(try await fixture.found("", filter) == ["d"])
        #expect(try await fixture.found("ada", filter) == [])
        filter = SearchFilter()
        filter.providerID = "oidc.a"
        #expect(try await fixture.found("", filter) == ["c", "d"])
        #expect(try await fixture.found("ada", filter) == ["c"])
        filter.disabled = true
        #expect(try await fixture.found("", filter) == ["d"])
        filter = SearchFilter()
        filter.providerID = "phone"
        #expect(try await fixture.found("", filter) == ["ada"])
        filter.providerID = "password"
        #expect(try await fixture.found("", filter) == [])
        filter.providerID = "anonymous"
        #expect(try await fixture.found("", filter) == ["b"])
        filter = SearchFilter()
        filter.createdSince = fixture.time.clock.now() - .seconds(3)
        filter.createdBefore = fixture.time.clock.now() - .seconds(1)
        #expect(try await fixture.found("", filter) == ["c", "b"])
        #expect(try await fixture.found("ada", filter) == ["b", "c"])
        #expect(try await fixture.found("@example.com", filter) == ["c"])
    }

    @Test func `pages through each order without losing or repeating an account`() async throws {
        let fixture = try await Fixture()
        try await fixture.populate(320)
        let everyone = Set((1...320).map { "uid-\($0)" })
        var provider = SearchFilter()
        provider.providerID = "oidc.acme"
        var phone = SearchFilter()
        phone.providerID = "phone"
        let cases: [(String, SearchFilter, Int)] = [
            ("", SearchFilter(), 320), ("user", SearchFilter(), 320), ("Person", SearchFilter(), 320), ("@d3.example", SearchFilter(), 32),
            ("", provider, 32), ("", phone, 16), ("user", provider, 32),
        ]
        for (typed, filter, count) in cases {
            let (ids, pages) = try await fixture.allFound(typed, filter, most: 15)
            #expect(ids.count == count && Set(ids).count == count && Set(ids).isSubset(of: everyone), "\(typed) \(filter)")
            #expect(pages == (count + 14) / 15, "\(typed) \(filter)")
        }
        // Two kinds of matches, one behind the other.
        _ = try await fixture.database.write("UPDATE accounts SET display_name = 'User', email = NULL WHERE account_id < 'uid-2'")
        let (ids, _) = try await fixture.allFound("user", most: 15)
        #expect(ids.count == 320 && Set(ids).count == 320)
    }

    @Test func `looks at a bounded number of accounts for a page, and goes on from there`() async throws {
        let fixture = try await Fixture()
        try await fixture.populate(UserSearches.mostLooked + 500)
        _ = try await fixture.database.write("UPDATE accounts SET custom_auth = true WHERE account_id IN ('uid-3', 'uid-2400')")
        var filter = SearchFilter()
        filter.providerID = "custom"
        let search = try UserSearch("", filter)
        let searches = fixture.accounts.administration.searches
        guard case .page(let first) = try await searches.page(search, by: fixture.operator), let next = first.next else {
            Issue.record("no next page")
            return
        }
        #expect(first.accounts.map(\.id) == ["uid-2400"] && first.isUnfinished)
        guard case .page(let last) = try await searches.page(search, from: UTF8Text(next), by: fixture.operator) else {
            Issue.record("no page")
            return
        }
        #expect(last.accounts.map(\.id) == ["uid-3"] && last.next == nil && !last.isUnfinished)
    }

    @Test func `a place has no text that can be read, and opens no other search`() async throws {
        let fixture = try await Fixture()
        try await fixture.populate(100)
        let searches = fixture.accounts.administration.searches
        guard case .page(let page) = try await searches.page(try UserSearch("user"), most: 10, by: fixture.operator), let next = page.next
        else {
            Issue.record("no next page")
            return
        }
        #expect(!next.contains("user"))
        for place in [next + "A", "x", ""] as [String] {
            guard case .unknownPlace = try await searches.page(try UserSearch("user"), from: UTF8Text(place), by: fixture.operator) else {
                Issue.record("took \(place)")
                continue
            }
        }
        guard case .unknownPlace = try await searches.page(try UserSearch("use"), from: UTF8Text(next), by: fixture.operator) else {
            Issue.record("took the place of another search")
            return
        }
    }

    @Test func `finds a text in the middle of others only where the operator made the index`() async throws {
        let fixture = try await people()
        #expect(try await fixture.found("*lace*") == ["notIndexed"])
        let index = SubstringIndex(database: fixture.database)
        #expect(try await index.state() == .absent)
        try await index.make()
        try await index.make()
        #expect(try await index.state() == .ready)
        let cases = [("*LOVE*", ["ada"]), ("*example.org*", ["b"]), ("*example*", ["ada", "b", "c"]), ("*00%*", ["b"]), ("*a_a*", [])]
        for (typed, ids) in cases { #expect(try await fixture.found(typed) == ids, "\(typed)") }
        let (ids, pages) = try await fixture.allFound("*example*", most: 2)
        #expect(ids == ["ada", "b", "c"] && pages == 2)
        try await index.drop()
        #expect(try await fixture.found("*lace*") == ["notIndexed"])
    }

    @Test func `says about how many accounts there are without reading them`() async throws {
        let fixture = try await Fixture()
        try await fixture.populate(3000)
        let before = fixture.database.roundTrips
        let count = try await fixture.accounts.administration.searches.estimate(by: fixture.operator)
        #expect((2500...3500).contains(count))
        #expect(fixture.database.roundTrips - before == 1)
    }
}
