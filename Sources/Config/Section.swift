/// One mapping of a configuration file while it is read. Each call reads one key. Mistakes are recorded, never thrown.
package final class Section {
    let source: Source
    /// Where to write down what is asked for; `nil` where the file counts, not its form.
    let shape: Shape?
    let path: String
    let node: Node?
    /// The place for faults that belong to no node: the start of the mapping, or of the surrounding mapping when this one is absent.
    let mark: Node.Mark?
    /// Each key's own node and its value.
    let members: [String: Node.Member]
    private var asked: Set<String> = []
    private var hints: [String: String] = [:]

    init(source: Source, path: String = "", node: Node? = nil, near mark: Node.Mark? = nil, shape: Shape? = nil) {
        self.source = source
        self.shape = shape
        self.path = path
        self.node = node
        self.mark = node?.mark ?? mark
        var members: [String: Node.Member] = [:]
        for member in node?.members ?? [] {
            if let name = Self.text(member.key) { members[name] = member }
        }
        self.members = members
    }

    /// Whether the file could not be read, so that every key is missing.
    package var isUnreadable: Bool { source.isUnreadable }

    /// The file the section stands in.
    package var file: String { source.file }

    /// The files and folders that the section depends on, as they were when they were read; `nil` when a change of one of them does not show. Equal ones
    /// need not be read again.
    package var files: [String: FileStamp]? { source.files }

    /// For files in other formats that belong to the section.
    package var faults: Faults { source.faults }

    package func has(_ key: String) -> Bool { members[key] != nil }

    /// Records that the value of `key` cannot be used; `message` says what to do.
    package func fault(_ key: String, _ message: String) { add(joined(key), members[key]?.value, message) }

    /// Says what to write instead of `key`, which this section does not have, if the file has it.
    package func hint(_ key: String, _ remedy: String) { hints[key] = remedy }

    /// Records that `key` must not stand here, where it does; `message` says why.
    package func refuse(_ key: String, _ message: String) {
        asked.insert(key)
        if has(key) { fault(key, message) }
    }

    /// Records that the value of `key` can be used, but is probably not what the operator wants; `message` says why.
    package func note(_ key: String, _ message: String) { note(key, at: members[key]?.value, message) }

    func note(_ key: String, at node: Node?, _ message: String) { source.faults.note(fault(at: node, joined(key), message)) }

    /// Reports the keys that were not read.
    package func finish() {
        for key in (node?.members ?? []).map(\.key) {
            switch Self.text(key) {
            case nil: add(path, key, "keys must be texts")
            case "<<": add(joined("<<"), key, "merge keys are not taken; write the keys out")
            case let name? where !asked.contains(name):
                let near = Spelling.nearest(to: name, in: asked).map { "did you mean \"\($0)\"?" }
                add(joined(name), key, "unknown key" + ((hints[name] ?? near).map { "; \($0)" } ?? ""))
            default: break
            }
        }
    }

    /// The value of `key`, which counts as known from now on.
    ///
    /// - Parameter form: `nil` where the caller writes down the form itself.
    func ask(_ key: String, _ form: @autoclosure () -> Shape.Form?) -> Node? {
        asked.insert(key)
        if let shape, let form = form() { shape.note(key, form) }
        return members[key]?.value
    }

    /// Records a fault of the value `node` and returns nil, so that the caller can return it or use a default.
    func wrong<Value>(_ key: String, _ node: Node, _ message: String) -> Value? {
        add(joined(key), node, message)
        return nil
    }

    func joined(_ key: String) -> String { path.isEmpty || key.isEmpty ? path + key : "\(path).\(key)" }

    private func add(_ path: String, _ node: Node?, _ message: String) {
        // An unreadable file is one fault; the keys that are missing because of it are not reported.
        guard !source.isUnreadable else { return }
        source.faults.add(fault(at: node, path, message))
    }

    private func fault(at node: Node?, _ path: String, _ message: String) -> Fault {
        let mark = node?.mark ?? mark
        return Fault(file: source.file, line: mark?.line ?? 0, column: mark?.column ?? 0, path: path, message: message)
    }

    /// The text of a scalar exactly as written, so that `0123` or `yes` are not changed. Nil for `null`, for an absent value, and for
    /// tagged values such as `!env NAME`, since tags are not supported.
    static func text(_ node: Node) -> String? {
        guard case .scalar(let scalar) = node.content, !isNull(node), !scalar.isTagged else { return nil }
        return scalar.text
    }

    /// Unquoted text, which may be a number or a truth value.
    static func word(_ node: Node) -> String? {
        guard case .scalar(let scalar) = node.content, scalar.isPlain else { return nil }
        return text(node)
    }

    /// Whether the value is `null`, `~`, or absent behind `key:`.
    static func isNull(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node.content, scalar.isPlain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
    }
}
