package import JSON
import Text

/// A key that an entry of `providers:` must have, or should have where its value is known.
enum EntryKey: Sendable {
    case required(String, like: String = "…")
    case optional(String)
    /// Its value never stands in the file.
    case secret(String, variable: String = "SECRET")
}

extension Provider {
    /// An entry of `providers:` for an operator to paste into a project's file; `nil` for an id that no provider has.
    ///
    /// - Parameter values: the values that are known, by the entry's keys. Something to fill in stands for the others.
    package static func entry(of id: String, knowing values: [String: JSON]) -> String? {
        guard let provider = named(id) else { return nil }
        let lines = provider.entryKeys.compactMap { key -> String? in
            switch key {
            // JSON's text is YAML's, whatever is in it.
            case .required(let name, let example): "\(name): \(values[name]?.text() ?? example)"
            case .optional(let name): values[name].map { "\(name): \($0.text())" }
            case .secret(let name, let variable): "\(name): {env: \(prefix(of: id))_\(variable)}"
            }
        }
        return (["  \(id):"] + lines.map { "    \($0)" }).joined(separator: "\n")
    }

    /// The beginning of the names of its variables.
    private static func prefix(of id: String) -> String {
        String(id.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
}
