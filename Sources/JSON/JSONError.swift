package import Text

/// A mistake in a JSON text or in one of its fields. Positions are byte offsets. Values never appear, since they may be secrets.
package enum JSONError: Error, Equatable {
    // The text is not JSON, or exceeds a limit.
    case tooLarge(limit: Int)
    case tooDeep(limit: Int)
    case unexpectedEnd
    case unexpected(at: Int)
    case trailing(at: Int)
    case controlCharacter(at: Int)
    case badEscape(at: Int)
    case loneSurrogate(at: Int)
    case notUTF8(at: Int)
    case numberOutOfRange(at: Int)
    case nameTooLong(at: Int, limit: Int)
    case duplicateKey(UTF8Text, at: Int)

    // The text is JSON, but does not have the expected form. `path` looks like `providerUserInfo[0].rawId`, and is empty for the whole
    // value.
    case missing(path: String)
    case bothSpellings(path: String)
    case typeMismatch(path: String, expected: String)
    case invalidValue(path: String, reason: String)
}

extension JSONError: CustomStringConvertible {
    /// A sentence for the caller, to stand after "Invalid JSON payload received. ".
    package var description: String {
        switch self {
        case .tooLarge(let limit): "More than \(limit) bytes."
        case .tooDeep(let limit): "Nested deeper than \(limit) levels."
        case .unexpectedEnd: "Unexpected end of text."
        case .unexpected(let offset): "Unexpected token at byte \(offset)."
        case .trailing(let offset): "Unexpected text after the value at byte \(offset)."
        case .controlCharacter(let offset): "Unescaped control character in a string at byte \(offset)."
        case .badEscape(let offset): "Unknown escape in a string at byte \(offset)."
        case .loneSurrogate(let offset): "Half a surrogate pair in a string at byte \(offset)."
        case .notUTF8(let offset): "Not UTF-8 in the string at byte \(offset)."
        case .numberOutOfRange(let offset): "Number out of range at byte \(offset)."
        case .nameTooLong(let offset, let limit): "A name of more than \(limit) bytes at byte \(offset)."
        case .duplicateKey(let name, let offset): "Duplicate name '\(name.prefix(bytes: 64))' at byte \(offset)."
        case .missing(let path): "Missing value\(place(path))."
        case .bothSpellings(let path): "Given in more than one spelling\(place(path))."
        case .typeMismatch(let path, let expected): "Invalid value\(place(path)): expected \(expected)."
        case .invalidValue(let path, let reason): "Invalid value\(place(path)): \(reason)"
        }
    }

    private func place(_ path: String) -> String { path.isEmpty ? "" : " at '\(path)'" }
}
