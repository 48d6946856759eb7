import Dispatch
import Glibc
import Logging
import Synchronization

/// Writes the log. A caller that logs a line never waits for it, not for a slow reader and not for a full disk (SEC-76).
///
/// A line goes into a bounded queue, and a separate thread writes the queue to standard error or to a file. Events and access lines have
/// separate room, so that a busy access log never pushes out an event. A line that finds no room is dropped and counted. Lines of one kind
/// keep their order, and each line arrives whole.
package final class LogOutput: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Something that happened, and why: such lines are rare and must not be missed.
        case event
        /// One line for each request.
        case access
    }

    private struct Lines {
        var events: [UInt8] = []
        var access: [UInt8] = []
        var isEmpty: Bool { events.isEmpty && access.isEmpty }
    }

    private struct Queue {
        var lines = Lines()
        /// Whether the thread was woken since it took the lines.
        var isWoken = false
        var mustReopen = false
        var isFinishing = false

        /// Something has come for the thread. Whether the caller must wake it, which costs more than a line: for the first thing since it
        /// took the lines.
        mutating func mustWake() -> Bool {
            defer { isWoken = true }
            return !isWoken
        }
    }

    /// In bytes. The thread that writes may hold the same amount once more.
    private static let eventRoom = 2 * 1024 * 1024
    private static let accessRoom = 4 * 1024 * 1024

    private let queue = Mutex(Queue())
    private let wakeUp = DispatchSemaphore(value: 0)
    private let drained = DispatchSemaphore(value: 0)
    private let droppedEvents = Counter()
    private let droppedAccess = Counter()

    /// Writes to standard error, or to the file at `path`, which is created if it does not exist.
    package convenience init(path: String? = nil) throws(SystemError) { try self.init(LogSink(path: path)) }

    init(_ sink: LogSink) throws(SystemError) {
        try BackgroundThread.start(name: "log") { [self] in
            var sink = sink
            var lines = Lines()
            while true { turn(&sink, &lines) }
        }
    }

    /// Queues `lines` whole lines, or drops and counts them.
    package func write(_ bytes: UnsafeRawBufferPointer, lines: Int, of kind: Kind) {
        let mustWakeUp = queue.withLock { queue in
            let isTaken =
                switch kind {
                case .event: Self.append(bytes, to: &queue.lines.events, room: Self.eventRoom)
                case .access: Self.append(bytes, to: &queue.lines.access, room: Self.accessRoom)
                }
            if !isTaken { counter(kind).increment(by: lines) }
            return isTaken && queue.mustWake()
        }
        if mustWakeUp { wakeUp.signal() }
    }

    /// Opens the file again before the next line, for log rotation. Without a file nothing happens.
    package func reopen() { wake { $0.mustReopen = true } }

    /// Waits until all lines are written, but no longer than `patience`: a process must end whether or not its log is read.
    package func finish(within patience: Duration) {
        wake { $0.isFinishing = true }
        _ = drained.wait(timeout: .now() + .microseconds(Int(patience.microseconds)))
    }

    /// Registers a counter of dropped lines in `metrics`.
    package func count(in metrics: Metrics) {
        for kind in Kind.allCases {
            let counter = counter(kind)
            metrics.counter(
                "gatehouse_log_lines_dropped_total", "Log lines that found no room in the queue, or that could not be written.",
                ["kind": kind.rawValue]
            ) { counter.value }
        }
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to lines: inout [UInt8], room: Int) -> Bool {
        guard lines.count + bytes.count <= room else { return false }
        lines.append(contentsOf: bytes)
        return true
    }

    private func counter(_ kind: Kind) -> Counter { kind == .event ? droppedEvents : droppedAccess }

    private func wake(_ change: (inout Queue) -> Void) {
        let mustWakeUp = queue.withLock { queue in
            change(&queue)
            return queue.mustWake()
        }
        if mustWakeUp { wakeUp.signal() }
    }

    // One round of the log's thread.
    private func turn(_ sink: inout LogSink, _ lines: inout Lines) {
        wakeUp.wait()
        let mustReopen = queue.withLock { queue in
            swap(&queue.lines, &lines)
            queue.isWoken = false
            defer { queue.mustReopen = false }
            return queue.mustReopen
        }
        if mustReopen, let error = sink.reopen() { complain(error) }
        droppedEvents.increment(by: sink.write(&lines.events))
        droppedAccess.increment(by: sink.write(&lines.access))
        let isDrained = queue.withLock { queue in
            guard queue.isFinishing, queue.lines.isEmpty else { return false }
            queue.isFinishing = false
            return true
        }
        if isDrained { drained.signal() }
    }

    private func complain(_ error: SystemError) {
        let log = Logger(label: "log") { JSONLines(label: $0, level: .info, output: self) }
        log.error("cannot reopen the log file, so the former one is still in use", metadata: ["error": "\(error)"])
    }
}
