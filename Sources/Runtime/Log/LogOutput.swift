import Dispatch
import Glibc
import Logging
import Synchronization

/// Where log lines go. Nothing that writes a line ever waits: not for a slow reader, not for a full disk (SEC-76).
///
/// A line goes into a bounded queue, and a thread of its own writes the queue to standard error or to a file. Events and access lines have
/// room of their own, so that a busy access log displaces no event; what finds no room is dropped and counted. Lines of one kind
/// keep their order, and each line arrives whole.
package final class LogOutput: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// What happened, and why: rare, and never to be missed.
        case event
        /// One for each request.
        case access
    }

    private struct Lines {
        var events: [UInt8] = []
        var access: [UInt8] = []
        var isEmpty: Bool { events.isEmpty && access.isEmpty }
    }

    private struct Queue {
        var lines = Lines()
        var hasRung = false
        var mustReopen = false
        var isFinishing = false
    }

    /// In bytes. As much again may be in the hands of the thread that writes.
    private static let eventRoom = 2 * 1024 * 1024
    private static let accessRoom = 4 * 1024 * 1024
    /// How long access lines may wait for more of their kind, in microseconds: a thread woken for each would cost more than the lines.
    private static let gathering: useconds_t = 2000

    private let queue = Mutex(Queue())
    private let bell = DispatchSemaphore(value: 0)
    private let drained = DispatchSemaphore(value: 0)
    private let droppedEvents = Counter()
    private let droppedAccess = Counter()

    /// Writes to the file at `path`, which is made when it is not there, or to standard error.
    package convenience init(path: String? = nil) throws(SystemError) { try self.init(LogSink(path: path)) }

    init(_ sink: LogSink) throws(SystemError) {
        try BackgroundThread.start(name: "log", yieldsToOthers: false) { [self] in
            var sink = sink
            var lines = Lines()
            while true { turn(&sink, &lines) }
        }
    }

    /// Queues `lines` whole lines, or drops and counts them.
    package func write(_ bytes: UnsafeRawBufferPointer, lines: Int, of kind: Kind) {
        let mustRing = queue.withLock { queue in
            let isTaken =
                switch kind {
                case .event: Self.append(bytes, to: &queue.lines.events, room: Self.eventRoom)
                case .access: Self.append(bytes, to: &queue.lines.access, room: Self.accessRoom)
                }
            if !isTaken { counter(kind).increment(by: lines) }
            return isTaken && Self.ring(&queue)
        }
        if mustRing { bell.signal() }
    }

    /// Opens the file anew before the next line, for log rotation. Without a file nothing happens.
    package func reopen() { wake { $0.mustReopen = true } }

    /// Waits until all lines are written, but no longer than `patience`: a process ends whether or not its log is read.
    package func finish(within patience: Duration) {
        wake { $0.isFinishing = true }
        _ = drained.wait(timeout: .now() + .microseconds(Int(patience.microseconds)))
    }

    /// Has `metrics` tell how many lines were dropped.
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
        let mustRing = queue.withLock { queue in
            change(&queue)
            return Self.ring(&queue)
        }
        if mustRing { bell.signal() }
    }

    /// Whether the thread must be woken: the first ring since it took the queue does.
    private static func ring(_ queue: inout Queue) -> Bool {
        defer { queue.hasRung = true }
        return !queue.hasRung
    }

    // What the log's thread does, over and over.
    private func turn(_ sink: inout LogSink, _ lines: inout Lines) {
        bell.wait()
        if queue.withLock({ $0.lines.events.isEmpty && !$0.isFinishing }) { usleep(Self.gathering) }
        let mustReopen = queue.withLock { queue in
            swap(&queue.lines, &lines)
            queue.hasRung = false
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
        log.error("cannot reopen the log file, the former one is written on", metadata: ["error": "\(error)"])
    }
}
