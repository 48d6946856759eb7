import Postgres
import Runtime
import TestKit
import Testing

/// COPY in both directions, within a transaction.
@Suite(.takesTurns) struct CopyTests {
    private func database() async throws -> Database {
        var settings = TestDatabase.settings
        settings.writeConnections = 1
        let database = try TestDatabase.open(try await TestDatabase.empty(), settings)
        _ = try await database.write("CREATE TABLE t (id bigint PRIMARY KEY, name text, made timestamptz, names text[])")
        return database
    }

    private func rows(_ ids: some Sequence<Int>, name: (Int) -> String? = { "name \($0)" }) -> CopyRows {
        var rows = CopyRows(columns: 4)
        for id in ids {
            rows.append { row in
                row.field(id)
                row.field(name(id))
                row.field(Instant(seconds: Int64(id)))
                row.field([name(id), nil])
            }
        }
        return rows
    }

    private let into: SQL = "COPY t (id, name, made, names) FROM STDIN BINARY"

    @Test func `what was copied in is copied out again, in pieces, between other steps of the transaction`() async throws {
        let database = try await database()
        let read = try await database.transaction { transaction in
            try await transaction.copy(rows(0..<20_000) { $0 == 7 ? nil : String(repeating: "x", count: $0 % 50) }, into)
            let count: Int = try await transaction.query("SELECT count(*) FROM t")[0].value()
            #expect(count == 20_000)
            try await transaction.copyOut("COPY (SELECT id, name, made, names FROM t WHERE id >= \(0) ORDER BY id) TO STDOUT BINARY")
            var read: [(Int, String?, Instant, [String?])] = []
            var pieces = 0
            while true {
                let rows = try await transaction.nextCopied()
                if rows.isEmpty { break }
                pieces += 1
                for row in rows {
                    var row = row.reader()
                    read.append((try row.next(as: Int.self), try row.next(), try row.next(), try row.next()))
                }
            }
            #expect(pieces > 1)
            _ = try await transaction.query("DELETE FROM t WHERE id > 9")
            return read
        }
        #expect(read.count == 20_000 && read.map(\.0) == Array(0..<20_000))
        #expect(read[7].1 == nil && read[7].3 == [nil, nil] && read[120].1 == String(repeating: "x", count: 20))
        #expect(read[120].2 == Instant(seconds: 120))
        #expect(try await database.query("SELECT count(*) FROM t")[0].value(as: Int.self) == 10)
        await database.close()
    }

    @Test func `a row that a constraint refuses undoes the transaction, and the connection goes on`() async throws {
        let database = try await database()
        await #expect(throws: PostgresError.constraint(name: "t_pkey", state: "23505")) {
            try await database.transaction { transaction in
                try await transaction.copy(rows([1]), into)
                try await transaction.copy(rows([2, 1]), into)
            }
        }
        #expect(try await database.query("SELECT count(*) FROM t")[0].value(as: Int.self) == 0)
        try await database.transaction { try await $0.copy(rows([1]), into) }
        #expect(try await database.query("SELECT count(*) FROM t")[0].value(as: Int.self) == 1)
        await database.close()
    }

    @Test func `a refused statement, a text with U+0000, and a statement of another kind are errors`() async throws {
        let database = try await database()
        func fails(_ rows: CopyRows, _ sql: SQL) async -> String? {
            do {
                try await database.transaction { try await $0.copy(rows, sql) }
                return nil
            } catch { return (error as? PostgresError)?.description }
        }
        #expect(await fails(rows([1]), "COPY nothing FROM STDIN BINARY")?.contains("42P01") == true)
        #expect(await fails(rows([1]) { _ in "\0" }, into)?.contains("22021") == true)
        #expect(await fails(rows([1]), "SELECT 1")?.contains("not a COPY FROM") == true)
        #expect(await fails(rows([1]), "SELECT \(true)")?.contains("no literal") == true)
        try await database.transaction { try await $0.copy(rows([1]), into) }
        await database.close()
    }

    @Test func `values of a COPY become literals that cannot end early`() async throws {
        let database = try await database()
        try await database.transaction { try await $0.copy(rows([1]) { _ in #"it's \ 'x'"# }, into) }
        let found = try await database.transaction { transaction in
            try await transaction.copyOut("COPY (SELECT id FROM t WHERE name = \(#"it's \ 'x'"#)) TO STDOUT BINARY")
            let found = try await transaction.nextCopied().count
            #expect(try await transaction.nextCopied().isEmpty)
            return found
        }
        #expect(found == 1)
        await database.close()
    }

    @Test func `a COPY that is not read to its end fails and costs its connection, but no other call`() async throws {
        let database = try await database()
        try await database.transaction { try await $0.copy(rows(0..<50_000), into) }
        await #expect(throws: PostgresError.unavailable("a COPY was not read to its end")) {
            try await database.transaction { transaction in
                try await transaction.copyOut("COPY (SELECT id FROM t ORDER BY id) TO STDOUT BINARY")
                let first = try await transaction.nextCopied().count
                #expect(first > 0 && first < 50_000)
            }
        }
        _ = try await database.write("DELETE FROM t WHERE id = 1")
        #expect(try await database.query("SELECT count(*) FROM t")[0].value(as: Int.self) == 49_999)
        await database.close()
    }
}
