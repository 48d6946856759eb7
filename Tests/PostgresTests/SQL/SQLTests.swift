import Runtime
import Testing

@testable import Postgres

@Suite struct SQLTests {
    @Test func `binds values in the order they are written`() {
        let sql: SQL = "SELECT \(1 as Int16), \("two"), \(3.5)"
        #expect(sql.text == "SELECT $1, $2, $3")
        #expect(sql.values.slots.map(\.type) == [.int2, .text, .float8])
        #expect(sql.values.bytes == [0, 1] + Array("two".utf8) + [0x40, 0x0C, 0, 0, 0, 0, 0, 0])
        #expect(sql.values.slots.map(\.length) == [2, 3, 8])
    }

    @Test func `keeps a bound text out of the statement`() {
        let sql: SQL = "SELECT \("'; DROP TABLE account; --")"
        #expect(sql.text == "SELECT $1")
    }

    @Test func `splices another statement and renumbers its values`() {
        let condition: SQL = "a = \(1) AND b = \("x")"
        let sql: SQL = "UPDATE t SET c = \(true) WHERE \(condition) AND d = \(Int16(9))"
        #expect(sql.text == "UPDATE t SET c = $1 WHERE a = $2 AND b = $3 AND d = $4")
        #expect(sql.values.slots.map(\.type) == [.bool, .int8, .text, .int2])
        #expect(sql.values.bytes == [1, 0, 0, 0, 0, 0, 0, 0, 1, 120, 0, 9])
    }

    @Test func `splices into a splice past nine values`() {
        let nine: SQL = "\(1), \(2), \(3), \(4), \(5), \(6), \(7), \(8), \(9)"
        let inner: SQL = "\(nine), \(10), \(11)"
        let sql: SQL = "VALUES (\(0), \(inner), \("é"), \(nine))"
        #expect(sql.text == "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)")
        #expect(sql.values.slots.count == 22)
    }

    @Test func `splices text that has a dollar and letters beyond ASCII`() {
        let inner: SQL = "name = 'é$1' AND id = \(7)"
        let sql: SQL = "\(1) \(inner)"
        #expect(sql.text == "$1 name = 'é$1' AND id = $2")
    }

    @Test func `takes raw text only when it says so`() {
        let table = SQL(unsafe: "account")
        let sql: SQL = "SELECT 1 FROM \(table)"
        #expect(sql.text == "SELECT 1 FROM account")
        #expect(sql.values.slots.isEmpty)
    }

    @Test func `binds the partition once, however often and wherever a statement names it`() {
        let inner: SQL = "b.p = \(partition: "demo") AND b.id = \(7)"
        let sql: SQL = "SELECT \(true) FROM a JOIN b ON \(inner) WHERE a.p = \(partition: "demo") AND \(inner) AND a.id = \(8)"
        #expect(sql.text == "SELECT $1 FROM a JOIN b ON b.p = $2 AND b.id = $3 WHERE a.p = $2 AND b.p = $2 AND b.id = $4 AND a.id = $5")
        #expect(sql.values.slots.map(\.type) == [.bool, .text, .int8, .int8, .int8])
        #expect(sql.fault == nil)
        #expect(sql.text != ("SELECT \(true) FROM a JOIN b ON \(inner) WHERE a.p = \("demo") AND \(inner) AND a.id = \(8)" as SQL).text)
    }

    @Test func `refuses a statement that names two partitions`() {
        let inner: SQL = "q = \(partition: "demo")"
        let fault = PostgresError.sql(state: "0A000", message: "the statement names two partitions; send one statement for each")
        #expect(("p = \(partition: "other") AND \(inner)" as SQL).fault == fault)
        #expect(("\(inner) AND p = \(partition: "other")" as SQL).fault == fault)
        let both: SQL = "\(inner) AND p = \(partition: "other")"
        #expect(("SELECT \(both)" as SQL).fault == fault)
        #expect(("\(inner) AND p = \(partition: "demo")" as SQL).fault == nil)
    }

    @Test func `keeps raw texts in their order and tells statements apart by them`() {
        func statement(_ first: String, _ second: String) -> SQL {
            let inner: SQL = "a.\(SQL(unsafe: first)) = \(1)"
            return "SELECT \(SQL(unsafe: second)) WHERE \(inner) AND \(inner)"
        }
        #expect(statement("x", "y").text == "SELECT y WHERE a.x = $1 AND a.x = $2")
        #expect(statement("x", "y").text == statement("x", "y").text)
        #expect(statement("x", "y").text != statement("y", "x").text)
        #expect(statement("x", "y") != statement("x", "z"))
    }

    @Test func `binds nil as NULL of its type`() {
        let none: Instant? = nil
        let some: String? = "x"
        let sql: SQL = "SELECT \(nil as String?), \(none), \(some)"
        #expect(sql.values.slots.map(\.length) == [-1, -1, 1])
        #expect(sql.values.slots.map(\.type) == [.text, .timestamptz, .text])
    }

