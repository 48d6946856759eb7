/// Builds the value of a YAML text from the parser's events.
struct YAMLDocument: ~Copyable {
    /// No file of a mebibyte holds as many by itself, but aliases let a short one stand for more than a machine can hold.
    private static let maxValues = 1_000_000
    private static let maxDepth = 100

    private var events: YAMLEvents
    /// The values that anchors stand for, and how many values each of them holds.
    private var anchored: [String: (node: Node, values: Int)] = [:]
    private var values = 0
    private var depth = 0

    private init(_ text: String) { events = YAMLEvents(text) }

    /// The value that the text holds; `nil` when it holds none.
    static func read(_ text: String) throws(YAMLError) -> Node? {
        var document = YAMLDocument(text)
        return try document.read()
    }

    private mutating func read() throws(YAMLError) -> Node? {
        var root: Node?
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd: return root
            case .documentStart where root != nil:
                throw YAMLError("has a second document here; a configuration is one document", event.mark)
            case .streamStart, .documentStart, .documentEnd: continue
            default: root = try node(event)
            }
        }
    }

    /// The value that begins with this event; `nil` at the end of a sequence or mapping.
    private mutating func node(_ event: YAMLEvent) throws(YAMLError) -> Node? {
        let before = values
        let content: Node.Content
        switch event.kind {
        case .scalar(let scalar): content = .scalar(scalar)
        case .sequenceStart(let isTagged):
            content = .sequence(try nested(at: event.mark, isTagged: isTagged) { document throws(YAMLError) in try document.sequence() })
        case .mappingStart(let isTagged):
            content = .mapping(try nested(at: event.mark, isTagged: isTagged) { document throws(YAMLError) in try document.mapping() })
        case .alias:
            guard let original = event.anchor.flatMap({ anchored[$0] }) else {
                throw YAMLError("is not YAML: found undefined alias", event.mark)
            }
            try add(original.values, at: event.mark)
            return original.node
        default: return nil
        }
        try add(1, at: event.mark)
        let node = Node(content: content, mark: event.mark)
        if let anchor = event.anchor { anchored[anchor] = (node, values - before) }
        return node
    }

    /// Reads the content of a sequence or mapping.
    private mutating func nested<Content>(
        at mark: Node.Mark, isTagged: Bool, _ read: (inout YAMLDocument) throws(YAMLError) -> Content
    ) throws(YAMLError) -> Content {
        // A tag would make something else of the value for other readers of YAML.
        guard !isTagged else { throw YAMLError("has a tag here; write the value without it", mark) }
        guard depth < Self.maxDepth else { throw YAMLError("is nested more than \(Self.maxDepth) levels deep", mark) }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }

    private mutating func sequence() throws(YAMLError) -> [Node] {
        var items: [Node] = []
        while let item = try node(try events.next()) { items.append(item) }
        return items
    }

    private mutating func mapping() throws(YAMLError) -> [Node.Member] {
        var members: [Node.Member] = []
        var names: Set<String> = []
        while let key = try node(try events.next()) {
            if case .scalar(let scalar) = key.content, !names.insert(scalar.text).inserted {
                throw YAMLError("the key \"\(scalar.text)\" is given twice in one mapping", key.mark)
            }
            guard let value = try node(try events.next()) else { throw YAMLError("is not YAML: a key has no value", key.mark) }
            members.append(Node.Member(key: key, value: value))
        }
        return members
    }

    /// Counts values, and refuses too many.
    private mutating func add(_ more: Int, at mark: Node.Mark) throws(YAMLError) {
        values += more
        guard values <= Self.maxValues else {
            throw YAMLError("holds more than \(Self.maxValues) values, those of aliases counted each time", mark)
        }
    }
}
