/// A statement and the values bound to it, written as one literal: `"SELECT name FROM account WHERE id = \(id)"`.
///
/// `\(value)` never becomes part of the text: it is sent beside it as `$1`, `$2`, … in binary. `\(other)` of another `SQL` splices
/// its text and values in place. Text that is not a literal of the source enters only through `SQL(unsafe:)`.
package struct SQL: ExpressibleByStringInterpolation, Equatable, Sendable {
    /// What PostgreSQL parses, with `$n` where values go; the key of the statement cache.
    package private(set) var text: String
    private(set) var values = BoundValues()
    /// Only text from `SQL(unsafe:)` is looked through.
    private var textHoldsNUL = false

    /// A literal without values. `StaticString` keeps text made at run time out.
    package init(stringLiteral text: StaticString) {
        self.text = text.description
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sql
    }

    /// Takes `text` as it is, values and all: whoever calls this vouches that nothing from outside is in it.
    package init(unsafe text: String) {
        self.text = text
        textHoldsNUL = text.holdsNUL
    }

    /// Why the statement can't be sent, found before the server is bothered.
    var fault: PostgresError? {
        if values.holdNUL || textHoldsNUL {
            return .sql(state: "22021", message: "a text holds U+0000, which PostgreSQL cannot store")
        }
        if values.slots.count > 65_535 {
            return .sql(state: "54000", message: "more than 65535 values in one statement; bind an array instead")
        }
        return nil
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL(unsafe: "")

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.text.reserveCapacity(literalCapacity + 3 * interpolationCount)
            sql.values.reserve(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            sql.text += literal.description
        }

        /// Binds `value`.
        package mutating func appendInterpolation(_ value: some SQLValue) {
            sql.values.append(value, at: sql.text.utf8.count)
            sql.appendPlaceholder(sql.values.slots.count)
        }

        /// Binds `value`, or NULL. Spelt out since the compiler warns of optionals in an interpolation that doesn't ask for them.
        package mutating func appendInterpolation(_ value: (some SQLValue)?) {
            sql.values.append(value, at: sql.text.utf8.count)
            sql.appendPlaceholder(sql.values.slots.count)
        }

        /// Splices `other` in, its placeholders renumbered after those already here.
        package mutating func appendInterpolation(_ other: SQL) {
            sql.splice(other)
        }
    }

    private mutating func appendPlaceholder(_ number: Int) {
        text += "$"
        text += String(number)
    }

    private mutating func splice(_ other: SQL) {
        let source = other.text.utf8
        var copied = source.startIndex
        for (index, slot) in other.values.slots.enumerated() {
            let placeholder = source.index(source.startIndex, offsetBy: slot.position)
            text += other.text[copied..<placeholder]
            values.append(index, of: other.values, at: text.utf8.count)
            appendPlaceholder(values.slots.count)
            copied = source.index(placeholder, offsetBy: 1 + String(index + 1).utf8.count)
        }
        text += other.text[copied...]
        if other.textHoldsNUL { textHoldsNUL = true }
    }
}
