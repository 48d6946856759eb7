// A list or mapping with nothing below it (all its lines commented out, say) counts as empty.
extension Section {
    package func strings(_ key: String) -> [String] { values(key, expected: "text") { $0 } }

    /// A list of texts, which `parse` converts; a single text counts as a list of one.
    package func values<Value>(_ key: String, expected: String, _ parse: (String) -> Value?) -> [Value] {
        guard let node = ask(key, .list(expected: expected)), !Self.isNull(node) else { return [] }
        switch node.content {
        case .sequence(let items):
            return items.enumerated().compactMap { index, item in
                Self.text(item).flatMap(parse) ?? wrong("\(key)[\(index)]", item, "expected \(expected)")
            }
        case .scalar:
            return [Self.text(node).flatMap(parse) ?? wrong(key, node, "expected \(expected), or a list of such")].compactMap { $0 }
        default: return wrong(key, node, "expected a list") ?? []
        }
    }

    /// Whether the list is absent or has no entries, even if its entries have faults.
    package func isEmpty(_ key: String) -> Bool {
        guard let node = members[key]?.value else { return true }
        if case .sequence(let items) = node.content { return items.isEmpty }
        return Self.isNull(node)
    }

    /// A mapping of texts.
    package func texts(_ key: String) -> [String: String] {
        shape?.note(key, .texts)
        var texts: [String: String] = [:]
        for member in mapping(key, "expected a mapping of names to texts")?.members ?? [] {
            guard let name = named(member.key, in: key) else { continue }
            texts[name] = Self.text(member.value) ?? wrong("\(key).\(name)", member.value, "expected text")
        }
        return texts
    }

    /// The mapping under `key`; an empty one when it is absent.
    package func section(_ key: String) -> Section {
        let node = mapping(key, "expected a mapping")
        return Section(source: source, path: joined(key), node: node, near: mark, shape: shape?.mapping(key))
    }

    /// The mappings below `key`, by name and in their order. A name without a value has an empty mapping.
    package func sections(_ key: String) -> [(name: String, section: Section)] {
        (mapping(key, "expected a mapping")?.members ?? []).compactMap { member in
            guard let name = named(member.key, in: key) else { return nil }
            let (path, value) = ("\(key).\(name)", member.value)
            guard value.members != nil || Self.isNull(value) else { return wrong(path, value, "expected a mapping") }
            return (name, Section(source: source, path: joined(path), node: value, shape: shape?.named(name, below: key)))
        }
    }

    /// The mappings of a list, in their order.
    package func list(_ key: String) -> [Section] {
        let entries = shape?.mappings(key)
        guard let node = ask(key, nil), !Self.isNull(node) else { return [] }
        guard case .sequence(let items) = node.content else { return wrong(key, node, "expected a list of mappings") ?? [] }
        return items.enumerated().compactMap { index, item in
            guard item.members != nil else { return wrong("\(key)[\(index)]", item, "expected a mapping") }
            return Section(source: source, path: joined("\(key)[\(index)]"), node: item, shape: entries)
        }
    }

    private func mapping(_ key: String, _ otherwise: String) -> Node? {
        guard let node = ask(key, nil), !Self.isNull(node) else { return nil }
        return node.members != nil ? node : wrong(key, node, otherwise)
    }

    private func named(_ node: Node, in key: String) -> String? {
        guard let name = Self.text(node) else { return wrong(key, node, "keys must be texts") }
        return name != "<<" ? name : wrong("\(key).<<", node, "merge keys are not taken; write the keys out")
    }
}
