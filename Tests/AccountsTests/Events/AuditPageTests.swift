import Postgres
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts

@Suite(.takesTurns) struct AuditPageTests {
    private func populated(_ count: Int) async throws -> (Fixture, AuditEvents) {
        let fixture = try await Fixture()
        _ = try await fixture.database.write(
            """
            INSERT INTO audit_events (project_id, occurred_at, actor_kind, actor, action, account_id)
            SELECT 'demo', timestamptz '2026-01-01' + (n / 2) * interval '1 second', 'command', 'users ' || n % 7,
                CASE WHEN n % 10 = 0 THEN 'account.deleted' ELSE 'profile.changed' END, 'uid-' || n % 50
            FROM generate_series(1, \(Int64(count))) n
            """)
        _ = try await fixture.database.write("ANALYZE audit_events")
        return (fixture, AuditEvents(database: fixture.database))
    }

    private func all(_ filter: AuditEvents.Filter, _ events: AuditEvents, most: Int) async throws -> (count: Int, pages: Int) {
        var (count, pages, place): (Int, Int, String?) = (0, 0, nil)
        var last: Instant?
        repeat {
            let page = try #require(
                try await events.page(filter, from: place.map { UTF8Text($0) }, most: most, in: "demo"))
            for event in page.events {
                if let last { #expect(event.time <= last) }
                last = event.time
            }
            (count, pages, place) = (count + page.events.count, pages + 1, page.next)
        } while place != nil && pages < 500
        return (count, pages)
    }

    @Test func `pages through the record from the newest entry on, without losing or repeating one`() async throws {
        let (_, events) = try await populated(330)
        #expect(try await all(AuditEvents.Filter(), events, most: 50) == (330, 7))
        var filter = AuditEvents.Filter()
        filter.accountID = "uid-7"
        #expect(try await all(filter, events, most: 5) == (7, 2))
        filter = AuditEvents.Filter()
        filter.action = "account.deleted"
        #expect(try await all(filter, events, most: 10) == (33, 4))
        filter.actor = "users 0"
        #expect(try await all(filter, events, most: 10).count == 4)
        filter.since = Instant(utc: "2026-01-02")
        #expect(try await all(filter, events, most: 10) == (0, 1))
        for place in ["", "1", "1-2-3", "a-b"] as [UTF8Text] {
            #expect(try await events.page(AuditEvents.Filter(), from: place, in: "demo")?.events == nil)
        }
    }

    @Test func `looks at a bounded number of entries for a page, and goes on from there`() async throws {
        let (fixture, events) = try await populated(AuditEvents.mostLooked + 100)
        _ = try await fixture.database.write(
            "UPDATE audit_events SET action = 'link.made' WHERE occurred_at = (SELECT min(occurred_at) FROM audit_events)")
        var filter = AuditEvents.Filter()
        filter.action = "link.made"
        let first = try #require(try await events.page(filter, in: "demo"))
        #expect(first.events.isEmpty && first.isUnfinished && first.next != nil)
        let last = try #require(try await events.page(filter, from: first.next.map { UTF8Text($0) }, in: "demo"))
        #expect(last.events.count == 1 && last.next == nil)
    }

    @Test func `an index answers every page`() async throws {
        let (fixture, _) = try await populated(20_000)
        var (byAccount, filtered) = (AuditEvents.Filter(), AuditEvents.Filter())
        byAccount.accountID = "uid-7"
        filtered.action = "account.deleted"
        filtered.actor = "users 3"
        for (filter, index) in [
            (AuditEvents.Filter(), "audit_events_project_time"), (byAccount, "audit_events_account_time"),
            (filtered, "audit_events_project_time"),
        ] {
            for before in [nil, TimeOrder.Place(time: Instant(seconds: 1_767_229_000), id: 500)] {
                for statement in AuditEvents.statements(filter, before: before, most: 51, in: "demo") {
                    let plan = try await fixture.database.write(all: [Storage.limitsOfLooks, "EXPLAIN \(statement)"])[1]
                        .map { try $0.value(as: String.self) }.joined(separator: "\n")
                    #expect(plan.contains(index) && !plan.contains("Seq Scan on audit_events"), "\(plan)")
                }
            }
        }
    }
}
