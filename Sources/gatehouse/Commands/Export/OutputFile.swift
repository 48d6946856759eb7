import Glibc
import Runtime

/// A new file of secrets, which only its owner may read (mode 600).
final class OutputFile {
    private static let bufferLength = 64 << 10

    private let path: String
    private var descriptor: Int32
    private var waiting: [UInt8] = []

    /// Throws for a file that is there already.
    init(new path: String) throws {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failed(
                errno == EEXIST ? "\(path) is there already; name a new file" : "\(path) cannot be written: \(SystemError("open"))")
        }
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    func write(_ bytes: [UInt8]) throws {
        waiting += bytes
        if waiting.count >= Self.bufferLength { try flush() }
    }

    private func flush() throws {
        var rest = waiting[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failed("\(path) cannot be written: \(SystemError("write"))") }
            rest = rest.dropFirst(count)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Writes what is left. Then the file is complete, also after a loss of power.
    func close() throws {
        try flush()
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Failed("\(path) cannot be written: \(SystemError("fsync"))") }
    }

    func delete() { unlink(path) }
}
