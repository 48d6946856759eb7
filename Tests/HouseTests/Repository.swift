import Glibc

/// A text file of the repository. Rules look at these and at nothing else, so a rule can be tried on a made-up file.
struct File {
    /// From the root of the repository: `Sources/JSON/JSON.swift`.
    let path: String
    let text: String
    /// The text as Swift; of a file in another language there is none.
    let swift: SwiftText

    init(path: String, text: String) {
        self.path = path
        self.text = text
        swift = SwiftText(path.hasSuffix(".swift") ? text : "")
    }

    /// `Sources/<target>/…` as `<target>`; nil outside `Sources`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// `Sources/JSON` of `Sources/JSON/JSON.swift`.
    static func folder(of path: String) -> String { path.split(separator: "/").dropLast().joined(separator: "/") }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var name: String { String(path.split(separator: "/").last ?? "") }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// Something that is not as the house wants it.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    /// From 1; 0 when the whole file is meant.
    var line = 0
    let message: String

    var description: String { line > 0 ? "\(path):\(line) \(message)" : "\(path) \(message)" }
}

/// The repository that these tests were built from.
enum Repository {
    static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")

    /// All text files, in the order of their paths, without what is built, fetched or private to a machine.
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

    /// Nil for what is no text.
    private static func text(of path: String) -> String? {
        guard let file = fopen("\(root)/\(path)", "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(validating: bytes, as: UTF8.self)
    }
}
