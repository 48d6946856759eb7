import Yams

// A list or mapping with nothing below it (all its lines commented out, say) counts as empty.
extension Section {
    package func strings(_ key: String) -> [String] { values(key, expected: "text") { $0 } }

    /// A list of texts, which `parse` converts; a single text counts as a list of one.
    package func values<Value>(_ key: String, expected: String, _ parse: (String) -> Value?) -> [Value] {
        guard let node = ask(key, .list(expected: expected)), !Self.isNull(node) else { return [] }
        switch node {
        case .sequence(let sequence):
            return sequence.enumerated().compactMap { index, item in
                Self.text(item).flatMap(parse) ?? wrong("\(key)[\(index)]", item, "expected \(expected)")
            }
        case .scalar:
            return [Self.text(node).flatMap(parse) ?? wrong(key, node, "expected \(expected), or a list of such")].compactMap { $0 }
        default: return wrong(key, node, "expected a list") ?? []
        }
    }

    /// Whether the list is absent or has no entries, even if its entries have faults.
    package func isEmpty(_ key: String) -> Bool {
        switch members[key]?.value {
        case nil: true
        case .sequence(let sequence)?: sequence.isEmpty
        case let node?: Self.isNull(node)
        }
    }

    /// A mapping of texts.
    package func texts(_ key: String) -> [String: String] {
        shape?.note(key, .texts)
        guard let mapping = mapping(key, "expected a mapping of names to texts") else { return [:] }
        var texts: [String: String] = [:]
        for (name, value) in mapping {
            guard let name = named(name, in: key) else { continue }
            texts[name] = Self.text(value) ?? wrong("\(key).\(name)", value, "expected text")
        }
        return texts
    }

    /// The mapping under `key`; an empty one when it is absent.
    package func section(_ key: String) -> Section {
        let mapping = mapping(key, "expected a mapping")
        return Section(source: source, path: joined(key), node: mapping.map(Node.mapping), near: mark, shape: shape?.mapping(key))
    }

    /// The mappings below `key`, by name and in their order. A name without a value has an empty mapping.
    package func sections(_ key: String) -> [(name: String, section: Section)] {
        guard let mapping = mapping(key, "expected a mapping") else { return [] }
        return mapping.compactMap { name, value in
            guard let name = named(name, in: key) else { return nil }
            let path = "\(key).\(name)"
            let section = Section(source: source, path: joined(path), node: value, shape: shape?.named(name, below: key))
            switch value {
            case .mapping: return (name, section)
            case .scalar where Self.isNull(value): return (name, section)
            default: return wrong(path, value, "expected a mapping")
            }
        }
    }

    /// The mappings of a list, in their order.
    package func list(_ key: String) -> [Section] {
        let entries = shape?.mappings(key)
        guard let node = ask(key, nil), !Self.isNull(node) else { return [] }
        guard case .sequence(let sequence) = node else { return wrong(key, node, "expected a list of mappings") ?? [] }
        return sequence.enumerated().compactMap { index, item in
            guard case .mapping = item else { return wrong("\(key)[\(index)]", item, "expected a mapping") }
            return Section(source: source, path: joined("\(key)[\(index)]"), node: item, shape: entries)
        }
    }

    private func mapping(_ key: String, _ otherwise: String) -> Node.Mapping? {
        guard let node = ask(key, nil), !Self.isNull(node) else { return nil }
        guard case .mapping(let mapping) = node else { return wrong(key, node, otherwise) }
        return mapping
    }

    private func named(_ node: Node, in key: String) -> String? {
        guard let name = Self.text(node) else { return wrong(key, node, "keys must be texts") }
        return name != "<<" ? name : wrong("\(key).<<", node, "merge keys are not taken; write the keys out")
    }
}
