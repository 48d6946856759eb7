import Postgres
import TestKit
import Testing

@testable import Accounts

/// Writes that undo themselves.
@Suite(.takesTurns) struct RequiredStatementTests {
    private let insertion: SQL = "INSERT INTO provider_issuers VALUES ('demo', 'required.example', 'x') RETURNING provider_id"

    private func count(_ fixture: Fixture) async throws -> Int64 {
        try await fixture.database.query("SELECT count(*) FROM provider_issuers WHERE provider_id = 'required.example'")[0].value()
    }

    @Test func `a write is undone as a whole when a required statement touches nothing`() async throws {
        let fixture = try await Fixture()
        let storage = Storage(database: fixture.database)
        await #expect {
            try await storage.write(all: [insertion, .required("DELETE FROM accounts WHERE account_id = 'nobody' RETURNING account_id")])
        } throws: {
            if case AccountError.conflict = $0 { true } else { false }
        }
        #expect(try await count(fixture) == 0)
        _ = try await storage.write(all: [.required(insertion), .required("SELECT 1 FROM provider_issuers FOR SHARE")])
        #expect(try await count(fixture) == 1)
    }

    @Test func `the state that says so is the schema's own, and no other fault is taken for it`() async throws {
        let fixture = try await Fixture()
        await #expect(throws: PostgresError.sql(state: SQLState.conflict, message: "message withheld, it may quote a value")) {
            try await fixture.database.write("SELECT raise_overtaken()")
        }
        await #expect { try await Storage(database: fixture.database).write("SELECT 1 / (\(1) - 1)") } throws: {
            if case AccountError.database(.sql(state: "22012", message: _)) = $0 { true } else { false }
        }
    }
}
