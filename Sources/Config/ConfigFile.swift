import Yams

/// Strict reading of YAML configuration: unknown keys are faults, secrets come only by reference, and every fault is found at once.
///
/// The kit knows no key by name. A settings type reads its `Section` top to bottom like a table and ends with `finish()`, which reports
/// every key that nobody asked for. Reading never throws in the middle: what is wrong is noted in `Faults`, and a stand-in is
/// given back so that the rest can be read too; whoever started looks at the faults before using anything.
///
/// Of YAML this takes mappings, lists, texts, anchors and aliases. What a plain word means (`yes`, `0123`, `1:30`) is decided by the
/// setting that asks for it, never guessed from its look. Tags and merge keys are faults.
package enum ConfigFile {
    /// Anything larger is not a configuration.
    private static let maxBytes = 1 << 20

    /// - Parameter environment: where `{env: NAME}` is looked up.
    /// - Returns: the top mapping; an empty one when the file cannot be read, with the reason in `faults`.
    package static func read(_ file: String, environment: [String: String], faults: Faults) -> Section {
        let source = Source(file: file, environment: environment, faults: faults)
        do {
            let node = try compose(text(of: file))
            return Section(source: source, path: "", node: node)
        } catch {
            faults.add(Fault(file: file, line: error.mark?.line ?? 0, column: error.mark?.column ?? 0, path: "", message: error.message))
            return Section(source: source)
        }
    }

    /// Reads text that comes with the program, as if it were the file `name`.
    package static func read(text: String, name: String, faults: Faults) -> Section {
        let source = Source(file: name, environment: [:], faults: faults)
        do {
            return Section(source: source, path: "", node: try compose(text))
        } catch {
            faults.add(Fault(file: name, line: error.mark?.line ?? 0, column: error.mark?.column ?? 0, path: "", message: error.message))
            return Section(source: source)
        }
    }

    /// The text of a file that belongs to the configuration without being YAML; `nil` with the reason in `faults`.
    package static func text(of file: String, faults: Faults) -> String? {
        do { return try text(of: file) } catch {
            faults.add(Fault(file: file, line: 0, column: 0, path: "", message: error.message))
            return nil
        }
    }

    /// Why there is nothing to read.
    private struct Unreadable: Error {
        let message: String
        var mark: Mark?
    }

    private static func text(of file: String) throws(Unreadable) -> String {
        let bytes: [UInt8]
        do {
            bytes = try FileBytes.read(file, atMost: maxBytes)
        } catch {
            throw Unreadable(message: error.message)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Unreadable(message: "is not UTF-8 text") }
        return text
    }

    private static func compose(_ text: String) throws(Unreadable) -> Node {
        let node: Node?
        do {
            // The basic resolver: no guessing of types, so `1` and `"1"` are one key, and no regular expression runs at start.
            node = try Yams.compose(yaml: text, .basic, .default, .utf8)
        } catch let error as YamlError {
            throw unreadable(error)
        } catch {
            throw Unreadable(message: "is not YAML")
        }
        guard let node, !Section.isNull(node) else { throw Unreadable(message: "is empty") }
        guard case .mapping = node else { throw Unreadable(message: "must be a mapping of keys to values", mark: node.mark) }
        return node
    }

    private static func unreadable(_ error: YamlError) -> Unreadable {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
            Unreadable(message: "is not YAML: \(problem)", mark: mark)
        case .duplicatedKeysInMapping(let keys, let context):
            Unreadable(
                message: "the key \(keys.map { "\"\($0)\"" }.joined(separator: ", ")) is given twice in one mapping", mark: context.mark)
        case .reader(let problem, _, _, _):
            Unreadable(message: "is not YAML: \(problem)")
        default:
            Unreadable(message: "is not YAML")
        }
    }
}

/// What all sections of one file share.
final class Source {
    let file: String
    let environment: [String: String]
    let faults: Faults

    init(file: String, environment: [String: String], faults: Faults) {
        self.file = file
        self.environment = environment
        self.faults = faults
    }

    /// `path` as seen from the file's own folder.
    func resolved(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }
}
