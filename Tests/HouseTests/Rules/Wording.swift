/// Users' texts are in plain English: the phrases of a short list are absent from them.
///
/// These texts are the string literals of the sources, the pages and mails, the scripts, the example configuration and the documents.
/// Comments in code are not among them, and neither is code in documents.
enum Wording {
    /// Words for a person or program that has a better name, such as "the client" or "another person".
    private static let absent: Set<String> = ["whoever", "nobody", "somebody", "anybody"]
    /// "is no host" should be "is not a host"; but "is no longer" and "is no more than" are fine.
    private static let comparisons: Set<String> = ["longer", "more", "less", "larger", "later"]

    static func check(_ file: File) -> [Violation] {
        let words = texts(of: file).flatMap { line, text in text.lowercased().words.map { (line: line, text: String($0)) } }
        return words.indices.compactMap { place in
            let word = words[place]
            let previous = place > 0 ? words[place - 1].text : "", next = place + 1 < words.count ? words[place + 1].text : ""
            let isNegation = word.text == "no" && ["is", "are"].contains(previous) && !comparisons.contains(next)
            guard isNegation || absent.contains(word.text) else { return nil }
            let phrase = isNegation ? "\(previous) no" : word.text
            return Violation(path: file.path, line: word.line, message: "says \"\(phrase)\"; write a plainer sentence")
        }
    }

    /// The doc comments of the sources that begin with "What": a noun or a sentence says more.
    static func comments(_ file: File) -> [Violation] {
        guard file.isSwift, file.path.hasPrefix("Sources/") else { return [] }
        let lines = file.lines.map { $0.drop { $0 == " " } }
        return lines.indices.filter { place in
            lines[place].hasPrefix("/// What ") && (place == 0 || !lines[place - 1].hasPrefix("///"))
        }.map { Violation(path: file.path, line: $0 + 1, message: "has a doc comment that begins with What; say it by a noun or a verb") }
    }

    /// The texts of a file for its users, each with the line that it begins on.
    private static func texts(of file: File) -> [(Int, String)] {
        let folder = file.path.split(separator: "/").first.map(String.init) ?? ""
        if file.isSwift { return folder == "Sources" ? file.swift.strings.map { ($0.line, $0.text) } : [] }
        if file.path.hasSuffix(".md") { return folder == "docs" || file.path == "README.md" ? prose(of: file) : [] }
        guard ["Sources", "scripts", "packaging", "config"].contains(folder) else { return [] }
        let marks = file.path.hasSuffix(".js") ? ["//", "/*", "*"] : folder == "scripts" || folder == "packaging" ? ["#"] : []
        return file.lines.enumerated().filter { _, line in
            let text = line.drop { $0 == " " }
            return !marks.contains { text.hasPrefix($0) }
        }.map { ($0.offset + 1, String($0.element)) }
    }

    /// A document's lines without its code: neither blocks nor spans.
    private static func prose(of file: File) -> [(Int, String)] {
        var isCode = false
        return file.lines.enumerated().compactMap { offset, line in
            if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() }
            if isCode { return nil }
            let parts = line.split(separator: "`", omittingEmptySubsequences: false)
            return (offset + 1, parts.enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined(separator: ". "))
        }
    }
}
