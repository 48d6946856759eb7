import Dispatch
import Glibc
import Runtime

/// A pipe, neither end of which a child inherits by itself.
struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failed("\(SystemError("pipe"))") }
        (reader, writer) = (ends[0], ends[1])
        // Otherwise a child would hold the end by which this process tells that it has ended.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Whether the writer says `ready` before it closes the pipe.
    func readsReady() async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [reader] in
                var byte: UInt8 = 0
                var count = 0
                repeat { count = read(reader, &byte, 1) } while count < 0 && errno == EINTR
                close(reader)
                continuation.resume(returning: count == 1)
            }
        }
    }
}
