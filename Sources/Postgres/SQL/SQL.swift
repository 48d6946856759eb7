package import Runtime

/// A statement and the values bound to it, written as one literal: `"SELECT name FROM account WHERE id = \(id)"`.
///
/// `\(value)` never becomes part of the text: it is sent beside it as `$1`, `$2`, … in binary. `\(other)` of another `SQL` splices
/// its text and values in place. Text that is not a literal of the source enters only through `SQL(unsafe:)`.
///
/// The text is put together when a connection first prepares the statement; until then, and ever after, its pieces stand for it.
package struct SQL: ExpressibleByStringInterpolation, Sendable {
    private(set) var shape = Shape()
    private(set) var values = BoundValues()
    /// Only text from `SQL(unsafe:)` is looked through.
    private var textHoldsNUL = false

    /// A literal without values. `StaticString` keeps text made at run time out.
    package init(stringLiteral text: StaticString) {
        shape.pieces = [.init(text)]
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// Takes `text` as it is, values and all: the caller vouches that nothing from outside is in it.
    package init(unsafe text: String) {
        shape.pieces = [.text(text)]
        textHoldsNUL = text.holdsNUL
    }

    private init() {}

    /// What PostgreSQL parses, with `$n` where values go.
    package var text: String { shape.text }

    /// Why the statement can't be sent, found before the server is bothered.
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

        /// Binds `value`, or NULL. Spelt out since the compiler warns of optionals in an interpolation that doesn't ask for them.
        package mutating func appendInterpolation(_ value: (some SQLValue)?) {
            sql.bind(value)
        }

        /// The same for what is bound most: what is generic in another module asks the runtime for its types at every call.
        package mutating func appendInterpolation(_ value: String) { sql.bind(value) }
        package mutating func appendInterpolation(_ value: Int64) { sql.bind(value) }
        package mutating func appendInterpolation(_ value: Instant) { sql.bind(value) }
        package mutating func appendInterpolation(_ value: [UInt8]) { sql.bind(value) }

        /// Splices `other` in, its placeholders renumbered after those already here.
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

/// What a statement consists of but for its values; the key of the statement cache.
///
/// Literals compare by their place in the program, which takes no look at their letters. Two shapes may thus differ though they read the
/// same: then the statement is prepared twice.
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
        // A literal of one character may have no place of its own.
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
