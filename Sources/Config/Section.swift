import Runtime
import Yams

/// One mapping of a configuration file while it is read. Each call asks for one key; what is wrong is noted, never thrown.
package final class Section {
    let source: Source
    let path: String
    private let mark: Mark?
    private let node: Node?
    private var asked: Set<String> = []

    init(source: Source, path: String = "", node: Node? = nil) {
        self.source = source
        self.path = path
        self.node = node
        mark = node?.mark
    }

    /// The file the section stands in.
    package var file: String { source.file }

    package func has(_ key: String) -> Bool { find(key) != nil }

    // MARK: Values

    package func string(_ key: String) -> String? {
        guard let node = ask(key) else { return nil }
        guard let text = Self.text(node) else { return wrong(key, node, "expected text") }
        return text
    }

    /// A text that must be there and not be empty.
    package func required(_ key: String) -> String {
        guard let node = ask(key) else { return missing(key) ?? "" }
        guard let text = Self.text(node), !text.isEmpty else { return wrong(key, node, "expected text that is not empty") ?? "" }
        return text
    }

    package func bool(_ key: String, default value: Bool) -> Bool {
        guard let node = ask(key) else { return value }
        return node.bool ?? wrong(key, node, "expected true or false") ?? value
    }

    package func int(_ key: String, default value: Int, in range: ClosedRange<Int>) -> Int {
        guard let node = ask(key) else { return value }
        guard let number = node.int, range.contains(number) else {
            return wrong(key, node, "expected a whole number from \(range.lowerBound) to \(range.upperBound)") ?? value
        }
        return number
    }

    /// `10s`, `5m`, `24h`, `7d`.
    package func duration(_ key: String, default value: Duration, in range: ClosedRange<Duration>) -> Duration {
        guard let node = ask(key) else { return value }
        guard let duration = Self.text(node).flatMap(Duration.init(text:)), range.contains(duration) else {
            return wrong(key, node, "expected a time from \(range.lowerBound.text) to \(range.upperBound.text), such as 30s, 5m or 24h") ?? value
        }
        return duration
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, default value: Choice) -> Choice
    where Choice.RawValue == String {
        guard let node = ask(key) else { return value }
        guard let choice = Self.text(node).flatMap(Choice.init(rawValue:)) else {
            return wrong(key, node, "expected one of: \(Choice.allCases.map(\.rawValue).joined(separator: ", "))") ?? value
        }
        return choice
    }

    /// A text in a form of the caller's own. `expected` names it: "an https URL".
    package func value<Value>(_ key: String, expected: String, _ parse: (String) -> Value?) -> Value? {
        guard let node = ask(key) else { return nil }
        return Self.text(node).flatMap(parse) ?? wrong(key, node, "expected \(expected)")
    }

    // MARK: Lists and maps

    package func strings(_ key: String) -> [String] { values(key, expected: "text") { $0 } }

    /// A list of texts in a form of the caller's own; a single text counts as a list of one.
    package func values<Value>(_ key: String, expected: String, _ parse: (String) -> Value?) -> [Value] {
        guard let node = ask(key) else { return [] }
        let nodes: [Node]
        switch node {
        case .sequence(let sequence): nodes = Array(sequence)
        case .scalar: nodes = [node]
        default: return wrong(key, node, "expected a list") ?? []
        }
        return nodes.compactMap { item in Self.text(item).flatMap(parse) ?? wrong(key, item, "expected \(expected)") }
    }

    /// A mapping of texts.
    package func texts(_ key: String) -> [String: String] {
        guard let node = ask(key) else { return [:] }
        guard case .mapping(let mapping) = node else { return wrong(key, node, "expected a mapping of names to texts") ?? [:] }
        var texts: [String: String] = [:]
        for (name, value) in mapping {
            guard let name = name.string, let text = Self.text(value) else { _ = wrong(key, value, "expected text") as String?; continue }
            texts[name] = text
        }
        return texts
    }

    /// The mapping under `key`; an empty one when there is none.
    package func section(_ key: String) -> Section {
        guard let node = ask(key) else { return Section(source: source, path: joined(key)) }
        guard case .mapping = node else { return wrong(key, node, "expected a mapping") ?? Section(source: source, path: joined(key)) }
        return Section(source: source, path: joined(key), node: node)
    }

    /// The mappings below `key`, by name and in their order.
    package func sections(_ key: String) -> [(name: String, section: Section)] {
        guard let node = ask(key) else { return [] }
        guard case .mapping(let mapping) = node else { return wrong(key, node, "expected a mapping") ?? [] }
        return mapping.compactMap { name, value in
            guard let name = name.string else { return nil }
            guard case .mapping = value else { return wrong("\(key).\(name)", value, "expected a mapping") }
            return (name, Section(source: source, path: joined("\(key).\(name)"), node: value))
        }
    }

    // MARK: Faults

    /// Notes that the value of `key` will not do; `message` says what to do.
    package func fault(_ key: String, _ message: String) {
        let place = find(key).flatMap(\.mark) ?? mark
        source.faults.add(Fault(file: source.file, line: place?.line ?? 0, column: place?.column ?? 0, path: joined(key), message: message))
    }

    /// Reports the keys that nobody asked for.
    package func finish() {
        guard case .mapping(let mapping)? = node else { return }
        for (key, _) in mapping {
            guard let name = key.string else {
                source.faults.add(Fault(file: source.file, line: key.mark?.line ?? 0, column: key.mark?.column ?? 0, path: path, message: "keys must be texts"))
                continue
            }
            guard !asked.contains(name) else { continue }
            let near = Spelling.nearest(to: name, in: asked).map { "; did you mean \"\($0)\"?" } ?? ""
            source.faults.add(
                Fault(file: source.file, line: key.mark?.line ?? 0, column: key.mark?.column ?? 0, path: joined(name), message: "unknown key" + near))
        }
    }

    func ask(_ key: String) -> Node? {
        asked.insert(key)
        return find(key)
    }

    func wrong<Value>(_ key: String, _ node: Node, _ message: String) -> Value? {
        source.faults.add(
            Fault(file: source.file, line: node.mark?.line ?? 0, column: node.mark?.column ?? 0, path: joined(key), message: message))
        return nil
    }

    func missing<Value>(_ key: String) -> Value? {
        fault(key, "is missing")
        return nil
    }

    private func joined(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private func find(_ key: String) -> Node? {
        guard case .mapping(let mapping)? = node else { return nil }
        return mapping.first { $0.key.string == key }?.value
    }

    /// The text of a scalar as it stands in the file, so that `0123` or `yes` stay what was written.
    static func text(_ node: Node) -> String? {
        guard case .scalar(let scalar) = node else { return nil }
        return scalar.string
    }
}
