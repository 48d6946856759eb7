/// `docs/errors.md` lists every code that the sources can answer, and no other.
enum ErrorPage {
    static let path = "docs/errors.md"

    static func check(_ files: [File]) -> [Violation] {
        guard let page = files.first(where: { $0.path == path }) else { return [Violation(path: path, message: "is missing")] }
        let listed = codes(of: page)
        let answered = files.filter { $0.target != nil }.flatMap { file in codes(in: file).map { (file.path, $0) } }
        let known = Set(listed.map(\.code))
        let forgotten = answered.filter { !known.contains($0.1.code) }.map { path, found in
            Violation(path: path, line: found.line, message: "answers \(found.code), which \(Self.path) does not tell of")
        }
        let used = Set(answered.map(\.1.code))
        let stale = listed.filter { !used.contains($0.code) }.map {
            Violation(path: path, line: $0.line, message: "tells of \($0.code), which nothing answers")
        }
        return forgotten + stale
    }

    /// The first cells of all tables whose first column has the heading "Code".
    private static func codes(of page: File) -> [(line: Int, code: String)] {
        var isCodes = false
        var found: [(line: Int, code: String)] = []
        for (index, line) in page.lines.enumerated() {
            guard line.hasPrefix("|") else {
                isCodes = false
                continue
            }
            if line.hasPrefix("| Code |") { isCodes = true }
            let cell = line.split(separator: "`", omittingEmptySubsequences: false)
            if isCodes, line.hasPrefix("| `"), cell.count > 1 { found.append((index + 1, trimmed(String(cell[1])))) }
        }
        return found
    }

    /// The literals of which failures are made: after `Failure(`, and after a function named `refused` when they have the form of a code.
    private static func codes(in file: File) -> [(line: Int, code: String)] {
        let (source, code) = (Array(file.text.utf8), Array(file.swift.code.utf8))
        guard source.count == code.count else { return [] }
        return calls(of: "Failure(", code).compactMap { literal(after: $0, source) }
            + calls(of: ".refused(", code).compactMap { literal(after: $0, source) }.filter { isCode($0.code) }
    }

    /// The places where the arguments of each call begin.
    private static func calls(of name: String, _ code: [UInt8]) -> [Int] {
        let name = Array(name.utf8)
        return code.indices.filter { start in
            guard code[start] == name[0], code[start...].starts(with: name) else { return false }
            let before = start > 0 ? Character(Unicode.Scalar(code[start - 1])) : " "
            return !(before.isLetter || before.isNumber || before == "_")
        }.map { $0 + name.count }
    }

    /// The text of the literal at that place, up to its first interpolation.
    private static func literal(after start: Int, _ source: [UInt8]) -> (line: Int, code: String)? {
        let space = source[start...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard space.endIndex < source.count, source[space.endIndex] == UInt8(ascii: "\"") else { return nil }
        let text = source[(space.endIndex + 1)...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        let line = source[..<space.endIndex].count { $0 == UInt8(ascii: "\n") } + 1
        return (line, trimmed(String(decoding: text, as: UTF8.self)))
    }

    private static func isCode(_ text: String) -> Bool {
        text.contains("_") && text.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") }
    }

    /// Removes the mark of an interpolation at the end of a code.
    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while let last = text.last, last == " " || last == "…" { text = text.dropLast() }
        return String(text)
    }
}
