/// Reads the tags of a mustache text, to report what is wrong with it before the engine reads it.
///
/// Allowed are values `{{name}}`, sections `{{#name}}…{{/name}}` and `{{^name}}…{{/name}}`, comments `{{!…}}`, and the layout:
/// `{{<page}}`, `{{$block}}`. Not allowed is what could let a value through unescaped, include files in a circle or change the language:
/// `{{{name}}}`, `{{&name}}`, partials, delimiters, pragmas, transforms.
/// <https://mustache.github.io/mustache.5.html>
struct TemplateTags {
    /// A mistake in a text, with its line, counted from 1.
    struct Problem: Error, Equatable {
        let line: Int
        let message: String
    }

    /// Names that stand for values, with the line of each one's first use.
    private(set) var values: [String: Int] = [:]
    /// The layout around the text, if any.
    private(set) var layout: String?
    private var open: [(name: String, line: Int)] = []

    init(_ text: String) throws(Problem) {
        var rest = Substring(text)
        var line = 1
        while let start = rest.firstRange(of: "{{") {
            line += rest[..<start.lowerBound].lineBreaks
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: "}}") else { throw Problem(line: line, message: "a tag is not closed with }}") }
            try take(rest[..<end.lowerBound], line)
            line += rest[..<end.lowerBound].lineBreaks
            rest = rest[end.upperBound...]
        }
        if let last = open.last { throw Problem(line: last.line, message: "{{#\(last.name)}} has no {{/\(last.name)}}") }
    }

    private mutating func take(_ tag: Substring, _ line: Int) throws(Problem) {
        guard let first = tag.first, first != "!" else {
            if tag.isEmpty { throw Problem(line: line, message: "{{}} names nothing") }
            return
        }
        let name = String(tag.drop { "#^/$<".contains($0) }.trimmingSpaces)
        guard !"{&>=%".contains(first), tag.prefix(while: { "#^/$<".contains($0) }).count <= 1, Self.isName(name) else {
            let taken = "only values, sections, comments and the layout are allowed, not {{{…}}}, {{&…}} or partials"
            throw Problem(line: line, message: "{{\(tag.prefix(40))}} is not a tag for this place: \(taken)")
        }
        switch first {
        case "#", "^":
            values[name] = values[name] ?? line
            open.append((name, line))
        case "$": open.append((name, line))
        case "<":
            guard layout == nil, open.isEmpty else { throw Problem(line: line, message: "{{<\(name)}} must stand once and outermost") }
            layout = name
            open.append((name, line))
        case "/":
            guard open.last?.name == name else {
                let expected = open.last.map { "{{/\($0.name)}} comes first" } ?? "nothing is open"
                throw Problem(line: line, message: "{{/\(name)}} closes nothing here; \(expected)")
            }
            open.removeLast()
        default: values[name] = values[name] ?? line
        }
    }

    private static func isName(_ name: String) -> Bool {
        name == "." || !name.isEmpty && name.utf8.allSatisfy { $0 == UInt8(ascii: ".") || Self.isLetterOrDigit($0) } && !name.hasPrefix(".")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

extension Substring {
    fileprivate var lineBreaks: Int { utf8.count { $0 == 0x0A } }
    fileprivate var trimmingSpaces: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// `String.firstRange` of the standard library compares characters; this one compares bytes.
    fileprivate func firstRange(of mark: String) -> Range<Index>? {
        let (text, mark) = (utf8, Array(mark.utf8))
        var start = text.startIndex
        while start != text.endIndex {
            if text[start...].starts(with: mark) { return start..<text.index(start, offsetBy: mark.count) }
            start = text.index(after: start)
        }
        return nil
    }
}
