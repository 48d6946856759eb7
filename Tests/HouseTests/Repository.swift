import Glibc

/// A text file of the repository. Rules read these and nothing else, so that a rule can be tried on a made-up file.
struct File {
    /// The path from the root of the repository: `Sources/JSON/JSON.swift`.
    let path: String
    let text: String
    /// The text as Swift; empty for a file in another language.
    let swift: SwiftText

    init(path: String, text: String) {
        self.path = path
        self.text = text
        swift = SwiftText(path.hasSuffix(".swift") ? text : "")
    }

    /// `<target>` for `Sources/<target>/…`; nil outside `Sources`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// `Sources/JSON` for `Sources/JSON/JSON.swift`.
    static func folder(of path: String) -> String { path.split(separator: "/").dropLast().joined(separator: "/") }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// Swift, Python, JavaScript, C, or a script, which may have no ending and then names its interpreter in the first line.
    var isProgram: Bool { [".swift", ".py", ".js", ".lua", ".h", ".c", ".sh"].contains { path.hasSuffix($0) } || text.hasPrefix("#!") }

    /// A file of end-to-end tests.
    var isSuite: Bool { name.hasPrefix("test_") && path.hasSuffix(".py") }

    var name: String { String(path.split(separator: "/").last ?? "") }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// A place that breaks a rule.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    /// Counted from 1; 0 for the whole file.
    var line = 0
    let message: String

    var description: String { line > 0 ? "\(path):\(line) \(message)" : "\(path) \(message)" }
}

/// The repository that these tests were built from.
enum Repository {
    static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

    /// All text files, in the order of their paths, without files that are built, downloaded or private to a machine.
    static let files: [File] = list("").sorted { $0.path < $1.path }

    static let swift = files.filter(\.isSwift)

    private static func isPassedOver(_ name: String) -> Bool {
        [".", "..", ".git", ".local", ".swiftpm", ".venv", "node_modules", "__pycache__", "Package.resolved"].contains(name)
            || name.hasPrefix(".build")
    }

    private static func list(_ folder: String) -> [File] {
        guard let entries = opendir("\(root)/\(folder)") else { return [] }
        defer { closedir(entries) }
        var found: [File] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard !isPassedOver(name) else { continue }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            switch Int32(entry.pointee.d_type) {
            case Int32(DT_DIR): found += list(path)
            case Int32(DT_REG): if let text = text(of: path) { found.append(File(path: path, text: text)) }
            default: break
            }
        }
        return found
    }

    /// Nil for a file that is not text.
    private static func text(of path: String) -> String? {
        guard let file = fopen("\(root)/\(path)", "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(validating: bytes, as: UTF8.self)
    }
}
