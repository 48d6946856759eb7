import Glibc
import Runtime

/// Reads small files completely: configuration and secrets. Also works on pipes, which `<(command)` and some secret stores provide.
enum FileBytes {
    enum Problem: Error {
        case failed(SystemError)
        case tooLarge(limit: Int)

        /// The text for the operator, to stand after the file's name.
        var message: String {
            switch self {
            case .failed(let error): "cannot be read (\(error))"
            case .tooLarge(let limit): "is larger than \(limit / 1024) KiB"
            }
        }
    }

    static func read(_ file: String, atMost limit: Int) throws(Problem) -> [UInt8] {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .failed(SystemError("open")) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .failed(SystemError("read")) }
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
            bytes += buffer[..<count]
        }
    }

    /// The mode, in octal digits, of a file that its group or others can read; `nil` for other files and for a pipe.
    static func modeOpenToOthers(_ file: String) -> String? {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & (S_IRGRP | S_IROTH) != 0 else { return nil }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - mode.count)) + mode
    }
}
