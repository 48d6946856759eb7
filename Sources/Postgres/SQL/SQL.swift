package import Runtime

/// A statement and the values bound to it, written as one literal: `"SELECT name FROM account WHERE id = \(id)"`.
///
/// `\(value)` never becomes part of the text: it is sent beside it as `$1`, `$2`, … in binary. `\(other)` with another `SQL` inserts its
/// text and values. Text that is not a literal of the source enters only through `SQL(unsafe:)`.
///
/// `\(partition: value)` is for tables that are spread over servers by the values of one column: a statement names one such value, and may name
/// it several times.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    private var pieces: [Piece] = []
    private(set) var values = BoundValues()
    /// Only text from `SQL(unsafe:)` is checked.
    private var textHoldsNUL = false

    /// A literal without values. `StaticString` excludes text made at run time.
    package init(stringLiteral text: StaticString) { pieces = [.literal(text)] }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// Uses `text` as it is: the caller must be sure that it contains nothing from outside.
    package init(unsafe text: String) {
        pieces = [.text(text)]
        textHoldsNUL = text.holdsNUL
    }

    private init() {}

    /// The text for PostgreSQL, with `$n` in place of values.
    package var text: String { text { "$\($0)" } }

    /// - Parameter value: the text in place of the value with this number, from 1.
    func text(_ value: (Int) -> String) -> String {
        var text: [UInt8] = []
        // Room for most statements, since the text is made each time that one is sent.
        text.reserveCapacity(1024)
        var values = 0
        var partition: Int?
        for piece in pieces {
            switch piece {
            case .literal(let literal): literal.withUTF8Buffer { text += $0 }
            case .text(let other): text += other.utf8
            case .value:
                values += 1
                text += value(values).utf8
            case .partition:
                if partition == nil { values += 1 }
                let number = partition ?? values
                partition = number
                text += value(number).utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The reason why the statement cannot be sent, if there is one; it is found without the server.
    package var fault: PostgresError? {
        if values.holdNUL || textHoldsNUL {
            return .sql(state: "22021", message: "a text holds U+0000, which PostgreSQL cannot store")
        }
        if values.nameTwoPartitions {
            return .sql(state: "0A000", message: "the statement names two partitions; send one statement for each")
        }
        if values.slots.count > 65_535 {
            return .sql(state: "54000", message: "more than 65535 values in one statement; bind an array instead")
        }
        return nil
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL()

        package init(literalCapacity: Int, interpolationCount: Int) {
            // Room, too, for what inserted statements bring.
            sql.pieces.reserveCapacity(4 * interpolationCount + 1)
            sql.values.reserve(2 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) { sql.pieces.append(.literal(literal)) }

        /// Binds `value`.
        package mutating func appendInterpolation(_ value: some SQLValue) {
            sql.bind(value)
        }

        /// Binds `value`, or NULL. It is a separate function, since the compiler warns of optionals in an interpolation that does not ask
        /// for them.
        package mutating func appendInterpolation(_ value: (some SQLValue)?) {
            sql.bind(value)
        }

        /// The same for the most frequent types: a generic function of another module asks the runtime for its types at every call.
        package mutating func appendInterpolation(_ value: String) { sql.bind(value) }
        package mutating func appendInterpolation(_ value: Int64) { sql.bind(value) }
        package mutating func appendInterpolation(_ value: Instant) { sql.bind(value) }
        package mutating func appendInterpolation(_ value: [UInt8]) { sql.bind(value) }

        /// Binds the value by which a distributed database finds the rows of this statement. All places of a statement that name it are one
        /// parameter. A statement that names two different ones has a `fault`.
        package mutating func appendInterpolation(partition value: String) {
            sql.pieces.append(.partition)
            sql.values.append(partition: value)
        }

        /// Inserts `other`; its placeholders are renumbered after those already here.
        package mutating func appendInterpolation(_ other: SQL) { sql += other }
    }

    /// Adds `other` at the end; its placeholders are renumbered after those already here.
    static func += (sql: inout SQL, other: SQL) {
        sql.pieces += other.pieces
        sql.values.append(contentsOf: other.values)
        if other.textHoldsNUL { sql.textHoldsNUL = true }
    }

    private mutating func bind(_ value: some SQLValue) {
        pieces.append(.value)
        values.append(value)
    }
}

extension Sequence<SQL> {
    /// One statement of all, with `separator` between them.
    package func joined(by separator: SQL) -> SQL {
        var joined: SQL?
        for part in self {
            if joined == nil { joined = part } else { joined = "\(joined ?? "")\(separator)\(part)" }
        }
        return joined ?? ""
    }
}

extension SQL: Equatable {
    package static func == (left: SQL, right: SQL) -> Bool { left.values == right.values && left.text == right.text }
}

/// A part of a statement's text.
private enum Piece: Sendable {
    case literal(StaticString)
    /// Text from `SQL(unsafe:)`.
    case text(String)
    case value
    case partition
}
