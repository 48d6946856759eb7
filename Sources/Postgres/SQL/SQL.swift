package import Runtime

/// A statement and the values bound to it, written as one literal: `"SELECT name FROM account WHERE id = \(id)"`.
///
/// `\(value)` never becomes part of the text: it is sent beside it as `$1`, `$2`, … in binary. `\(other)` with another `SQL` inserts its
/// text and values. Text that is not a literal of the source enters only through `SQL(unsafe:)`.
///
/// The text is put together when a connection prepares the statement for the first time; in all other cases its pieces are used.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    private(set) var shape = Shape()
    private(set) var values = BoundValues()
    /// Only text from `SQL(unsafe:)` is checked.
    private var textHoldsNUL = false

    /// A literal without values. `StaticString` excludes text made at run time.
    package init(stringLiteral text: StaticString) {
        shape.pieces = [.init(text)]
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// Uses `text` as it is: the caller must be sure that it contains nothing from outside.
    package init(unsafe text: String) {
        shape.pieces = [.text(text)]
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
        if values.slots.count > 65_535 {
            return .sql(state: "54000", message: "more than 65535 values in one statement; bind an array instead")
        }
        return nil
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL()

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.shape.pieces.reserveCapacity(2 * interpolationCount + 1)
            sql.values.reserve(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            if literal.utf8CodeUnitCount > 0 { sql.shape.pieces.append(.init(literal)) }
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

        /// Inserts `other`; its placeholders are renumbered after those already here.
        package mutating func appendInterpolation(_ other: SQL) {
            sql.shape.pieces += other.shape.pieces
            sql.values.append(contentsOf: other.values)
            if other.textHoldsNUL { sql.textHoldsNUL = true }
        }
    }

    private mutating func bind(_ value: some SQLValue) {
        shape.pieces.append(.value)
        values.append(value)
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
struct Shape: Hashable, Sendable {
    fileprivate(set) var pieces: [Piece] = []

    enum Piece: Sendable {
        case literal(StaticString)
        case text(String)
        /// The place of the next value.
        case value
    }

    var text: String {
        var text = ""
        var count = 0
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal.description
            case .text(let piece): text += piece
            case .value:
                count += 1
                text += "$\(count)"
            }
        }
        return text
    }
}

extension Shape.Piece: Hashable {
    init(_ literal: StaticString) {
        // A literal of one character may not have an address.
        self = literal.hasPointerRepresentation ? .literal(literal) : .text(literal.description)
    }

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.literal(let left), .literal(let right)):
            left.utf8Start == right.utf8Start && left.utf8CodeUnitCount == right.utf8CodeUnitCount
        case (.text(let left), .text(let right)): left == right
        case (.value, .value): true
        default: false
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .literal(let literal): hasher.combine(UInt(bitPattern: literal.utf8Start))
        case .text(let text): hasher.combine(text)
        case .value: hasher.combine(0)
        }
    }
}
