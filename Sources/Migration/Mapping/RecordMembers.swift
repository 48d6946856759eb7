import Accounts
import JSON
import Runtime
import Text

/// Reads the members of one account's JSON object. An absent member, `null` and an empty text are the same.
///
/// Throws `ImportFault` with the code `malformed` for a value of another type. The fault names the member and never its value.
struct RecordMembers {
    let object: JSON.Object
    private let takesSnakeCase: Bool

    /// - Parameter spelling: with `wire`, a member `localId` may be called `local_id`, too, as Google's API takes it.
    init(_ object: JSON.Object, _ spelling: JSON.Spelling = .exact) {
        self.object = object
        takesSnakeCase = spelling == .wire && object.contains { $0.name.contains(UInt8(ascii: "_")) }
    }

    subscript(name: UTF8Text) -> JSON? {
        let value = object[name] ?? (takesSnakeCase ? object[Self.snakeCase(name)] : nil)
        switch value {
        case .null, nil: return nil
        case .string(let text) where text.isEmpty: return nil
        case let value?: return value
        }
    }

    func text(_ name: UTF8Text) throws(ImportFault) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw Self.wrong(name, "a text") }
        return text.asString
    }

    /// False where it is absent. Also reads the texts `true` and `false`.
    func flag(_ name: UTF8Text) throws(ImportFault) -> Bool { try optionalFlag(name) ?? false }

    func optionalFlag(_ name: UTF8Text) throws(ImportFault) -> Bool? {
        switch self[name] {
        case nil: nil
        case .bool(let flag): flag
        case .string("true"): true
        case .string("false"): false
        default: throw Self.wrong(name, "true or false")
        }
    }

    /// A time in milliseconds since 1970, as a number or a text. 0 is the same as absent, as Firebase writes it.
    func milliseconds(_ name: UTF8Text) throws(ImportFault) -> Instant? { try time(name, unit: 1000, "milliseconds") }

    /// A time in seconds since 1970, as a number or a text.
    func seconds(_ name: UTF8Text) throws(ImportFault) -> Instant? { try time(name, unit: 1_000_000, "seconds") }

    /// A date with a time (`SourceTime`).
    func date(_ name: UTF8Text) throws(ImportFault) -> Instant? {
        guard let text = try text(name) else { return nil }
        guard let time = SourceTime.instant(UTF8Text(text)) else { throw Self.wrong(name, "a time such as 2026-11-22T06:45:00Z") }
        return time
    }

    func object(_ name: UTF8Text) throws(ImportFault) -> JSON.Object? {
        guard let value = self[name] else { return nil }
        guard let object = value.object else { throw Self.wrong(name, "an object") }
        return object
    }

    /// Empty where it is absent.
    func objects(_ name: UTF8Text) throws(ImportFault) -> [JSON.Object] {
        guard let value = self[name] else { return [] }
        guard let array = value.array else { throw Self.wrong(name, "an array of objects") }
        return try array.map { element throws(ImportFault) in
            guard let object = element.object else { throw Self.wrong(name, "an array of objects") }
            return object
        }
    }

    private func time(_ name: UTF8Text, unit: Int64, _ unitName: String) throws(ImportFault) -> Instant? {
        guard let value = self[name] else { return nil }
        guard let number = value.number.map({ $0.rounded(.down) }) ?? value.string.flatMap({ Int64($0.asString).map(Double.init) }),
            let units = Int64(exactly: number)
        else { throw Self.wrong(name, "a time in \(unitName) since 1970") }
        if units == 0 { return nil }
        let (microseconds, overflow) = units.multipliedReportingOverflow(by: unit)
        return Instant(microseconds: overflow ? (units < 0 ? .min : .max) : microseconds)
    }

    static func wrong(_ name: UTF8Text, _ expected: String) -> ImportFault {
        ImportFault(.malformed, "\(name) must be \(expected)")
    }

    private static func snakeCase(_ name: UTF8Text) -> UTF8Text {
        UTF8Text(
            decoding: name.utf8.flatMap { (0x41...0x5A).contains($0) ? [UInt8(ascii: "_"), $0 | 0x20] : [$0] })
    }
}
