/// One setting of a configuration file as it counts, for people to read: its own value with its line, or the default.
package struct EffectiveSetting: Sendable, Equatable {
    /// `limits.body`
    package let path: String
    /// Never a secret: of one, the reference.
    package let value: Value
    /// Where the file has it; `nil` for a default.
    package let line: Int?

    package enum Value: Sendable, Equatable {
        case text(String)
        /// A secret that the file refers to, such as `file secrets/console`.
        case secret(String)
        /// A setting that is absent, and has no default.
        case none
    }
}

extension ConfigFile {
    /// Every setting of a file by the reader of it, in alphabetical order; empty where the file cannot be read.
    ///
    /// The reader says which keys there are and what their defaults are, as it does for `shape(of:)`, so that no list of keys stands beside it.
    package static func effectiveSettings(
        of file: String, environment: [String: String], _ read: (Section) -> Void
    ) -> [EffectiveSetting] {
        let source = Source(file: file, environment: environment, faults: Faults())
        guard let text = try? text(of: file), let node = try? compose(text) else { return [] }
        let shape = Shape()
        read(Section(source: source, node: node, shape: shape))
        return shape.settings(of: node, below: "")
    }
}

extension Shape {
    fileprivate func settings(of node: Node?, below path: String) -> [EffectiveSetting] {
        members.sorted { $0.key < $1.key }.flatMap { key, form in
            let member = node?.members?.first { Section.text($0.key) == key }
            return Self.settings(form, member?.value, at: path.isEmpty ? key : "\(path).\(key)", line: member?.key.mark.line)
        }
    }

    private static func settings(_ form: Form, _ node: Node?, at path: String, line: Int?) -> [EffectiveSetting] {
        func one(_ value: EffectiveSetting.Value) -> [EffectiveSetting] { [EffectiveSetting(path: path, value: value, line: line)] }
        switch form {
        case .secret: return one(node.map { .secret(reference($0)) } ?? .none)
        case .mapping(let shape): return shape.settings(of: node, below: path)
        case .mappings(let shape):
            guard case .sequence(let items)? = node?.content, !items.isEmpty else { return one(.none) }
            return items.enumerated().flatMap { shape.settings(of: $1, below: "\(path)[\($0)]") }
        case .named(let shapes):
            let named = (node?.members ?? []).flatMap { member -> [EffectiveSetting] in
                guard let name = Section.text(member.key), let shape = shapes[name] else { return [] }
                return shape.settings(of: member.value, below: "\(path).\(name)")
            }
            return named.isEmpty ? one(.none) : named
        // The texts may be codes, as those of test numbers are.
        case .texts: return one(node.map { .text(($0.members ?? []).compactMap { Section.text($0.key) }.joined(separator: ", ")) } ?? .none)
        case .list, .text, .boolean, .integer, .duration, .choice:
            guard let node else { return one(standard(form).map { .text($0) } ?? .none) }
            return one(.text(text(node)))
        }
    }

    private static func standard(_ form: Form) -> String? {
        switch form {
        case .boolean(let value): "\(value)"
        case .integer(_, let value): value.map { "\($0)" }
        case .duration(_, let value): value.text
        case .choice(_, let value): value
        case .text, .list, .secret, .texts, .mapping, .mappings, .named: nil
        }
    }

    /// `file secrets/console`, for each of them.
    private static func reference(_ node: Node) -> String {
        switch node.content {
        case .sequence(let items): items.map(reference).joined(separator: ", ")
        case .mapping(let members): members.map { "\(text($0.key)) \(text($0.value))" }.joined(separator: ", ")
        // A secret that stands in the file itself is a fault; it is not shown all the same.
        case .scalar: ""
        }
    }

    private static func text(_ node: Node) -> String {
        switch node.content {
        case .scalar(let scalar): scalar.text
        case .sequence(let items): items.map(text).joined(separator: ", ")
        case .mapping(let members): members.map { "\(text($0.key)): \(text($0.value))" }.joined(separator: ", ")
        }
    }
}
