package import Text

/// A path with placeholders in braces: `/{project}/oauth2/jwks`. Behind a brace, the rest of the segment may be fixed:
/// `/v1/projects/{project}:createSessionCookie`.
struct PathPattern: Sendable {
    let text: String
    var handlers: [Handler]
    private let segments: [Segment]
    /// The text behind the last brace. A path that does not end with it cannot match and is not read further.
    private let ending: [UInt8]

    private enum Segment: Sendable {
        case literal([UInt8])
        /// Any text that is not empty, then `ending`.
        case any(name: UTF8Text, ending: [UInt8])
    }

    init(_ text: String, _ handlers: [Handler]) {
        self.text = text
        self.handlers = handlers
        ending = text.split(separator: "}", omittingEmptySubsequences: false).last.map { Array($0.utf8) } ?? []
        segments = text.split(separator: "/").map { segment in
            guard segment.hasPrefix("{"), let brace = segment.firstIndex(of: "}") else { return .literal(Array(segment.utf8)) }
            return .any(
                name: UTF8Text(segment[..<brace].dropFirst()), ending: Array(segment[brace...].utf8.dropFirst()))
        }
    }

    /// The values of the braces; `nil` when the path does not match. Reads the path once, without a copy.
    func match(_ path: String) -> PathParameters? {
        var path = path
        return path.withUTF8 { bytes in bytes.suffix(ending.count).elementsEqual(ending) ? match(bytes) : nil }
    }

    private func match(_ path: UnsafeBufferPointer<UInt8>) -> PathParameters? {
        var parameters = PathParameters()
        var rest = path[...]
        for segment in segments {
            guard rest.first == UInt8(ascii: "/") else { return nil }
            rest = rest.dropFirst()
            let part = rest.prefix { $0 != UInt8(ascii: "/") }
            switch segment {
            case .literal(let bytes): if !part.elementsEqual(bytes) { return nil }
            case .any(let name, let ending):
                guard part.count > ending.count, part.suffix(ending.count).elementsEqual(ending) else { return nil }
                let value = part.dropLast(ending.count)
                parameters.add(name, UTF8Text(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: value))))
            }
            rest = rest[part.endIndex...]
        }
        return rest.isEmpty ? parameters : nil
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

    mutating func add(_ name: UTF8Text, _ value: UTF8Text) {
        names.append(name)
        values.append(value)
    }
}
