import Text

/// The form of the JSON that a type reads or writes, for descriptions of an interface.
///
/// ``init(of:)`` finds it out by letting the type decode itself, so it is never written down a second time. ``init(ofSamples:)`` finds it out
/// from values that were written, for code that writes its JSON by hand.
package indirect enum JSONShape: Sendable, Equatable {
    case text
    /// A truth value.
    case flag
    /// A whole number of this many bits.
    case integer(bits: Int)
    case number
    /// One of these texts.
    case choice([String])
    case list(JSONShape)
    /// An object with any names, whose values all have this shape.
    case map(JSONShape)
    case object([Member])
    /// Any JSON.
    case anything

    /// One member of an object.
    package struct Member: Sendable, Equatable {
        package let name: String
        package var shape: JSONShape
        package var isRequired: Bool
        /// Whether `null` has a meaning of its own.
        package var isNullable = false

        package init(_ name: String, _ shape: JSONShape, isRequired: Bool, isNullable: Bool = false) {
            self.name = name
            self.shape = shape
            self.isRequired = isRequired
            self.isNullable = isNullable
        }
    }

    /// The members of an object; none for any other shape.
    package var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// An object of texts.
    package static func texts(_ required: [String] = [], optional: [String] = []) -> JSONShape {
        .object(
            required.map { Member($0, .text, isRequired: true) } + optional.map { Member($0, .text, isRequired: false) })
    }

    /// This object with the members of another one behind its own.
    package func with(_ other: JSONShape) -> JSONShape { .object(members + other.members) }
}

extension JSONShape {
    /// The shape that all of `samples` have. A member that each of them has counts as required.
    package init(ofSamples samples: [JSON]) {
        let objects = samples.compactMap(\.object)
        let lists = samples.compactMap(\.array)
        if samples.isEmpty {
            self = .anything
        } else if objects.count == samples.count {
            var names: [String] = []
            for member in objects.joined() where !names.contains(member.name.asString) { names.append(member.name.asString) }
            self = .object(
                names.map { name in
                    let values = objects.compactMap { $0[.init(name)] }
                    return Member(name, JSONShape(ofSamples: values), isRequired: values.count == samples.count)
                })
        } else if lists.count == samples.count {
            self = .list(JSONShape(ofSamples: Array(lists.joined())))
        } else {
            let scalars = samples.map(JSONShape.init(ofScalar:))
            self = scalars.dropFirst().allSatisfy { $0 == scalars[0] } ? scalars[0] : .anything
        }
    }

    private init(ofScalar value: JSON) {
        self =
            switch value {
            case .string: .text
            case .bool: .flag
            case .integer: .integer(bits: 64)
            case .number: .number
            case .null, .array, .object: .anything
            }
    }
}
