import Runtime

/// Strict reading of YAML configuration: unknown keys are faults, secrets come only by reference, and every fault is found at once.
///
/// The kit knows no key by name. A settings type reads its `Section` from top to bottom, like a table, and ends with `finish()`, which
/// reports every key that was not read. Reading never throws in the middle: a mistake is recorded in `Faults`, and a default is returned
/// so that the rest can be read, too. The caller looks at the faults before it uses anything.
///
/// Of YAML, this accepts mappings, lists, texts, anchors and aliases. The setting that reads a plain word (`yes`, `0123`, `1:30`) decides
/// what it means; its type is never guessed. Tags that change what a value is and merge keys are faults.
package enum ConfigFile {
    /// A larger file cannot be a configuration.
    private static let maxBytes = 1 << 20

    /// - Parameter environment: the variables for `{env: NAME}`.
    /// - Returns: the top mapping; an empty one when the file cannot be read, with the reason in `faults`.
    package static func read(_ file: String, environment: [String: String], faults: Faults) -> Section {
        let source = Source(file: file, environment: environment, faults: faults)
        source.note(file)
        do {
            let node = try compose(text(of: file))
            return Section(source: source, path: "", node: node)
        } catch {
            return Section(unreadable: source, error)
        }
    }

    /// Reads text from inside the program, as if it were the file `name`.
    package static func read(text: String, name: String, faults: Faults) -> Section {
        let source = Source(file: name, environment: [:], faults: faults)
        do {
            return Section(source: source, path: "", node: try compose(text))
        } catch {
            return Section(unreadable: source, error)
        }
    }

    /// The text of a file that belongs to the configuration but is not YAML; `nil`, with the reason in `faults`, when it cannot be read.
    package static func text(of file: String, faults: Faults) -> String? {
        do { return try text(of: file) } catch {
            faults.add(error.fault(in: file))
            return nil
        }
    }

    /// The reason why a file cannot be read.
    struct Unreadable: Error {
        let message: String
        var line = 0
        var column = 0

        func fault(in file: String) -> Fault { Fault(file: file, line: line, column: column, path: "", message: message) }
    }

    static func text(of file: String) throws(Unreadable) -> String {
        let bytes: [UInt8]
        do {
            bytes = try FileBytes.read(file, atMost: maxBytes)
        } catch {
            throw Unreadable(message: error.message)
        }
        if let mark = ByteOrderMark(bytes) { throw Unreadable(message: mark.message, line: 1, column: 1) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
            throw Unreadable(message: "is not UTF-8 text; save it as UTF-8", line: line.map { $0 + 1 } ?? 0, column: line == nil ? 0 : 1)
        }
        return text
    }

    static func compose(_ text: String) throws(Unreadable) -> Node {
        let node: Node?
        do { node = try YAMLDocument.read(text) } catch { throw Unreadable(error.message, error.mark) }
        guard let node, !Section.isNull(node) else { throw Unreadable(message: "is empty") }
        guard case .mapping = node.content else { throw Unreadable("must be a mapping of keys to values", node.mark) }
        return node
    }
}

extension ConfigFile.Unreadable {
    init(_ message: String, _ mark: Node.Mark?) { self.init(message: message, line: mark?.line ?? 0, column: mark?.column ?? 0) }
}

extension Section {
    fileprivate convenience init(unreadable source: Source, _ error: ConfigFile.Unreadable) {
        source.faults.add(error.fault(in: source.file))
        source.isUnreadable = true
        self.init(source: source)
    }
}

/// The bytes that some editors put in front of a text to mark its encoding.
private enum ByteOrderMark {
    case utf8, utf16

    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .utf8
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            self = .utf16
        } else {
            return nil
        }
    }

    var message: String {
        switch self {
        case .utf8: "begins with a byte order mark (BOM); save it as UTF-8 without BOM"
        case .utf16: "is UTF-16 text; save it as UTF-8"
        }
    }
}

/// The state that all sections of one file share.
final class Source {
    let file: String
    let environment: [String: String]
    let faults: Faults
    /// Set when the reason has been added to the faults.
    fileprivate(set) var isUnreadable = false
    /// The files and folders that were read for it, as they were before; `nil` when a change of one of them does not show, as with a pipe.
    private(set) var files: [String: FileStamp]? = [:]
    /// Every secret that a reference in the file has named, in the order of reading.
    var secrets: [Secret] = []

    init(file: String, environment: [String: String], faults: Faults) {
        self.file = file
        self.environment = environment
        self.faults = faults
    }

    /// Notes that `file` is read now.
    func note(_ file: String) {
        if let stamp = FileStamp(file) { files?[file] = stamp } else { files = nil }
    }

    /// `path`, relative to the file's own folder.
    func resolved(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }
}
