/// Rules for the form of files, whatever their subject.
enum Shape {
    static func size(_ file: File) -> [Violation] {
        let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
        guard let wall = wall(of: file), count > wall else { return [] }
        return [Violation(path: file.path, message: "has \(count) lines; \(wall) is the wall")]
    }

    /// A record of a decision is one decision.
    private static func wall(of file: File) -> Int? {
        file.isProgram ? 400 : file.path.hasPrefix("docs/adr/") ? 60 : nil
    }

    static let room = 16

    /// A folder must be small enough to be looked through. A larger one gets folders by subject.
    static func crowded(_ files: [File]) -> [Violation] {
        crowded(files.filter(\.isSwift), of: "Swift files") + crowded(files.filter(\.isSuite), of: "suites")
    }

    private static func crowded(_ files: [File], of kind: String) -> [Violation] {
        let folders = Dictionary(grouping: files) { File.folder(of: $0.path) }
        return folders.filter { $0.value.count > room }.sorted { $0.key < $1.key }.map {
            Violation(path: $0.key, message: "has \($0.value.count) \(kind); \(room) are enough for one folder")
        }
    }

    /// Two files of one name are opened for one another, in an editor and in a reader's mind.
    static func sameNames(_ files: [File]) -> [Violation] {
        let sources = files.filter { $0.isSwift && $0.target != nil }
        return Dictionary(grouping: sources, by: \.name).values.filter { $0.count > 1 }.flatMap { files in
            files.map { Violation(path: $0.path, message: "has the name of another file of Sources") }
        }
    }

    /// A claim that the compiler cannot check has its reason on the next line.
    static func reasons(_ file: File) -> [Violation] {
        guard file.isSwift else { return [] }
        let lines = file.lines
        return file.swift.lines.enumerated().compactMap { index, line in
            guard let claim = ["@unchecked", "nonisolated(unsafe)", "unowned(unsafe)"].first(where: line.contains) else { return nil }
            let next = index + 1 < lines.count ? lines[index + 1].drop { $0 == " " } : ""
            guard !next.hasPrefix("//") || next.words.count < 4 else { return nil }
            return Violation(path: file.path, line: index + 1, message: "\(claim) without its reason on the next line")
        }
    }

    /// Values from outside lead to an error, never to a trap: no `!` behind a value, no `try!`, no `as!`, no implicitly unwrapped type.
    static func traps(_ file: File) -> [Violation] {
        guard file.target != nil, file.isSwift else { return [] }
        return file.swift.lines.enumerated().filter { _, line in
            let bytes = Array(line.utf8) + [0]
            return bytes.indices.dropFirst().contains { index in
                bytes[index] == UInt8(ascii: "!") && bytes[index + 1] != UInt8(ascii: "=") && endsValue(bytes[index - 1])
            }
        }.map { Violation(path: file.path, line: $0.offset + 1, message: "can trap") }
    }

    private static func endsValue(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return byte >= 0x80 || character.isLetter || character.isNumber || "_)]}>?`\"".contains(character)
    }

    /// No work is left for later. The markers are put together here, so that this file contains none.
    static func unfinished(_ file: File) -> [Violation] {
        let markers: Set<Substring> = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
        let phrases = ["not implemented " + "yet", "fatalError(\"un" + "implemented", "fatalError(\"not " + "implemented"]
        return file.lines.enumerated().filter { _, line in
            !markers.isDisjoint(with: line.words) || phrases.contains(where: line.contains)
        }.map { Violation(path: file.path, line: $0.offset + 1, message: "looks unfinished") }
    }

    /// A target has files of its own, and none that is only a placeholder.
    static func placeholders(_ file: File) -> [Violation] {
        file.name == "Placeholder.swift" ? [Violation(path: file.path, message: "only makes room")] : []
    }

    /// Section marks are for long files; a short file does not need them.
    static func marks(_ file: File) -> [Violation] {
        guard file.isSwift, file.lines.count < 150 else { return [] }
        return file.lines.enumerated().filter { $0.element.drop { $0 == " " }.hasPrefix("// MA" + "RK:") }.map {
            Violation(path: file.path, line: $0.offset + 1, message: "marks a section in a file under 150 lines")
        }
    }

    /// The names of tests are sentences.
    static func testNames(_ file: File) -> [Violation] {
        guard file.isSwift, file.path.hasPrefix("Tests/") else { return [] }
        let lines = file.swift.lines
        return lines.enumerated().compactMap { index, line in
            guard line.contains("@Test"), !line.contains("@TestKit") else { return nil }
            let declaration = lines[index...].first { $0.contains("func ") }
            guard let name = declaration?.components(after: "func ").first, !name.hasPrefix("`") else { return nil }
            return Violation(path: file.path, line: index + 1, message: "a test without a sentence for a name")
        }
    }
}
