import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@testable import Accounts

/// Tests that an index answers each search and each page of it, and that none of these indexes costs sign-ins their short updates.
@Suite(.takesTurns) struct SearchPlansTests {
    private static let sources: [(source: SearchSource, index: String)] = [
        (.everyone, "accounts_by_creation"), (.disabled, "accounts_disabled"), (.phoneNumbers, "accounts_phone_number"),
        (.provider("oidc.acme"), "identities_subject"), (.id("uid-7"), "accounts_pkey"), (.phone("+12025000020"), "accounts_phone_number"),
        (.identity(providerID: "oidc.acme", subject: "subject-70"), "identities_alias"),
        (.providerEmail("work70@acme.example"), "identities_email"),
        (.emailStart("user12"), "accounts_email_start"), (.nameStart("Person 1"), "accounts_name_start"),
        (.domain("d3.example"), "accounts_domain"), (.substring("person 123"), "accounts_substring"),
    ]

    private func key(of source: SearchSource) -> SearchPosition.Key {
        SearchPosition.Key(text: source.isByCreation ? "1770000000000000" : "user5", id: "uid-5")
    }

    private func plan(_ statement: SQL, _ fixture: Fixture) async throws -> String {
        try await fixture.database.write(all: [Storage.limitsOfLooks, "EXPLAIN \(statement)"])[1]
            .map { try $0.value(as: String.self) }.joined(separator: "\n")
    }

    @Test func `an index answers every search, its next page, and its filters`() async throws {
        let fixture = try await Fixture()
        try await fixture.populate(30_000)
        try await SubstringIndex(database: fixture.database).make()
        _ = try await fixture.database.write("ANALYZE accounts")
        var filter = SearchFilter()
        filter.disabled = true
        filter.providerID = "oidc.acme"
        filter.createdSince = Instant(seconds: 1_700_000_000)
        for (source, index) in Self.sources {
            for after in [nil, key(of: source)] {
                for (filter, looked) in [(SearchFilter(), 0), (filter, UserSearches.mostLooked)] {
                    let page = source.page(
                        after: after, besides: [.id("uid-9"), .emailStart("x")], in: filter, most: 51, looked: looked, in: fixture.project)
                    let plan = try await plan(page, fixture)
                    #expect(plan.contains(index) && !plan.contains("Seq Scan"), "\(source) \(String(describing: after))\n\(plan)")
                    guard looked > 0 else { continue }
                    let last = source.lastLooked(
                        after: after, besides: [.id("uid-9")], in: filter, looked: looked, in: fixture.project)
                    let lastPlan = try await self.plan(last, fixture)
                    #expect(lastPlan.contains(index) && !lastPlan.contains("Seq Scan"), "\(source)\n\(lastPlan)")
                }
            }
        }
    }

    @Test func `no index of accounts has a column that a sign-in changes`() async throws {
        let fixture = try await Fixture()
        try await SubstringIndex(database: fixture.database).make()
        let indexed = try await fixture.database.query(
            """
            SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = 'accounts'::regclass
            """
        ).map { try $0.value(as: String.self) }
        #expect(indexed.count > 8)
        for definition in indexed {
            for column in ["last_login_at", "last_refresh_at", "custom_auth", "valid_since", "totp_steps"] {
                #expect(!definition.contains(column), "\(definition)")
            }
        }
    }

    @Test func `a sign-in updates the row of its account in place of the page`() async throws {
        let fixture = try await Fixture()
        try await fixture.populate(10)
        let hot = try await fixture.database.write(all: [
            "UPDATE accounts SET last_login_at = now() WHERE project_id = 'demo' AND account_id = 'uid-7'",
            "SELECT pg_stat_get_xact_tuples_hot_updated('accounts'::regclass)",
        ])[1]
        #expect(try hot.first?.value(as: Int64.self) == 1)
    }

    @Test func `names the project of each table by one parameter`() async throws {
        let fixture = try await Fixture()
        for (source, _) in Self.sources {
            var filter = SearchFilter()
            filter.providerID = "anonymous"
            let text = source.page(
                after: key(of: source), besides: [.identity(providerID: "a", subject: "b")], in: filter, most: 51, looked: 100,
                in: fixture.project
            ).text
            let projects = text.matches(of: #/project_id = (\$[0-9]+)/#).map { $0.1 }
            #expect(Set(projects).count == 1)
            let tables = text.matches(of: #/\b(?:FROM|JOIN) (?:accounts|identities|passkeys|\(SELECT \*)/#).count
            #expect(projects.count == tables, "\(text)")
        }
    }
}