    @Test func `refuses text with U+0000 before the server sees it`() {
        #expect(("SELECT \("a\u{0}b")" as SQL).fault == .sql(state: "22021", message: "a text holds U+0000, which PostgreSQL cannot store"))
        #expect(("SELECT \(["a", "\u{0}"])" as SQL).fault != nil)
        #expect(("SELECT \("a\u{0}" as String?)" as SQL).fault != nil)
        #expect(SQL(unsafe: "SELECT '\u{0}'").fault != nil)
        let inner: SQL = "\("\u{0}")"
        #expect(("SELECT \(inner)" as SQL).fault != nil)
        #expect(("SELECT \([0, 1] as [UInt8])" as SQL).fault == nil)
    }

    @Test func `refuses more values than the protocol can count`() {
        let one: SQL = "\(true)"
        var sql: SQL = "SELECT 1"
        for _ in 0..<16 { sql = "\(sql), \(many(one, 4096))" }
        #expect(sql.values.slots.count == 65_536)
        #expect(sql.fault?.description.contains("65535") == true)
    }

    private func many(_ one: SQL, _ count: Int) -> SQL {
        var sql = one
        while sql.values.slots.count < count { sql = "\(sql), \(sql)" }
        return sql
    }
}

private enum Colour: String, SQLValue { case red, green }

@Suite struct SQLValueTests {
    private func roundTrip<T: SQLValue & Equatable>(_ value: T) -> Bool {
        var bytes: [UInt8] = []
        value.encode(into: &bytes)
        return bytes.withUnsafeBytes { T.decode($0.bytes, T.sqlType) } == value
    }

    private func decode<T: SQLValue>(_ bytes: [UInt8], _ type: SQLType, as: T.Type) -> T? {
        bytes.withUnsafeBytes { T.decode($0.bytes, type) }
    }

    @Test func `reads back every type it binds`() {
        #expect(roundTrip(true) && roundTrip(false))
        #expect(roundTrip(Int.min) && roundTrip(Int64.max) && roundTrip(Int32.min) && roundTrip(Int16.max))
        #expect(roundTrip(-0.1) && roundTrip(Double.infinity))
        #expect(roundTrip("") && roundTrip("Grüße 👋"))
        #expect(roundTrip([] as [UInt8]) && roundTrip([0, 255] as [UInt8]))
        #expect(roundTrip(Instant(microseconds: 0)) && roundTrip(Instant(microseconds: -1)))
        #expect(roundTrip([] as [String]) && roundTrip(["", "a", "é,\"{}"]))
        #expect(roundTrip(["a", nil, ""]) && roundTrip([nil] as [String?]))
        #expect(roundTrip([Int64.min, 0, .max]))
        #expect(roundTrip(Colour.green))
    }

    @Test func `counts instants from the year 2000`() {
        var bytes: [UInt8] = []
        Instant(seconds: 946_684_801).encode(into: &bytes)
        #expect(bytes == [0, 0, 0, 0, 0, 0x0F, 0x42, 0x40])
    }

    @Test func `takes infinity for no instant`() {
        #expect(decode([0x7F] + [UInt8](repeating: 0xFF, count: 7), .timestamptz, as: Instant.self) == nil)
        #expect(decode([0x80] + [UInt8](repeating: 0, count: 7), .timestamptz, as: Instant.self) == nil)
        var bytes: [UInt8] = []
        Instant(microseconds: .min).encode(into: &bytes)
        #expect(bytes == [0x80, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test func `reads an integer of another width if it fits`() {
        #expect(decode([0, 0, 1, 0], .int4, as: Int.self) == 256)
        #expect(decode([0, 0, 1, 0], .int4, as: Int16.self) == 256)
        #expect(decode([0, 1, 0, 0], .int4, as: Int16.self) == nil)
    }

    @Test func `reads jsonb as its text`() {
        #expect(decode([1] + Array("{}".utf8), .jsonb, as: String.self) == "{}")
        #expect(decode([2] + Array("{}".utf8), .jsonb, as: String.self) == nil)
        #expect(decode([], .jsonb, as: String.self) == nil)
    }

    @Test func `reads nothing from another type or too few bytes`() {
        #expect(decode([0, 0, 0, 1], .int4, as: String.self) == nil)
        #expect(decode([49], .text, as: Int.self) == nil)
        #expect(decode([0, 0, 1], .int4, as: Int.self) == nil)
        #expect(decode([], .bool, as: Bool.self) == nil)
        #expect(decode(Array("blue".utf8), .text, as: Colour.self) == nil)
    }

    @Test func `reads the elements of a table row by row`() {
        let dimensions: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
        let elements: [UInt8] = [0, 0, 0, 1, 65, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(decode(dimensions + elements, .textArray, as: [String?].self) == ["A", nil])
        #expect(decode(dimensions + elements, .textArray, as: [String].self) == nil)
        #expect(decode(dimensions + elements.dropLast(), .textArray, as: [String?].self) == nil)
    }

    @Test(
        arguments: [
            [], [0, 0, 0, 2], [0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 25],
            [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE],
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1],
            [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 65],
            [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 1, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `reads no array from other bytes`(bytes: [UInt8]) {
        #expect(decode(bytes, .textArray, as: [String].self) == nil)
    }
}
