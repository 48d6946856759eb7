/// The lines of a file, for formats with a row on each line.
package struct FileLines {
    package let file: InputFile
    /// Whether the line that was read last ends with a line feed. Without one it can be a part of a line, where the file is cut.
    package private(set) var isTerminated = true

    package init(_ file: InputFile) { self.file = file }

    /// The next line without its end (LF or CRLF); `nil` at the end of the file.
    package mutating func next() throws(SourceFailure) -> FileRow<[UInt8]>? {
        guard try file.peek() != nil else { return nil }
        let line = file.line
        var bytes: [UInt8] = []
        isTerminated = try file.take(into: &bytes) { $0.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return .row(bytes, at: line)
    }
}
