/// A text with tags in mustache, read once and filled often. <https://mustache.github.io/mustache.5.html>
///
/// It takes values `{{name}}`, sections `{{#name}}…{{/name}}` and `{{^name}}…{{/name}}`, comments `{{!…}}`, and the layout: `{{<page}}` with
/// `{{$block}}…{{/block}}` in it. It does not take what could let a value through unescaped, include files in a circle or change the
/// language: `{{{name}}}`, `{{&name}}`, partials, delimiters, pragmas, transforms. Values come in escaped.
struct Template: Sendable {
    /// A mistake in a text, with its line, counted from 1.
    struct Problem: Error, Equatable {
        let line: Int
        let message: String
    }

    indirect enum Part {
        case text(String)
        case value(String)
        /// For each item of a list, or once for a text or a flag that is set.
        case section(String, [Part])
        /// For an absent value, an empty list, or a flag that is not set.
        case inverted(String, [Part])
        /// Stands for the block of this name around it, or for its own content.
        case block(String, [Part])
        /// The layout of this name, with the blocks of the content in place of its own.
        case layout(String, [Part])
    }

    /// The values of a template or of an item: texts that are escaped for the place where they will stand, flags, and lists of items.
    typealias Values = [String: Value]

    enum Value: Sendable {
        case text(String)
        case flag(Bool)
        case list([Values])
    }

    let parts: [Part]
    /// Names that stand for values, with the line of each one's first use.
    let values: [String: Int]
    /// The layout around the text, if any.
    let layout: String?

    /// - Throws: the first mistake.
    init(_ text: String) throws(Problem) {
        var reader = TemplateReader(text)
        parts = try reader.read()
        values = reader.values
        layout = reader.layout
    }

    /// The text filled with these values. A value that is absent leaves its place empty.
    ///
    /// - Parameter layouts: gives the layout of a name.
    func render(_ values: Values, layouts: (String) -> Template? = { _ in nil }) -> String {
        var output = ""
        var blocks: [String: [Part]] = [:]
        write(parts, [values], &blocks, layouts, to: &output)
        return output
    }

    private func write(
        _ parts: [Part], _ scopes: [Values], _ blocks: inout [String: [Part]], _ layouts: (String) -> Template?, to output: inout String
    ) {
        for part in parts {
            switch part {
            case .text(let text): output += text
            case .value(let name): if case .text(let text)? = Self.value(name, scopes) { output += text }
            case .section(let name, let content):
                switch Self.value(name, scopes) {
                case .text(let text)?: write(content, scopes + [[".": .text(text)]], &blocks, layouts, to: &output)
                case .flag(true)?: write(content, scopes, &blocks, layouts, to: &output)
                case .list(let items)?: for item in items { write(content, scopes + [item], &blocks, layouts, to: &output) }
                case .flag(false)?, nil: break
                }
            case .inverted(let name, let content):
                switch Self.value(name, scopes) {
                case .flag(false)?, nil: write(content, scopes, &blocks, layouts, to: &output)
                case .list(let items)? where items.isEmpty: write(content, scopes, &blocks, layouts, to: &output)
                default: break
                }
            case .block(let name, let content):
                // In itself, a block stands for its own content, so that blocks cannot name one another without end.
                let own = blocks.removeValue(forKey: name)
                write(own ?? content, scopes, &blocks, layouts, to: &output)
                blocks[name] = own
            case .layout(let name, let content):
                // The blocks of the text that is filled go before those of the layouts around it.
                for case .block(let name, let content) in content where blocks[name] == nil { blocks[name] = content }
                if let layout = layouts(name) { write(layout.parts, scopes, &blocks, layouts, to: &output) }
            }
        }
    }

    /// The value of this name in the innermost item that has it.
    private static func value(_ name: String, _ scopes: [Values]) -> Value? {
        for scope in scopes.reversed() { if let value = scope[name] { return value } }
        return nil
    }
}

extension Lazy<Template> {
    /// A template that came with the binary. Tests make sure that all of them can be read.
    static func embedded(_ text: String) -> Lazy {
        Lazy {
            do throws(Template.Problem) { return try Template(text) } catch {
                preconditionFailure("a template in the binary has a mistake in line \(error.line): \(error.message)")
            }
        }
    }
}
