package import Accounts

/// A row of a file: a line, an element of an array, or a record of CSV.
package enum FileRow<Content: Sendable>: Sendable {
    /// - Parameter line: the number of the line that it begins on, from 1.
    case row(Content, line: Int)
    /// The row cannot be read; those behind it can.
    case fault(ImportFault)

    /// The row, unless it is longer than a row may be.
    static func row(_ bytes: [UInt8], at line: Int) -> FileRow where Content == [UInt8] {
        guard bytes.count > InputFile.longestRow else { return .row(bytes, line: line) }
        return .fault(ImportFault(.malformed, "the row is longer than 1 MiB", place: line))
    }
}

extension FileRow: Equatable where Content: Equatable {}

extension SourceFailure {
    /// The file ends where it should go on.
    /// - Parameter place: where it ends, such as "in the middle of an account".
    static func cut(_ file: InputFile, _ place: String) -> SourceFailure {
        SourceFailure(
            "\(file.name) ends at line \(file.line) \(place), so the file is cut. The accounts before that line can be imported; "
                + "for the others, make the file again",
            isCut: true)
    }
}
