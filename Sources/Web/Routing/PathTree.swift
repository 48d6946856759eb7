package import Text

/// The routes whose paths have placeholders in braces, as a tree of their segments: `/{project}/oauth2/jwks`. Behind a brace, the rest of
/// the segment may be fixed: `/v1/projects/{project}:createSessionCookie`.
///
/// Finding a path takes as long as it has segments, whatever the number of routes. A fixed segment goes before a placeholder, and a placeholder
/// with a long fixed rest before one with a short rest.
struct PathTree: Sendable {
    private var nodes = [Node()]
    /// The fixed texts of all segments, one behind the other.
    private var texts: [UInt8] = []
    /// The names of all placeholders.
    private var names: [UTF8Text] = []

    /// The paths that have the same segments so far.
    private struct Node: Sendable {
        /// The handlers of the path that ends here.
        var handlers: [Handler] = []
        var literals: [(text: FixedText, node: Int)] = []
        var placeholders: [(name: Int, ending: FixedText, node: Int)] = []
    }

    /// A part of `texts`, with its beginning as a number, since most comparisons end there.
    private struct FixedText: Sendable {
        let beginning: UInt64
        let range: Range<Int>

        /// Whether it is this text. `texts` are those of the tree.
        func isEqual(to text: UnsafeRawBufferPointer, among texts: UnsafeRawBufferPointer) -> Bool {
            guard text.count == range.count, beginning == Self.beginning(of: text) else { return false }
            return text.count <= 8 || text.dropFirst(8).elementsEqual(texts[range].dropFirst(8))
        }

        /// A number made of the first eight bytes. It is compared only for texts of the same length.
        static func beginning(of text: UnsafeRawBufferPointer) -> UInt64 {
            if text.count >= 8 { return text.loadUnaligned(as: UInt64.self) }
            var number: UInt64 = 0
            for byte in text { number = number << 8 | UInt64(byte) }
            return number
        }
    }

    mutating func add(_ handler: Handler, at path: String) {
        var place = 0
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) { place = child(of: place, at: Array(segment)[...]) }
        nodes[place].handlers.append(handler)
    }

    private mutating func child(of parent: Int, at segment: ArraySlice<UInt8>) -> Int {
        guard segment.first == UInt8(ascii: "{"), let brace = segment.firstIndex(of: UInt8(ascii: "}")) else {
            if let known = nodes[parent].literals.first(where: { texts[$0.text.range] == segment }) { return known.node }
            nodes[parent].literals.append((add(segment), nodes.count))
            return addNode()
        }
        let name = UTF8Text(decoding: segment[..<brace].dropFirst())
        let ending = segment[brace...].dropFirst()
        let known = nodes[parent].placeholders.first { names[$0.name] == name && texts[$0.ending.range] == ending }
        if let known { return known.node }
        let shorter = nodes[parent].placeholders.firstIndex { $0.ending.range.count < ending.count }
        let place = shorter ?? nodes[parent].placeholders.count
        nodes[parent].placeholders.insert((names.count, add(ending), nodes.count), at: place)
        names.append(name)
        return addNode()
    }

    private mutating func add(_ text: ArraySlice<UInt8>) -> FixedText {
        texts += text
        return FixedText(
            beginning: text.withUnsafeBytes(FixedText.beginning), range: texts.count - text.count..<texts.count)
    }

    private mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The handlers at a path, and what stands in the braces; `nil` when there are none.
    func find(_ path: String) -> (handlers: [Handler], parameters: PathParameters)? {
        var path = path
        return path.withUTF8 { path in
            texts.withUnsafeBytes { texts in
                var parameters = PathParameters()
                return find(UnsafeRawBufferPointer(path), below: 0, among: texts, &parameters).map { (nodes[$0].handlers, parameters) }
            }
        }
    }

    /// The node at which `path` ends.
    private func find(
        _ path: UnsafeRawBufferPointer, below place: Int, among texts: UnsafeRawBufferPointer, _ parameters: inout PathParameters
    ) -> Int? {
        guard path.first == UInt8(ascii: "/") else { return path.isEmpty && !nodes[place].handlers.isEmpty ? place : nil }
        let end = path[1...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
        let segment = UnsafeRawBufferPointer(rebasing: path[1..<end])
        let rest = UnsafeRawBufferPointer(rebasing: path[end...])
        for (text, node) in nodes[place].literals where text.isEqual(to: segment, among: texts) {
            if let found = find(rest, below: node, among: texts, &parameters) { return found }
        }
        for (name, ending, node) in nodes[place].placeholders where segment.count > ending.range.count {
            let length = segment.count - ending.range.count
            guard ending.isEqual(to: UnsafeRawBufferPointer(rebasing: segment[length...]), among: texts) else { continue }
            parameters.add(names[name], UTF8Text(decoding: UnsafeRawBufferPointer(rebasing: segment[..<length])))
            if let found = find(rest, below: node, among: texts, &parameters) { return found }
            parameters.removeLast()
        }
        return nil
    }
}

/// The values that stood for the braces of a route's path, by name.
package struct PathParameters: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private struct Parameter: Equatable {
        let name: UTF8Text
        let value: UTF8Text
    }

    private var parameters: [Parameter] = []

    package init() {}

    package init(dictionaryLiteral elements: (UTF8Text, UTF8Text)...) {
        for (name, value) in elements { add(name, value) }
    }

    package subscript(name: UTF8Text) -> UTF8Text? { parameters.first { $0.name == name }?.value }

    fileprivate mutating func add(_ name: UTF8Text, _ value: UTF8Text) { parameters.append(Parameter(name: name, value: value)) }

    fileprivate mutating func removeLast() { parameters.removeLast() }
}
