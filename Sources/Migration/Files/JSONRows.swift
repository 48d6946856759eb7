import Accounts
package import JSON

/// The JSON objects of a file: one on each line (NDJSON), or the elements of an array.
package struct JSONRows {
    private enum Form { case lines(FileLines), elements(JSONElements) }

    private var form: Form

    /// Reads an object on each line. Empty lines are passed over.
    package init(lines file: InputFile) { form = .lines(FileLines(file)) }

    /// Reads the elements of the array that the file is, or that this member of its object has.
    package init(_ file: InputFile, member: String) { form = .elements(JSONElements(file, member: member)) }

    /// The next object; `nil` at the end of the file.
    package mutating func next() throws(SourceFailure) -> FileRow<JSON.Object>? {
        switch form {
        case .elements(var elements):
            defer { form = .elements(elements) }
            return try elements.next().map { $0.parsed }
        case .lines(var lines):
            defer { form = .lines(lines) }
            while let row = try lines.next() {
                if case .row(let bytes, _) = row, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
                let parsed = row.parsed
                if case .fault = parsed, !lines.isTerminated { throw .cut(lines.file, "in the middle of an account") }
                return parsed
            }
            return nil
        }
    }
}

extension FileRow where Content == [UInt8] {
    /// The row as the JSON object that it is; a fault where it is none.
    package var parsed: FileRow<JSON.Object> {
        switch self {
        case .fault(let fault): return .fault(fault)
        case .row(let bytes, let line):
            do throws(JSONError) {
                guard case .object(let object) = try JSON.parse(bytes) else {
                    return .fault(ImportFault(.malformed, "the row is not a JSON object", place: line))
                }
                return .row(object, line: line)
            } catch {
                return .fault(ImportFault(.malformed, "the row is not JSON: \(error)", place: line))
            }
        }
    }
}
