/// Which keys a mapping of a configuration file may have, and the form of their values, written down while a reader asks for them.
///
/// `ConfigFile.shape` lets a reader read samples for this, so no list of keys stands beside the readers. Editors get it as a JSON Schema.
package final class Shape {
    package enum Form {
        /// A scalar; the words say what is expected of it.
        case text(expected: String)
        case boolean(default: Bool)
        /// Without a default where it is required.
        case integer(ClosedRange<Int>, default: Int?)
        case duration(ClosedRange<Duration>, default: Duration)
        /// Without a default where it is required.
        case choice([String], default: String?)
        /// Scalars; one alone may stand without a list.
        case list(expected: String)
        /// A reference to a secret, or where `severalAllowed` a list of them.
        case secret(severalAllowed: Bool)
        /// A mapping of names to scalars.
        case texts
        case mapping(Shape)
        /// A list of mappings, which all have the same keys.
        case mappings(Shape)
        /// A mapping of names to mappings; each name has its own keys.
        case named([String: Shape])
    }

    package private(set) var members: [String: Form] = [:]
    package private(set) var required: Set<String> = []

    func note(_ key: String, _ form: Form) { if members[key] == nil { members[key] = form } }

    func require(_ key: String) { required.insert(key) }

    /// The keys of the mapping under `key`.
    func mapping(_ key: String) -> Shape {
        if case .mapping(let shape)? = members[key] { return shape }
        let shape = Shape()
        members[key] = .mapping(shape)
        return shape
    }

    /// The keys of the mappings in the list under `key`.
    func mappings(_ key: String) -> Shape {
        if case .mappings(let shape)? = members[key] { return shape }
        let shape = Shape()
        members[key] = .mappings(shape)
        return shape
    }

    /// The keys of the mapping that has this name below `key`.
    func named(_ name: String, below key: String) -> Shape {
        var shapes: [String: Shape] = [:]
        if case .named(let known)? = members[key] { shapes = known }
        let shape = shapes[name] ?? Shape()
        shapes[name] = shape
        members[key] = .named(shapes)
        return shape
    }
}

extension ConfigFile {
    /// The shape that `read` gives a file, found by letting it read each of `samples`. What it says is wrong with them does not count.
    ///
    /// - Parameter samples: YAML texts that together have every section that a reader asks for only where it is there.
    package static func shape(of samples: [String], _ read: (Section) -> Void) -> Shape {
        let shape = Shape()
        for sample in samples {
            let source = Source(file: "sample", environment: [:], faults: Faults())
            read(Section(source: source, node: try? compose(sample), shape: shape))
        }
        return shape
    }
}
