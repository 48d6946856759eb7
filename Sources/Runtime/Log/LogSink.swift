import Glibc

/// The descriptor that log lines are written to. Belongs to the log's thread.
struct LogSink: Sendable {
    /// `nil` for standard error.
    private let path: String?
    private var descriptor: Int32
    /// Whether what was written last stopped in the middle of a line.
    private var isMidLine = false

    init(path: String?) throws(SystemError) {
        self.path = path
        descriptor = try path.map { path throws(SystemError) in try Self.open(path) } ?? STDERR_FILENO
    }

    /// For tests: writes to a descriptor of theirs.
    init(descriptor: Int32) {
        path = nil
        self.descriptor = descriptor
    }

    /// Opens the file anew: the one that has the name now. Goes on with the former one when that fails, and says why.
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

    /// Writes whole lines, however long the reader takes, and empties `lines`. Gives the number of lines that could not be written.
    mutating func write(_ lines: inout [UInt8]) -> Int {
        guard !lines.isEmpty else { return 0 }
        // A burst's memory is not kept for ever.
        defer { lines.removeAll(keepingCapacity: lines.count < 1024 * 1024) }
        return lines.withUnsafeBytes { bytes in
            if isMidLine { _ = [UInt8(ascii: "\n")].withUnsafeBytes { put($0) } }
            let rest = put(bytes)
            isMidLine = rest.count < bytes.count && bytes[bytes.count - rest.count - 1] != UInt8(ascii: "\n")
            return rest.count { $0 == UInt8(ascii: "\n") }
        }
    }

    /// Gives what could not be written.
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
