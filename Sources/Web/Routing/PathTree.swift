package import Text

/// The routes whose paths have placeholders in braces, as a tree of their segments: `/{project}/oauth2/jwks`. Behind a brace, the rest of
/// the segment may be fixed: `/v1/projects/{project}:createSessionCookie`.
///
/// Finding a path takes as long as it has segments, whatever the number of routes. A fixed segment goes before a placeholder, and a placeholder
/// with a long fixed rest before one with a short rest.
struct PathTree: Sendable {
    private var nodes = [Node()]

    /// The paths that have the same segments so far.
    private struct Node: Sendable {
        /// The handlers of the path that ends here.
        var handlers: [Handler] = []
        var literals: [(text: [UInt8], node: Int)] = []
        var placeholders: [(name: UTF8Text, ending: [UInt8], node: Int)] = []
    }

    mutating func add(_ handler: Handler, at path: String) {
        var place = 0
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) { place = child(of: place, at: segment) }
        nodes[place].handlers.append(handler)
    }

    private mutating func child(of parent: Int, at segment: Substring.UTF8View) -> Int {
        guard segment.first == UInt8(ascii: "{"), let brace = segment.firstIndex(of: UInt8(ascii: "}")) else {
            let text = Array(segment)
            if let known = nodes[parent].literals.first(where: { $0.text == text }) { return known.node }
            nodes[parent].literals.append((text, nodes.count))
            return addNode()
        }
        let name = UTF8Text(segment[..<brace].dropFirst())
        let ending = Array(segment[brace...].dropFirst())
        if let known = nodes[parent].placeholders.first(where: { $0.name == name && $0.ending == ending }) { return known.node }
        let shorter = nodes[parent].placeholders.firstIndex { $0.ending.count < ending.count }
        nodes[parent].placeholders.insert((name, ending, nodes.count), at: shorter ?? nodes[parent].placeholders.count)
        return addNode()
    }

    private mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The handlers at a path, and what stands in the braces; `nil` when there are none.
    func find(_ path: String) -> (handlers: [Handler], parameters: PathParameters)? {
        var path = path
        return path.withUTF8 { bytes in
            var parameters = PathParameters()
            return find(bytes[...], below: 0, &parameters).map { (nodes[$0].handlers, parameters) }
        }
    }

    /// The node at which `path` ends.
    private func find(_ path: Slice<UnsafeBufferPointer<UInt8>>, below place: Int, _ parameters: inout PathParameters) -> Int? {
        guard path.first == UInt8(ascii: "/") else { return path.isEmpty && !nodes[place].handlers.isEmpty ? place : nil }
        let segment = path.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        let rest = path[segment.endIndex...]
        for literal in nodes[place].literals where literal.text.count == segment.count && literal.text.elementsEqual(segment) {
            if let found = find(rest, below: literal.node, &parameters) { return found }
        }
        for (name, ending, node) in nodes[place].placeholders
        where segment.count > ending.count && segment.suffix(ending.count).elementsEqual(ending) {
            let before = parameters
            parameters.add(name, UTF8Text(decoding: segment.dropLast(ending.count)))
            if let found = find(rest, below: node, &parameters) { return found }
            parameters = before
        }
        return nil
    }
}

/// The values that stood for the braces of a route's path, by name.
package struct PathParameters: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    private var names: [UTF8Text] = []
    private var values: [UTF8Text] = []

    package init() {}

    package init(dictionaryLiteral elements: (UTF8Text, UTF8Text)...) {
        for (name, value) in elements { add(name, value) }
    }

    package subscript(name: UTF8Text) -> UTF8Text? { names.firstIndex(of: name).map { values[$0] } }

    fileprivate mutating func add(_ name: UTF8Text, _ value: UTF8Text) {
        names.append(name)
        values.append(value)
    }
}
