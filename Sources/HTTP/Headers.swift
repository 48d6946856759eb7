/// Header fields in the order they came. Names are kept in lower case and compared so.
package struct Headers: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var fields: [(name: String, value: String)]

    package init(_ fields: [(name: String, value: String)] = []) { self.fields = fields }

    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value; setting replaces all values of the name, `nil` removes them. `name` is in lower case.
    package subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    package func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }
}
