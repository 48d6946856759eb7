import FoundationEssentials
package import Runtime
import Yams

extension Section {
    /// A secret by reference: `{env: NAME}` or `{file: path}`, the path seen from the configuration file's folder. A secret that stands in the
    /// file itself is a fault: configuration is copied, mailed and committed.
    package func secret(_ key: String) -> Secret? {
        guard let node = ask(key) else { return nil }
        guard case .mapping(let mapping) = node, mapping.count == 1, let (kind, value) = mapping.first, let name = Section.text(value), !name.isEmpty
        else { return wrong(key, node, "secrets come by reference only: write {env: NAME} or {file: path}") }
        switch kind.string {
        case "env":
            guard let text = source.environment[name], !text.isEmpty else { return wrong(key, node, "the environment variable \(name) is not set") }
            return Secret(text)
        case "file":
            let path = source.resolved(name)
            guard let bytes = FileManager.default.contents(atPath: path), let text = String(bytes: bytes, encoding: .utf8) else {
                return wrong(key, node, "the file \(path) cannot be read")
            }
            let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
            guard !line.isEmpty else { return wrong(key, node, "the file \(path) is empty") }
            // Keys in PEM take many lines; everything else is one, with the newline that editors add.
            return Secret(text.hasPrefix("-----BEGIN") ? text : line)
        default: return wrong(key, node, "secrets come by reference only: write {env: NAME} or {file: path}")
        }
    }

    package func requiredSecret(_ key: String) -> Secret {
        guard has(key) else {
            _ = secret(key)
            fault(key, "is missing; write {env: NAME} or {file: path}")
            return Secret("")
        }
        return secret(key) ?? Secret("")
    }

    /// A path in the file system, seen from the configuration file's folder.
    package func path(_ key: String, default value: String) -> String { source.resolved(string(key) ?? value) }
}
