import Text

/// A type that a JSON string, truth value or number can be read as. The standard library's decoding protocols require one function for
/// each of these types; here one generic function serves all of them.
protocol Scalar: Decodable {
    /// The name of the type in an error.
    static var expected: String { get }
    static func read(_ value: JSON, _ spelling: JSON.Spelling) -> Self?
}

extension Scalar {
    static func read(_ value: JSON, _ spelling: JSON.Spelling, at path: @autoclosure () -> Path) throws(JSONError) -> Self {
        guard let scalar = read(value, spelling) else { throw .typeMismatch(path: path().text, expected: expected) }
        return scalar
    }
}

extension String: Scalar {
    static var expected: String { "a string" }
    static func read(_ value: JSON, _ spelling: JSON.Spelling) -> String? { value.string?.asString }
}

extension Bool: Scalar {
    static var expected: String { "true or false" }

    static func read(_ value: JSON, _ spelling: JSON.Spelling) -> Bool? {
        switch value {
        case .bool(let flag): flag
        case .string(let text) where spelling == .wire: text == "true" ? true : text == "false" ? false : nil
        default: nil
        }
    }
}

extension Scalar where Self: FixedWidthInteger {
    static var expected: String { "a whole number that fits" }

    static func read(_ value: JSON, _ spelling: JSON.Spelling) -> Self? {
        switch value {
        case .string(let text) where spelling == .wire: text.utf8.first == UInt8(ascii: "+") ? nil : Self(text.asString)
        default: value.integer.flatMap(Self.init(exactly:))
        }
    }
}

extension Int: Scalar {}
extension Int8: Scalar {}
extension Int16: Scalar {}
extension Int32: Scalar {}
extension Int64: Scalar {}
extension UInt: Scalar {}
extension UInt8: Scalar {}
extension UInt16: Scalar {}
extension UInt32: Scalar {}
extension UInt64: Scalar {}

extension Double: Scalar {
    static var expected: String { "a number" }

    static func read(_ value: JSON, _ spelling: JSON.Spelling) -> Double? {
        switch value {
        case .string(let text) where spelling == .wire:
            if case .number(let number)? = try? JSON.parse(text.asString) { number } else { Int64.read(value, spelling).map(Double.init) }
        default: value.number
        }
    }
}

extension Float: Scalar {
    static var expected: String { Double.expected }
    static func read(_ value: JSON, _ spelling: JSON.Spelling) -> Float? { Double.read(value, spelling).map { Float($0) } }
}
