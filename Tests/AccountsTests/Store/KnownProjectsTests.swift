@testable import Accounts
import Crypto
import FoundationEssentials
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

@Suite struct KnownProjectsTests {
    @Test func `remembers a project once, and for ever`() async throws {
        let known = KnownProjects(database: try TestDatabase.open(try await TestDatabase.make()))
        #expect(try await known.list() == [AuditEvents.server])
        #expect(try await known.list(remembering: ["b", "a"]) == [AuditEvents.server, "a", "b"])
        #expect(try await known.list(remembering: ["c", "a"]) == [AuditEvents.server, "a", "b", "c"])
        #expect(try await known.list() == [AuditEvents.server, "a", "b", "c"])
    }

    @Test func `the migration remembers every project that has rows`() async throws {
        let folder = Repository.root + "/Migrations"
        let before = try TestFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name < "0028" {
            let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
            try before.write(name, String(decoding: bytes, as: UTF8.self))
        }
        let url = try await TestDatabase.make(migrations: before.path)
        let database = try TestDatabase.open(url)
        _ = try await database.write(
            all: [
                """
                INSERT INTO accounts (project_id, account_id, valid_since, created_at)
                SELECT project, 'a' || n, to_timestamp(0), now() FROM unnest('{b,a}'::text[]) project, generate_series(1, 3) n
                """,
                "INSERT INTO audit_events (project_id, occurred_at, actor_kind, action) VALUES ('gone', now(), 'person', 'account.deleted')",
            ])
        await database.close()
        _ = try await Schema.embedded().migrate(url: url)
        #expect(try await KnownProjects(database: try TestDatabase.open(url)).list() == [AuditEvents.server, "a", "b", "gone"])
    }

    @Test func `mails are leased one project at a time`() async throws {
        let fixture = try await Fixture()
        var other = fixture.project
        other.id = "other"
        other.storageID = "other"
        let mail = OutgoingMail(.verifyEmail, to: "ada@example.com", language: "en", link: "https://a.example/")
        let expires = fixture.time.clock.now() + .seconds(3600)
        let outbox = fixture.outbox
        _ = try await fixture.database.write(outbox.enqueue(mail, until: expires, for: [], in: other))
        #expect(try await fixture.deliveries.firstDue(of: DeliveryKind.allCases, in: "demo").isEmpty)
        #expect(try await fixture.deliveries.firstDue(of: DeliveryKind.allCases, in: "other") == [.mail: fixture.time.clock.now()])
        #expect(try await outbox.claim(10, in: "demo").mails.isEmpty)
        #expect(try await outbox.claim(10, in: "other").mails.map(\.projectID) == ["other"])
        #expect(try await fixture.deliveries.firstDue(of: [.mail], in: "other") == [.mail: fixture.time.clock.now() + Deliveries.lease])
        #expect(try await outbox.waiting.depth(in: ["demo"]).count == 0)
        #expect(try await outbox.waiting.depth(in: ["demo", "other"]).count == 1)
    }

    @Test func `what a former master key sealed is sealed again in all projects, and what has expired is deleted in all`() async throws {
        let fixture = try await Fixture()
        var other = fixture.project
        other.id = "other"
        other.storageID = "other"
        let mail = OutgoingMail(.verifyEmail, to: "ada@example.com", language: "en", link: "https://a.example/")
        let expires = fixture.time.clock.now() + .seconds(3600)
        _ = try await fixture.database.write(
            all: [fixture.project, other].map { fixture.outbox.enqueue(mail, until: expires, for: [], in: $0) })
        let both = MasterKey(bytes: Array(101...132), others: [Array(1...32)])
        #expect(try await Reseal(database: fixture.database, masterKey: both, clock: fixture.time.clock).run().rows(.deliveries) == 2)
        fixture.time.advance(.seconds(2 * 3600 + 1))
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400)))
        // A project that cannot be cleaned stops no other one.
        _ = try await fixture.database.write(
            all: [
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$",
                "CREATE TRIGGER refuse BEFORE DELETE ON deliveries FOR EACH ROW WHEN (old.project_id = 'demo') EXECUTE FUNCTION refuse()",
            ])
        await #expect(throws: AccountError.self) { try await cleanup.run(for: [fixture.project]) }
        #expect(try await fixture.database.query("SELECT project_id FROM deliveries").map { try $0.value(as: String.self) } == ["demo"])
        _ = try await fixture.database.write("DROP TRIGGER refuse ON deliveries")
        try await cleanup.run(for: [fixture.project])
        #expect(try await fixture.database.query("SELECT 1 FROM deliveries").isEmpty)
    }
}
