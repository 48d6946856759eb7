import Postgres
import Runtime
import TestKit
import Testing

@Suite struct DatabaseTests {
    @Test func `reads what it wrote`() async throws {
        let database = try TestDatabase.open(try await TestDatabase.empty())
        _ = try await database.write("CREATE TABLE t (id bigint PRIMARY KEY, name text)")
        let name = "Ada"
        let written = try await database.write("INSERT INTO t VALUES (\(1), \(name)) RETURNING id")
        #expect(try written[0].get(0, as: Int.self) == 1)
        let rows = try await database.query("SELECT name FROM t WHERE id = \(1)")
        #expect(try rows[0].get(0, as: String.self) == "Ada")
        await database.close()
    }
}
