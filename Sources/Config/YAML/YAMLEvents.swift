import CYAML

/// The reason why a text cannot be a configuration, to be read behind the name of its file.
struct YAMLError: Error {
    let message: String
    /// `nil` when the mistake concerns the bytes of the whole text.
    let mark: Node.Mark?

    init(_ message: String, _ mark: Node.Mark?) {
        self.message = message
        self.mark = mark
    }
}

/// A step of the parser through a YAML text.
struct YAMLEvent {
    enum Kind {
        case streamStart, documentStart, documentEnd, streamEnd
        case scalar(Node.Scalar)
        case sequenceStart(isTagged: Bool)
        case mappingStart(isTagged: Bool)
        case sequenceEnd, mappingEnd
        case alias
    }

    let kind: Kind
    /// The name behind `&`, or behind `*` for an alias.
    let anchor: String?
    let mark: Node.Mark
}

/// The events of a YAML text, read by libyaml. <https://pyyaml.org/wiki/LibYAML>
struct YAMLEvents: ~Copyable {
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    /// The parser reads from here, so it must stay where it is.
    private let text: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = bytes.initialize(fromContentsOf: text.utf8)
        self.text = bytes
        guard yaml_parser_initialize(parser) == 1 else { fatalError("no memory for a YAML parser") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        text.deallocate()
    }

    mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw YAMLError(of: parser.pointee) }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(event)
    }
}

extension YAMLError {
    fileprivate init(of parser: yaml_parser_t) {
        let problem = parser.problem.map { ": " + String(cString: $0) } ?? ""
        self.init("is not YAML\(problem)", parser.error == YAML_READER_ERROR ? nil : Node.Mark(parser.problem_mark))
    }
}

extension YAMLEvent {
    fileprivate init(_ event: yaml_event_t) {
        mark = Node.Mark(event.start_mark)
        let data = event.data
        (kind, anchor) =
            switch event.type {
            case YAML_STREAM_START_EVENT: (.streamStart, nil)
            case YAML_DOCUMENT_START_EVENT: (.documentStart, nil)
            case YAML_DOCUMENT_END_EVENT: (.documentEnd, nil)
            case YAML_SCALAR_EVENT: (.scalar(Node.Scalar(event)), Self.text(data.scalar.anchor))
            case YAML_SEQUENCE_START_EVENT:
                (.sequenceStart(isTagged: Self.isTagged(data.sequence_start.tag, but: "seq")), Self.text(data.sequence_start.anchor))
            case YAML_SEQUENCE_END_EVENT: (.sequenceEnd, nil)
            case YAML_MAPPING_START_EVENT:
                (.mappingStart(isTagged: Self.isTagged(data.mapping_start.tag, but: "map")), Self.text(data.mapping_start.anchor))
            case YAML_MAPPING_END_EVENT: (.mappingEnd, nil)
            case YAML_ALIAS_EVENT: (.alias, Self.text(data.alias.anchor))
            default: (.streamEnd, nil)
            }
    }

    fileprivate static func text(_ bytes: UnsafePointer<yaml_char_t>?) -> String? { bytes.map { String(cString: $0) } }

    /// Whether there is a tag that says more than YAML's own tag `kind`.
    fileprivate static func isTagged(_ tag: UnsafePointer<yaml_char_t>?, but kind: String) -> Bool {
        ![nil, "!", "tag:yaml.org,2002:\(kind)"].contains(text(tag))
    }
}

extension Node.Scalar {
    fileprivate init(_ event: yaml_event_t) {
        let scalar = event.data.scalar
        text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nil
        isTagged = YAMLEvent.isTagged(scalar.tag, but: "str")
    }
}

extension Node.Mark {
    fileprivate init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}
