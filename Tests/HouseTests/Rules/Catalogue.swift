/// To add a provider or an endpoint takes one file and one line. These rules find a forgotten line.
enum Catalogue {
    /// Every `static let name = Provider(` in the catalogue's folder stands in its list, and the list has no other names. The same for
    /// each `RefusedProvider(`.
    static func providers(_ files: [File]) -> [Violation] {
        let folder = files.filter { $0.path.hasPrefix("Sources/Providers/Catalog/") && $0.isSwift }
        guard let list = folder.first(where: { $0.name == "Catalog.swift" }) else {
            return [Violation(path: "Sources/Providers/Catalog/Catalog.swift", message: "is missing")]
        }
        let others = folder.filter { $0.path != list.path }
        let kinds = [("catalog", "= Provider("), ("refused", "= RefusedProvider(")].map { name, marker in
            let listed = entries(of: name, in: list).compactMap { $0.hasPrefix(".") ? String($0.dropFirst()) : nil }
            return (listed: listed, made: others.map { file in (file, names(before: marker, in: file)) })
        }
        let made = kinds.flatMap(\.made)
        // A provider with a folder of its own is made by one of the files in it.
        let makers = Set(made.filter { !$0.1.isEmpty }.map { entry(of: $0.0) })
        let nameless = others.filter { !makers.contains(entry(of: $0)) }.map {
            Violation(path: $0.path, message: "makes no provider; move it out of the catalogue")
        }
        return nameless
            + kinds.flatMap { listed, made in
                compare(listed: listed, made: made.flatMap { file, names in names.map { (file.path, $0) } }, list: list.path)
            }
    }

    /// The file or folder of the catalogue that the file is, or lies in.
    private static func entry(of file: File) -> String { file.path.split(separator: "/").prefix(4).joined(separator: "/") }

    /// Words that name a provider of the catalogue: its id without the domain, `microsoft`.
    static func words(_ files: [File]) -> [String] {
        files.filter { $0.path.hasPrefix("Sources/Providers/Catalog/") && $0.isSwift }.flatMap { file in
            file.swift.strings.map(\.text).filter { text in
                text.hasSuffix(".com") && file.text.contains("id: \"\(text)\"")
            }.map { String($0.dropLast(4)) }
        }
    }

    /// Names that code may have for another reason: Google also made the protocol that the server speaks.
    private static let ofTheProtocol: Set = ["google"]

    /// Readers of other systems and exporters have tables of the names that those systems give to providers.
    private static let tables = ["Sources/Migration/Exporters/", "Sources/Migration/Sources/"]

    /// Code outside the catalogue names no provider of it, in no name and by no id; comments and those tables may.
    static func naming(_ words: [String], in file: File) -> [Violation] {
        guard file.target != nil, file.isSwift, !(["Sources/Providers/Catalog/"] + tables).contains(where: file.path.hasPrefix) else {
            return []
        }
        let code = file.swift.lines.enumerated().flatMap { index, line in
            words.filter { !ofTheProtocol.contains($0) && line.lowercased().contains($0) }.map { (index + 1, $0) }
        }
        let texts = file.swift.strings.flatMap { line, text in words.filter { text == $0 + ".com" }.map { (line, $0) } }
        return (code + texts).map {
            Violation(path: file.path, line: $0, message: "names \($1); only its file in the catalogue does")
        }
    }

    /// The lists of endpoints. Each list has the endpoints of its own folder and of the folders below that have no list of their own.
    static let lists = [
        "Sources/IdentityToolkit/Emulator/Emulator.swift", "Sources/IdentityToolkit/IdentityToolkit.swift",
        "Sources/OpenIDProvider/OpenIDProvider.swift",
        "Sources/AuthPages/Development/DevelopmentSignIn.swift", "Sources/AuthPages/AuthPages.swift",
    ]

    /// Every type that is an endpoint of some kind stands in the list for its folder, and the list has no other names.
    static func endpoints(listedIn path: String, _ files: [File]) -> [Violation] {
        guard let list = files.first(where: { $0.path == path }) else { return [Violation(path: path, message: "is missing")] }
        let folder = files.filter { $0.isSwift && Self.list(for: $0) == path }
        let listed = entries(of: "handlers", in: list).compactMap { $0.hasSuffix(".handler") ? String($0.dropLast(8)) : nil }
        let made = folder.flatMap { file in types(in: file, conformingTo: "Endpoint").map { (file.path, $0) } }
        return compare(listed: listed, made: made, list: list.path)
    }

    /// Every scheme of password hashes stands in the list of all, and the list has no other names.
    static func passwordSchemes(_ files: [File]) -> [Violation] {
        let path = "Sources/Crypto/Passwords/PasswordHash.swift"
        guard let list = files.first(where: { $0.path == path }) else { return [Violation(path: path, message: "is missing")] }
        let folder = files.filter { $0.isSwift && $0.path.hasPrefix("Sources/Crypto/Passwords/Schemes/") }
        let listed = entries(of: "schemes", in: list).compactMap { $0.hasSuffix(".self") ? String($0.dropLast(5)) : nil }
        let made = folder.flatMap { file in types(in: file, conformingTo: "PasswordScheme").map { (file.path, $0) } }
        return compare(listed: listed, made: made, list: list.path)
    }

    /// The list of the innermost folder around the file that has one.
    private static func list(for file: File) -> String? {
        lists.filter { file.path.hasPrefix(File.folder(of: $0) + "/") }.max { $0.count < $1.count }
    }

    /// The elements of the array literal that begins with `static let name: … = [`.
    private static func entries(of name: String, in file: File) -> [Substring] {
        let code = file.swift.code
        guard let rest = code.components(after: "static let \(name):").first, let literal = rest.components(after: "= [").first else {
            return []
        }
        return literal.prefix { $0 != "]" }.split { $0 == "," || $0.isWhitespace }
    }

    private static func names(before marker: String, in file: File) -> [String] {
        file.swift.lines.compactMap { line in
            guard line.contains("static let "), line.contains(marker) else { return nil }
            return line.components(after: "static let ").first.flatMap { $0.words.first.map(String.init) }
        }
    }

    /// The types that the file says conform to a protocol whose name ends so.
    private static func types(in file: File, conformingTo suffix: String) -> [String] {
        file.swift.lines.compactMap { line in
            let words = line.words
            guard let position = words.firstIndex(where: { ["struct", "enum", "class", "extension"].contains($0) }),
                position + 1 < words.count,
                let colon = line.firstIndex(of: ":"), line[colon...].words.contains(where: { $0.hasSuffix(suffix) })
            else { return nil }
            return String(words[position + 1])
        }
    }

    private static func compare(listed: [String], made: [(path: String, name: String)], list: String) -> [Violation] {
        let forgotten = made.filter { !listed.contains($0.name) }.map {
            Violation(path: $0.path, message: "\($0.name) is not in the list of \(list)")
        }
        let stale = Set(listed).subtracting(made.map(\.name)).sorted().map {
            Violation(path: list, message: "lists \($0), which no file makes")
        }
        let unordered = listed == listed.sorted() ? [] : [Violation(path: list, message: "the list is not in order")]
        return forgotten + stale + unordered
    }
}
