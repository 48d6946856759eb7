import FoundationEssentials
import Yams

/// Strict reading of YAML configuration: unknown keys are faults, secrets come only by reference, and every fault is found at once.
///
/// The kit knows no key by name. A settings type reads its `Section` top to bottom like a table and ends with `finish()`, which reports
/// every key that nobody asked for. Reading never throws in the middle: what is wrong is noted in `Faults`, and a stand-in is
/// given back so that the rest can be read too; whoever started looks at the faults before using anything.
package enum ConfigFile {
    /// Anything larger is not a configuration.
    private static let maxBytes = 1 << 20

    /// - Parameter environment: where `{env: NAME}` is looked up.
    /// - Returns: the top mapping; an empty one when the file cannot be read, with the reason in `faults`.
    package static func read(_ file: String, environment: [String: String], faults: Faults) -> Section {
        let source = Source(file: file, environment: environment, faults: faults)
        func failed(_ message: String, line: Int = 0, column: Int = 0) -> Section {
            faults.add(Fault(file: file, line: line, column: column, path: "", message: message))
            return Section(source: source)
        }
        guard let bytes = FileManager.default.contents(atPath: file) else { return failed("cannot be read; does it exist, and may this user read it?") }
        guard bytes.count <= maxBytes else { return failed("is larger than 1 MiB") }
        guard let text = String(bytes: bytes, encoding: .utf8) else { return failed("is not UTF-8 text") }
        do {
            guard let node = try compose(yaml: text) else { return failed("is empty") }
            guard case .mapping = node else { return failed("must be a mapping of keys to values") }
            return Section(source: source, path: "", node: node)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
                return failed("is not YAML: \(problem)", line: mark.line, column: mark.column)
            case .duplicatedKeysInMapping(let keys, let context):
                return failed("the key \(keys.joined(separator: ", ")) is given twice", line: context.mark.line, column: context.mark.column)
            default: return failed("is not YAML: \(error)")
            }
        } catch {
            return failed("is not YAML: \(error)")
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
        if path.hasPrefix("/") { return path }
        let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return folder.isEmpty ? path : folder + "/" + path
    }
}
