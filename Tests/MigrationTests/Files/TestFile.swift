import Glibc
import Migration

/// A file of a test's bytes. It has no name, and goes away when it is closed.
enum TestFile {
    static func of(_ text: String) throws -> InputFile { try of(Array(text.utf8)) }

    /// - Parameter piece: how many bytes are read at a time; small ones put every border between two pieces.
    static func of(_ bytes: [UInt8], piece: Int = 1 << 18) throws -> InputFile {
        var path = Array("/tmp/gatehouse-test-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw SourceFailure("mkstemp") }
        unlink(path)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SourceFailure("write") }
            rest = rest.dropFirst(count)
        }
        lseek(descriptor, 0, SEEK_SET)
        return try InputFile(descriptor, name: "test", pieceLength: piece)
    }
}
