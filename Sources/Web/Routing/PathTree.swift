package import Text

/// The routes whose paths have placeholders in braces, as a tree of their segments: `/{project}/oauth2/jwks`. Behind a brace, the rest of
/// the segment may be fixed: `/v1/projects/{project}:createSessionCookie`.
///
/// Finding a path takes as long as it has segments, whatever the number of routes. A fixed segment goes before a placeholder, and a placeholder
/// with a long fixed rest before one with a short rest.
struct PathTree: Sendable {
    private var nodes = [Node()]
    /// The names of all placeholders.
    private var names: [UTF8Text] = []

    /// The paths that have the same segments so far.
    private struct Node: Sendable {
        /// The handlers of the path that ends here.
        var handlers: [Handler] = []
        var literals: [(text: [UInt8], node: Int)] = []
        var placeholders: [(name: Int, ending: [UInt8], node: Int)] = []
    }

    mutating func add(_ handler: Handler, at path: String) {
        var place = 0
        for segment in path.utf8.split(separator: UInt8(ascii: "/")) { place = child(of: place, at: Array(segment)[...]) }
        nodes[place].handlers.append(handler)
    }

    private mutating func child(of parent: Int, at segment: ArraySlice<UInt8>) -> Int {
        guard segment.first == UInt8(ascii: "{"), let brace = segment.firstIndex(of: UInt8(ascii: "}")) else {
            if let known = nodes[parent].literals.first(where: { $0.text[...] == segment }) { return known.node }
            nodes[parent].literals.append((Array(segment), nodes.count))
            return addNode()
        }
        let name = UTF8Text(decoding: segment[..<brace].dropFirst())
        let ending = segment[brace...].dropFirst()
        let known = nodes[parent].placeholders.first { names[$0.name] == name && $0.ending[...] == ending }
        if let known { return known.node }
        let shorter = nodes[parent].placeholders.firstIndex { $0.ending.count < ending.count }
        let place = shorter ?? nodes[parent].placeholders.count
        nodes[parent].placeholders.insert((names.count, Array(ending), nodes.count), at: place)
        names.append(name)
        return addNode()
    }

    private mutating func addNode() -> Int {
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The handlers at a path, and what stands in the braces; `nil` when there are none.
    func find(_ path: String) -> (handlers: [Handler], parameters: PathParameters)? {
        var path = path
        return path.withUTF8 { path in
            var parameters = PathParameters()
            return find(UnsafeRawBufferPointer(path), below: 0, &parameters).map { (nodes[$0].handlers, parameters) }
        }
    }

    /// The node at which `path` ends.
    private func find(_ path: UnsafeRawBufferPointer, below place: Int, _ parameters: inout PathParameters) -> Int? {
        guard path.first == UInt8(ascii: "/") else { return path.isEmpty && !nodes[place].handlers.isEmpty ? place : nil }
        let end = path[1...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
        let segment = UnsafeRawBufferPointer(rebasing: path[1..<end])
        let rest = UnsafeRawBufferPointer(rebasing: path[end...])
        for (text, node) in nodes[place].literals where segment.elementsEqual(text) {
            if let found = find(rest, below: node, &parameters) { return found }
        }
        for (name, ending, node) in nodes[place].placeholders where segment.count > ending.count {
            let length = segment.count - ending.count
            guard segment[length...].elementsEqual(ending) else { continue }
            parameters.add(names[name], UTF8Text(decoding: UnsafeRawBufferPointer(rebasing: segment[..<length])))
            if let found = find(rest, below: node, &parameters) { return found }
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
