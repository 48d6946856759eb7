import Glibc
import Runtime

/// The bytes of a file from its beginning to its end, in pieces, so that a file may be larger than the memory.
///
/// `FileLines`, `JSONElements` and `CSVRows` read rows from it. It knows the line at which it is, for the messages about the rows.
package final class InputFile {
    /// The largest row that is read, in bytes.
    static let longestRow = 1 << 20
    private static let pieceLength = 256 << 10

    /// The name of the file in messages.
    package let name: String
    /// The number of the line that the next byte belongs to, from 1.
    package private(set) var line = 1
    /// How many bytes were read, for a progress bar.
    package private(set) var position = 0
    /// The length of the file in bytes; `nil` for a pipe.
    package let length: Int?

    private var piece: [UInt8] = []
    private var at = 0
    private var descriptor: Int32
    private let pieceLength: Int

    /// Opens a file of text. Throws for one that cannot be read, and for formats that are not text.
    package convenience init(path: String) throws(SourceFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SourceFailure("\(path) cannot be opened: \(SystemError("open"))") }
        try self.init(descriptor, name: path, pieceLength: Self.pieceLength)
    }

    /// - Parameters:
    ///   - descriptor: an open file, which this closes.
    ///   - pieceLength: how many bytes are read at a time.
    package init(_ descriptor: Int32, name: String, pieceLength: Int) throws(SourceFailure) {
        (self.descriptor, self.name, self.pieceLength) = (descriptor, name, pieceLength)
        var status = stat()
        length = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
        _ = try fill(atLeast: 4)
        if let format = Self.otherFormat(of: piece) {
            throw SourceFailure("\(name) is \(format.name), and must be text: \(format.remedy)")
        }
        if piece.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The next byte, which stays the next one; `nil` at the end of the file.
    func peek() throws(SourceFailure) -> UInt8? { try fill(atLeast: 1) ? piece[at] : nil }

    /// Goes on behind the next byte.
    func skip() {
        if piece[at] == UInt8(ascii: "\n") { line += 1 }
        at += 1
    }

    /// The next byte that is not white space of JSON, which stays the next one; `nil` at the end of the file.
    func peekBehindSpace() throws(SourceFailure) -> UInt8? {
        while let byte = try peek() {
            switch byte {
            case 0x20, 0x0A, 0x0D, 0x09: skip()
            default: return byte
            }
        }
        return nil
    }

    /// Goes on to the place that `end` finds, and appends the bytes before it to `out`, as far as these are not longer than a row may be.
    ///
    /// - Parameter end: gets the next bytes and returns how many of them belong to what is read; `nil` when all of them do and it goes on.
    /// - Returns: whether `end` found the place before the file's end.
    func take(into out: inout [UInt8], _ end: (UnsafeBufferPointer<UInt8>) -> Int?) throws(SourceFailure) -> Bool {
        while try fill(atLeast: 1) {
            let isFound = piece.withUnsafeBufferPointer { piece in
                let rest = UnsafeBufferPointer(rebasing: piece[at...])
                let found = end(rest)
                let taken = rest[..<(found ?? rest.count)]
                // One byte more than allowed says that the row is too long.
                out.append(contentsOf: taken.prefix(Self.longestRow + 1 - out.count))
                line += taken.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
                at += taken.count
                return found != nil
            }
            if isFound { return true }
        }
        return false
    }

    /// Reads on until there are so many bytes. Returns false when the file has fewer.
    private func fill(atLeast count: Int) throws(SourceFailure) -> Bool {
        while piece.count - at < count {
            guard descriptor >= 0 else { return false }
            if at == piece.count { (piece, at) = ([], 0) }
            let next = try read()
            piece.append(contentsOf: next)
            position += next.count
            if next.isEmpty {
                close(descriptor)
                descriptor = -1
            }
        }
        return true
    }

    private func read() throws(SourceFailure) -> [UInt8] {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: pieceLength) { out, written in
                count = Glibc.read(descriptor, out.baseAddress, pieceLength)
                written = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SourceFailure("\(name) cannot be read: \(SystemError("read"))") }
            return bytes
        }
    }

    private static func otherFormat(of start: [UInt8]) -> (name: String, remedy: String)? {
        if start.starts(with: [0x1F, 0x8B]) { return ("a gzip file", "unpack it with gunzip first") }
        if start.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return ("a zip file", "unpack it with unzip first") }
        if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return ("a zstd file", "unpack it with unzstd first") }
        if start.starts(with: Array("PGDMP".utf8.prefix(4))) {
            return ("a dump of pg_dump's custom format", "make a plain one with pg_restore --file=DUMP.sql")
        }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            return ("a text in UTF-16", "convert it with iconv -f UTF-16 -t UTF-8 first")
        }
        return nil
    }
}
