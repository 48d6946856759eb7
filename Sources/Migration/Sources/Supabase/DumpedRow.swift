import Accounts
import Text

/// A table of a plain dump by `pg_dump`, as its line `COPY auth.users (id, email, …) FROM stdin;` names it. Its rows follow on a line each,
/// up to the line `\.`. <https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2>
struct DumpedTable {
    /// Schema and table, without quotes.
    let name: UTF8Text
    let columns: [UTF8Text]
    private let positions: [UTF8Text: Int]

    /// Nil for any other line.
    init?(_ line: [UInt8]) {
        var words = SQLWords(line)
        guard words.keyword("COPY"), let name = words.qualifiedName(), words.symbol("("), let columns = words.names(),
            words.keyword("FROM"),
            words.keyword("stdin;")
        else { return nil }
        (self.name, self.columns) = (name, columns)
        positions = Dictionary(columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func position(of column: UTF8Text) -> Int? { positions[column] }

    static func isEnd(_ line: [UInt8]) -> Bool { line == Array("\\.".utf8) }

    /// The table that a line inserts into, in dumps with INSERT.
    static func inserted(by line: [UInt8]) -> UTF8Text? {
        var words = SQLWords(line)
        return words.keyword("INSERT") && words.keyword("INTO") ? words.qualifiedName() : nil
    }
}

/// One row of a table of a dump.
struct DumpedRow {
    private let table: DumpedTable
    private let values: [ArraySlice<UInt8>]
    let place: Int

    /// Throws where the row has more or fewer values than the table has columns.
    init(_ line: [UInt8], of table: DumpedTable, at place: Int) throws(ImportFault) {
        self.table = table
        self.place = place
        values = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        guard values.count == table.columns.count else {
            throw ImportFault(
                .malformed, "the row of \(table.name) has \(values.count) values, and the table \(table.columns.count) columns",
                place: place)
        }
    }

    /// The value of a column; nil for NULL, and where the table has no such column.
    func text(_ column: UTF8Text) throws(ImportFault) -> UTF8Text? {
        guard let position = table.position(of: column) else { return nil }
        let value = values[position]
        if value.elementsEqual("\\N".utf8) { return nil }
        guard let text = value.contains(UInt8(ascii: "\\")) ? Self.unescaped(value) : UTF8Text(validating: value) else {
            throw ImportFault(.malformed, "the column \(column) of \(table.name) is not UTF-8, or has an unknown escape", place: place)
        }
        return text
    }

    private static func unescaped(_ value: ArraySlice<UInt8>) -> UTF8Text? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count)
        var rest = value
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            switch escaped {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "v"): bytes.append(0x0B)
            case UInt8(ascii: "\\"): bytes.append(escaped)
            // pg_dump writes no others; COPY reads the digits of a byte, too.
            default: return nil
            }
        }
        return UTF8Text(validating: bytes)
    }
}

/// The words of a line of SQL, as far as a dump needs them.
private struct SQLWords {
    private var rest: ArraySlice<UInt8>

    init(_ line: [UInt8]) { rest = line[...] }

    private mutating func skipSpace() { rest = rest.drop { $0 == UInt8(ascii: " ") } }

    mutating func keyword(_ word: StaticString) -> Bool { symbol(word) && (rest.first.map { $0 == UInt8(ascii: " ") } ?? true) }

    mutating func symbol(_ symbol: StaticString) -> Bool {
        skipSpace()
        let bytes = UnsafeBufferPointer(start: symbol.utf8Start, count: symbol.utf8CodeUnitCount)
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
        return true
    }

    /// A name, in quotes or not.
    mutating func name() -> UTF8Text? {
        skipSpace()
        let quote = UInt8(ascii: "\"")
        guard rest.first == quote else {
            let name = rest.prefix { !".,() ".utf8.contains($0) }
            rest = rest.dropFirst(name.count)
            return name.isEmpty ? nil : UTF8Text(validating: name)
        }
        guard let end = rest.dropFirst().firstIndex(of: quote) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return UTF8Text(validating: rest[rest.startIndex.advanced(by: 1)..<end])
    }

    mutating func qualifiedName() -> UTF8Text? {
        guard let schema = name(), symbol("."), let table = name() else { return nil }
        return "\(schema).\(table)"
    }

    /// Names with commas between them, up to a closing parenthesis.
    mutating func names() -> [UTF8Text]? {
        var names: [UTF8Text] = []
        repeat {
            guard let name = name() else { return nil }
            names.append(name)
        } while symbol(",")
        return symbol(")") ? names : nil
    }
}
