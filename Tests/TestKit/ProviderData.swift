import Glibc
package import JSON
import Runtime
package import Text

/// What a provider says, by its documents: a file of `Tests/Providers`, which the doubles of the end-to-end tests read, too.
///
/// The file has answers and errors by their names. In them, `<name>` stands for a value: by itself for any value, within a text for the
/// value's text.
package struct ProviderData: Sendable {
    private let data: JSON

    package init(_ name: String) throws {
        let path = "\(Repository.root)/Tests/Providers/\(name).json"
        guard let file = fopen(path, "r") else { throw SystemError("fopen \(path)") }
        defer { fclose(file) }
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        data = try JSON.parse(bytes)
    }

    package func answer(_ name: UTF8Text, _ values: JSON.Object = [:]) throws -> JSON {
        guard let template = data["answers"]?[name] else { throw Missing(name: name) }
        return try filled(template, values)
    }

    /// An answer whose members are the fields of a form.
    package func form(_ name: UTF8Text, _ values: JSON.Object) throws -> String {
        let fields = try answer(name, values).object ?? [:]
        return fields.map { "\($0.name)=\($0.value.string?.asString ?? $0.value.text())" }.joined(separator: "&")
    }

    package func error(_ name: UTF8Text, _ values: JSON.Object = [:]) throws -> (body: JSON, status: Int) {
        guard let error = data["errors"]?[name], let body = error["body"], let status = error["status"]?.integer else {
            throw Missing(name: name)
        }
        return (try filled(body, values), Int(status))
    }

    /// A name that the file does not have, or a value that the test does not give.
    private struct Missing: Error { let name: UTF8Text }

    private func filled(_ template: JSON, _ values: JSON.Object) throws -> JSON {
        switch template {
        case .object(let object):
            var filledObject: JSON.Object = [:]
            for member in object { filledObject[member.name] = try filled(member.value, values) }
            return .object(filledObject)
        case .array(let elements): return .array(try elements.map { try filled($0, values) })
        case .string(let text): return try filled(text.asString, values)
        default: return template
        }
    }

    private func filled(_ text: String, _ values: JSON.Object) throws -> JSON {
        var (result, rest) = ("", text[...])
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let name = UTF8Text(rest[rest.index(after: open)..<close])
            guard let value = values[name] else { throw Missing(name: name) }
            if open == text.startIndex, rest.index(after: close) == text.endIndex { return value }
            result += rest[..<open] + (value.string?.asString ?? value.text())
            rest = rest[rest.index(after: close)...]
        }
        return .string(UTF8Text(result + rest))
    }
}

extension FakeUpstream {
    /// Answers with an error of a provider.
    package func answer(_ url: String, _ error: (body: JSON, status: Int)) { answer(url, error.body, status: error.status) }
}
