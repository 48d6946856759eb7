package import Text

/// JSON as a value, for everything that arrives from outside and everything that the server answers.
///
/// To read JSON, use ``parse(_:limits:)`` (strict, RFC 8259), and then the accessors here or ``decode(_:spelling:)`` into a `Decodable`
/// type. To write it, use ``bytes()``, ``init(encoding:spelling:)`` for an `Encodable` type, or `JSONWriter` where the form is known and
/// the code runs often. The meaning of a field, and the error for a wrong one, are decided elsewhere.
///
/// Names and texts are ``UTF8Text``: they come from outside, so they are compared by their bytes.
///
/// Numbers written without fraction or exponent that fit 64 bits stay exact (`integer`); all others are `number`.
/// <https://www.rfc-editor.org/rfc/rfc8259>
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(UTF8Text)
    case array([JSON])
    case object(Object)
}

extension JSON {
    /// The member of an object; nil when it is absent, or when this is not an object. A member that is `null` is `.null`.
    package subscript(name: UTF8Text) -> JSON? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    /// The element of an array; nil outside its bounds, or when this is not an array.
    package subscript(index: Int) -> JSON? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    package var isNull: Bool { if case .null = self { true } else { false } }

    package var string: UTF8Text? { if case .string(let text) = self { text } else { nil } }

    package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// A whole number, also when it was written as `1.0` or `1e3`.
    package var integer: Int64? {
        switch self {
        case .integer(let number): number
        case .number(let number): Int64(exactly: number)
        default: nil
        }
    }

    /// Any number, whole or not. Whole numbers above 2^53 lose their last digits.
    package var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    package var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    package var object: Object? { if case .object(let object) = self { object } else { nil } }
}

extension JSON {
    /// A string from a text of our own.
    package static func string(_ text: String) -> JSON { .string(UTF8Text(text)) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral {
    package init(stringLiteral text: String) { self = .string(UTF8Text(text)) }
    package init(integerLiteral number: Int64) { self = .integer(number) }
    package init(booleanLiteral flag: Bool) { self = .bool(flag) }
    package init(floatLiteral number: Double) { self = .number(number) }
}

extension JSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral {
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral members: (UTF8Text, JSON)...) { self = .object(Object(members)) }
    package init(nilLiteral: ()) { self = .null }
}
