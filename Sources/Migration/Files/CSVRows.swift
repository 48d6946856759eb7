import Accounts
package import Text

/// The records of a CSV file (RFC 4180), each as the texts of its fields. A field in quotes may have commas, quotes (doubled) and line breaks.
/// <https://www.rfc-editor.org/rfc/rfc4180>
package struct CSVRows {
    /// A field in quotes with more line breaks is a quote that was never closed.
    private static let mostLines = 100

    private var lines: FileLines
    package var file: InputFile { lines.file }

    package init(_ file: InputFile) { lines = FileLines(file) }

    /// The next record; `nil` at the end of the file. Empty lines are passed over.
    ///
    /// Throws for a quote that is not closed: which of the next lines are records is not known then.
    package mutating func next() throws(SourceFailure) -> FileRow<[UTF8Text]>? {
        while let first = try lines.next() {
            switch first {
            case .fault(let fault): return .fault(fault)
            case .row(let bytes, let line): if !bytes.isEmpty { return try record(bytes, line: line) }
            }
        }
        return nil
    }

    /// Whether the record that was read last ends with a line feed.
    package var isTerminated: Bool { lines.isTerminated }

    /// The record that begins with these bytes, and with the next lines as long as a quote is open.
    private mutating func record(_ first: [UInt8], line: Int) throws(SourceFailure) -> FileRow<[UTF8Text]> {
        var bytes = first
        for _ in 0..<Self.mostLines {
            var record = CSVRecord(bytes)
            switch record.read() {
            case .complete(let fields): return .row(fields, line: line)
            case .malformed(let reason): return .fault(ImportFault(.malformed, reason, place: line))
            case .open: break
            }
            guard let next = try lines.next() else { throw .cut(file, "in a field in quotes that began on line \(line)") }
            guard case .row(let more, _) = next, bytes.count + more.count < InputFile.longestRow else { break }
            bytes += [UInt8(ascii: "\n")] + more
        }
        throw SourceFailure("\(file.name):\(line): a quote begins a field and is never closed, so the rest of the file cannot be read")
    }
}

/// One record of CSV, without the line end behind it.
private struct CSVRecord {
    enum Result {
        case complete([UTF8Text])
        /// A field in quotes goes on behind the end.
        case open
        case malformed(String)
    }

    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func read() -> Result {
        var fields: [UTF8Text] = []
        while true {
            let isQuoted = at < bytes.count && bytes[at] == UInt8(ascii: "\"")
            guard let field = isQuoted ? quoted() : plain() else { return .open }
            guard let text = UTF8Text(validating: field) else { return .malformed("field \(fields.count + 1) of the row is not UTF-8") }
            fields.append(text)
            guard at < bytes.count else { return .complete(fields) }
            guard bytes[at] == UInt8(ascii: ",") else {
                return .malformed("field \(fields.count) of the row has text behind its closing quote")
            }
            at += 1
        }
    }

    private mutating func plain() -> ArraySlice<UInt8>? {
        let end = bytes[at...].firstIndex(of: UInt8(ascii: ",")) ?? bytes.count
        defer { at = end }
        return bytes[at..<end]
    }

    /// `nil` when the closing quote is missing.
    private mutating func quoted() -> ArraySlice<UInt8>? {
        var field: [UInt8] = []
        at += 1
        while let quote = bytes[at...].firstIndex(of: UInt8(ascii: "\"")) {
            field += bytes[at..<quote]
            at = quote + 1
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return field[...] }
            field.append(UInt8(ascii: "\""))
            at += 1
        }
        return nil
    }
}
