/// Reads the tags of a template, and finds what is wrong with them.
struct TemplateReader {
    /// A tag that waits for its end, with what has come since.
    private struct Open {
        /// `#`, `^`, `$` or `<`.
        let sign: Character
        let name: String
        let line: Int
        var parts: [Template.Part] = []
    }

    private static let maxDepth = 100

    private(set) var values: [String: Int] = [:]
    private(set) var layout: String?
    private var rest: Substring
    private var line = 1
    private var open: [Open] = []
    private var parts: [Template.Part] = []

    init(_ text: String) { rest = Substring(text) }

    mutating func read() throws(Template.Problem) -> [Template.Part] {
        // Whether nothing but spaces stands between the last line break and what is read next.
        var isLineStart = true
        while let start = rest.firstRange(of: "{{") {
            let before = rest[..<start.lowerBound]
            line += before.lineBreaks
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(of: "}}") else {
                throw Template.Problem(line: line, message: "a tag is not closed with }}")
            }
            let tag = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
            let indent = before.suffix { $0 == " " || $0 == "\t" }
            isLineStart = indent.startIndex == before.startIndex ? isLineStart : before[..<indent.startIndex].endsLine
            // A tag that is alone on its line takes the line with it, unless it stands for a value.
            let takesLine = isLineStart && tag.first.map { "!#^/$<".contains($0) } == true && rest.isAtLineEnd
            append(.text(String(takesLine ? before[..<indent.startIndex] : before)))
            try take(tag)
            line += tag.lineBreaks
            isLineStart = takesLine
            if takesLine, let lineBreak = rest.utf8.firstIndex(of: 0x0A) {
                line += 1
                rest = rest[rest.utf8.index(after: lineBreak)...]
            } else if takesLine {
                rest = ""
            }
        }
        append(.text(String(rest)))
        if let last = open.last {
            throw Template.Problem(line: last.line, message: "{{\(last.sign)\(last.name)}} has no {{/\(last.name)}}")
        }
        return parts
    }

    private mutating func append(_ part: Template.Part) {
        if case .text("") = part { return }
        if open.isEmpty { parts.append(part) } else { open[open.count - 1].parts.append(part) }
    }

    private mutating func take(_ tag: Substring) throws(Template.Problem) {
        guard let first = tag.first, first != "!" else {
            if tag.isEmpty { throw Template.Problem(line: line, message: "{{}} names nothing") }
            return
        }
        let name = String(tag.drop { "#^/$<".contains($0) }.trimmingSpaces)
        guard !"{&>=%".contains(first), tag.prefix(while: { "#^/$<".contains($0) }).count <= 1, Self.isName(name) else {
            let taken = "only values, sections, comments and the layout are allowed, not {{{…}}}, {{&…}} or partials"
            throw Template.Problem(line: line, message: "{{\(tag.prefix(40))}} is not a tag for this place: \(taken)")
        }
        guard open.count < Self.maxDepth || first == "/" else {
            throw Template.Problem(line: line, message: "tags are nested more than \(Self.maxDepth) levels deep")
        }
        switch first {
        case "#", "^":
            values[name] = values[name] ?? line
            open.append(Open(sign: first, name: name, line: line))
        case "$": open.append(Open(sign: first, name: name, line: line))
        case "<":
            guard layout == nil, open.isEmpty else {
                throw Template.Problem(line: line, message: "{{<\(name)}} must stand once and outermost")
            }
            layout = name
            open.append(Open(sign: first, name: name, line: line))
        case "/": try close(name)
        default:
            values[name] = values[name] ?? line
            append(.value(name))
        }
    }

    private mutating func close(_ name: String) throws(Template.Problem) {
        guard let last = open.last, last.name == name else {
            let expected = open.last.map { "{{/\($0.name)}} comes first" } ?? "nothing is open"
            throw Template.Problem(line: line, message: "{{/\(name)}} closes nothing here; \(expected)")
        }
        open.removeLast()
        switch last.sign {
        case "#": append(.section(name, last.parts))
        case "^": append(.inverted(name, last.parts))
        case "$": append(.block(name, last.parts))
        default: append(.layout(name, last.parts))
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

    fileprivate var endsLine: Bool { utf8.last == 0x0A }

    /// Whether only spaces come before the next line break, or before the end.
    fileprivate var isAtLineEnd: Bool {
        let next = utf8.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        return next == nil || next == 0x0A
    }

    fileprivate var trimmingSpaces: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    fileprivate func suffix(while isPart: (Character) -> Bool) -> Substring {
        var start = endIndex
        while start != startIndex, isPart(self[index(before: start)]) { start = index(before: start) }
        return self[start...]
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
