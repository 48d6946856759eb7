package import Runtime

/// A statement and the values bound to it, written as one literal: `"SELECT name FROM account WHERE id = \(id)"`.
///
/// `\(value)` never becomes part of the text: it is sent beside it as `$1`, `$2`, … in binary. `\(other)` with another `SQL` inserts its
/// text and values. Text that is not a literal of the source enters only through `SQL(unsafe:)`.
///
/// `\(partition: value)` is for tables that are spread over servers by the values of one column: a statement names one such value, and may name
/// it several times.
///
/// The text is put together when a connection prepares the statement for the first time; in all other cases its pieces are used.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    private(set) var shape = Shape()
    private(set) var values = BoundValues()
    /// Only text from `SQL(unsafe:)` is checked.
    private var textHoldsNUL = false

    /// A literal without values. `StaticString` excludes text made at run time.
    package init(stringLiteral text: StaticString) {
        shape.append(text)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// Uses `text` as it is: the caller must be sure that it contains nothing from outside.
    package init(unsafe text: String) {
        shape.append(text)
        textHoldsNUL = text.holdsNUL
    }

    private init() {}

    /// The text for PostgreSQL, with `$n` in place of values.
    package var text: String { shape.text }

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
            sql.shape.reserve(3 * interpolationCount + 1)
            sql.values.reserve(2 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            sql.shape.append(literal)
        }

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
            sql.shape.appendPartition()
            sql.values.append(partition: value)
        }

        /// Inserts `other`; its placeholders are renumbered after those already here.
        package mutating func appendInterpolation(_ other: SQL) { sql += other }
    }

    /// Adds `other` at the end; its placeholders are renumbered after those already here.
    static func += (sql: inout SQL, other: SQL) {
        sql.shape.append(other.shape)
        sql.values.append(contentsOf: other.values)
        if other.textHoldsNUL { sql.textHoldsNUL = true }
    }

    private mutating func bind(_ value: some SQLValue) {
        shape.appendValue()
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
    package static func == (left: SQL, right: SQL) -> Bool {
        left.values == right.values && (left.shape == right.shape || left.text == right.text)
    }
}

/// A statement without its values; the key of the statement cache.
///
/// Literals are compared by their address in the program and not by their letters. So two shapes with the same text may differ; then the
/// statement is prepared twice.
struct Shape: Hashable {
    private var pieces: [Piece] = []
    /// The texts that are not literals, which few statements have.
    private var texts: [String] = []

    /// A literal, which may be empty, and what follows it. It has no references and no padding, so that pieces are copied and hashed as
    /// bytes.
    private struct Piece: Hashable {
        struct End: RawRepresentable, Hashable {
            // An enum would be one byte and three of padding.
            let rawValue: UInt32

            /// Nothing, or the next piece.
            static let none = End(rawValue: 0)
            /// The place of the next value.
            static let value = End(rawValue: 1)
            /// The next one of `texts`.
            static let text = End(rawValue: 2)
            /// The place of the partition's value.
            static let partition = End(rawValue: 3)
        }

        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        var end = End.none
    }

    mutating func reserve(_ count: Int) { pieces.reserveCapacity(count) }

    mutating func append(_ literal: StaticString) {
        // A literal of one character may not have an address.
        guard literal.hasPointerRepresentation else { return append(literal.description) }
        guard literal.utf8CodeUnitCount > 0 else { return }
        pieces.append(Piece(start: literal.utf8Start, count: UInt32(literal.utf8CodeUnitCount)))
    }

    mutating func append(_ text: String) {
        appendEnd(.text)
        texts.append(text)
    }

    mutating func appendValue() { appendEnd(.value) }
    mutating func appendPartition() { appendEnd(.partition) }

    private mutating func appendEnd(_ end: Piece.End) {
        if let last = pieces.indices.last, pieces[last].end == .none {
            pieces[last].end = end
        } else {
            pieces.append(Piece(end: end))
        }
    }

    mutating func append(_ other: Shape) {
        pieces += other.pieces
        if !other.texts.isEmpty { texts += other.texts }
    }

    /// The same without room for more, to be kept.
    var compact: Shape {
        var shape = self
        shape.pieces = pieces.withUnsafeBufferPointer(Array.init)
        return shape
    }

    func hash(into hasher: inout Hasher) {
        pieces.withUnsafeBytes { hasher.combine(bytes: $0) }
        if !texts.isEmpty { hasher.combine(texts) }
    }

    var text: String {
        var text = ""
        var (values, others) = (0, texts.makeIterator())
        var partition: Int?
        for piece in pieces {
            text += String(decoding: UnsafeBufferPointer(start: piece.start, count: Int(piece.count)), as: UTF8.self)
            switch piece.end {
            case .value:
                values += 1
                text += "$\(values)"
            case .partition:
                if partition == nil { values += 1 }
                let number = partition ?? values
                partition = number
                text += "$\(number)"
            case .text: text += others.next() ?? ""
            default: break
            }
        }
        return text
    }
}

extension Shape: @unchecked Sendable {
    // @unchecked Sendable because the addresses are those of literals, which nothing changes.
}
