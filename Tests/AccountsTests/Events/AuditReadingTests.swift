@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

/// What is read of the record, and how long each project keeps its own.
@Suite struct AuditReadingTests {
    private func write(
        _ count: Int, action: AuditEvent.Action = .accountCreated, of account: String = "ada", in fixture: Fixture
    ) async throws {
        let act = AuditedAct(by: .person, on: account, from: Fixture.here, at: fixture.time.clock.now())
        for _ in 0..<count { _ = try await fixture.database.write(act.record(AccountEvent(action), in: "demo")) }
    }

    private func read(
        _ fixture: Fixture, newest limit: Int? = nil, _ change: (inout AuditEvents.Filter) -> Void = { _ in }
    ) async throws -> [AuditEvent] {
        var filter = AuditEvents.Filter()
        change(&filter)
        var found: [AuditEvent] = []
        try await AuditEvents(database: fixture.database).read(filter, newest: limit, in: "demo") { found += $0 }
        return found
    }

    @Test func `reads those for which everything that is asked is true`() async throws {
        let fixture = try await Fixture()
        let start = fixture.time.clock.now()
        try await write(2, in: fixture)
        fixture.time.advance(.seconds(60))
        try await write(1, action: .accountDeleted, in: fixture)
        try await write(1, of: "bob", in: fixture)
        let administrator = Administrator(
            serviceAccount: Administrator.Proof(
                token: AdministratorToken(serviceAccount: try #require(ServiceAccountEmail("backend", in: "demo")), keyID: "", expires: 0),
                right: .manageUsers),
            rights: [], of: fixture.project, from: Fixture.here)
        _ = try await fixture.database.write(
            administrator.act(on: "bob", at: fixture.time.clock.now()).record(AccountEvent(.accountDeleted), in: "demo"))

        #expect(try await read(fixture).count == 5)
        #expect(try await read(fixture) { $0.accountID = "bob" }.count == 2)
        #expect(try await read(fixture) { $0.action = "account.deleted" }.count == 2)
        #expect(try await read(fixture) { $0.actor = "person" }.count == 4)
        #expect(try await read(fixture) { $0.actor = "administrator" }.count == 1)
        #expect(try await read(fixture) { $0.actor = "backend@demo.iam.gserviceaccount.com" }.map(\.accountID) == ["bob"])
        #expect(try await read(fixture) { $0.since = start + .seconds(1) }.count == 3)
        #expect(try await read(fixture) { $0.until = start + .seconds(60) }.count == 2)
        #expect(try await read(fixture) { ($0.since, $0.action) = (start + .seconds(60), "account.deleted") }.count == 2)
        #expect(try await read(fixture, newest: 2) { $0.accountID = "ada" }.map(\.action) == ["account.created", "account.deleted"])
    }

    @Test func `reads more than one statement gives, each once and in order`() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.database.write(
            """
            INSERT INTO audit_events (project_id, occurred_at, actor_kind, action, account_id)
            SELECT 'demo', to_timestamp(1000 + number / 100), 'person', 'account.created', number::text FROM generate_series(1, 2500) number
            """)
        #expect(try await read(fixture).compactMap { $0.accountID.flatMap { Int($0) } } == Array(1...2500))
        #expect(try await read(fixture, newest: 1200).compactMap { $0.accountID.flatMap { Int($0) } } == Array(1301...2500))
        #expect(try await read(fixture, newest: 9999).count == 2500)
    }

    @Test func `each project keeps its events for its own time`() async throws {
        let fixture = try await Fixture()
        _ = try await KnownProjects(database: fixture.database).list(remembering: ["gone"])
        for id in ["demo", "long", "gone"] {
            let act = AuditedAct(by: .person, on: "ada", from: nil, at: fixture.time.clock.now())
            _ = try await fixture.database.write(act.record(AccountEvent(.accountCreated), in: id))
        }
        func project(_ id: String, keeping: Duration?) -> ProjectSettings {
            var project = ProjectSettings(id: id, number: 1, apiKeys: [], authorizedDomains: [], redirectURLs: [])
            project.audit.keep = keeping
            return project
        }
        let projects = [project("demo", keeping: nil), project("long", keeping: .seconds(1000))]
        func left() async throws -> [String] {
            try await fixture.database.query("SELECT project_id FROM audit_events ORDER BY 1").map { try $0.value() }
        }
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(100)))
        fixture.time.advance(.seconds(100))
        try await cleanup.run(for: projects)
        #expect(try await left() == ["demo", "gone", "long"])
        fixture.time.advance(.seconds(1))
        try await cleanup.run(for: projects)
        #expect(try await left() == ["long"])
        fixture.time.advance(.seconds(900))
        try await cleanup.run(for: projects)
        #expect(try await left().isEmpty)
    }

    @Test func `a project may keep them shorter than the server`() async throws {
        let fixture = try await Fixture()
        try await write(1500, in: fixture)
        var project = fixture.project
        project.audit.keep = .seconds(10)
        fixture.time.advance(.seconds(11))
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(1000)))
        try await cleanup.run(for: [project])
        #expect(try await read(fixture).isEmpty)
    }
}
