import Glibc

/// The file descriptor that log lines are written to. It belongs to the log's thread.
struct LogSink: Sendable {
    /// `nil` for standard error.
    private let path: String?
    private var descriptor: Int32
    /// Whether the last write stopped in the middle of a line.
    private var isMidLine = false

    init(path: String?) throws(SystemError) {
        self.path = path
        descriptor = try path.map { path throws(SystemError) in try Self.open(path) } ?? STDERR_FILENO
    }

    /// For tests, which pass a descriptor of their own.
    init(descriptor: Int32) {
        path = nil
        self.descriptor = descriptor
    }

    /// Opens the file again, so that the file that has the name now is written. When that fails, keeps the former one and returns the
    /// reason.
    mutating func reopen() -> SystemError? {
        guard let path else { return nil }
        do {
            let fresh = try Self.open(path)
            close(descriptor)
            descriptor = fresh
            isMidLine = false
            return nil
        } catch {
            return error
        }
    }

    /// Writes whole lines, however long the reader takes, and empties `lines`. Returns the number of lines that could not be written.
    mutating func write(_ lines: inout [UInt8]) -> Int {
        guard !lines.isEmpty else { return 0 }
        // The memory of a burst is released again.
        defer { lines.removeAll(keepingCapacity: lines.count < 1024 * 1024) }
        return lines.withUnsafeBytes { bytes in
            if isMidLine { _ = [UInt8(ascii: "\n")].withUnsafeBytes { put($0) } }
            let rest = put(bytes)
            isMidLine = rest.count < bytes.count && bytes[bytes.count - rest.count - 1] != UInt8(ascii: "\n")
            return rest.count { $0 == UInt8(ascii: "\n") }
        }
    }

    /// Returns the part that could not be written.
    private func put(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(descriptor, start, rest.count)
            if count >= 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno == EAGAIN {
                // The program that started this one may have made its standard error non-blocking.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            } else if errno != EINTR {
                return rest
            }
        }
        return rest
    }

    private static func open(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw SystemError("open \(path)") }
        return descriptor
    }
}
