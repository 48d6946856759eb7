import Runtime
import Synchronization

/// The metrics of one loop's `Database`. The gauges are set on the loop and may be read from any thread.
final class DatabaseMetrics: Sendable {
    final class Gauge: Sendable {
        private let number = Atomic<Int>(0)
        var value: Int { number.load(ordering: .relaxed) }
        func set(_ value: Int) { number.store(value, ordering: .relaxed) }
    }

    let reads: Histogram
    let writes: Histogram
    let readConnections = Gauge()
    let writeConnections = Gauge()
    let busy = Gauge()
    let waiting = Gauge()
    let syncs: Counter
    let lost: Counter
    let refused: Counter
    let undone: Counter

    /// - Parameter loop: the value of the label.
    init(_ metrics: Metrics, loop: String) {
        let seconds = "From the call to the answer, waiting included."
        reads = metrics.histogram("gatehouse_database_seconds", seconds, ["loop": loop, "kind": "read"])
        writes = metrics.histogram("gatehouse_database_seconds", seconds, ["loop": loop, "kind": "write"])
        syncs = metrics.counter("gatehouse_database_round_trips_total", "Syncs sent: groups of reads, writes, steps.", ["loop": loop])
        lost = metrics.counter("gatehouse_database_connections_lost_total", "Connections that broke or failed to open.", ["loop": loop])
        refused = metrics.counter("gatehouse_database_refused_total", "Calls refused because no connection was free.", ["loop": loop])
        undone = metrics.counter("gatehouse_database_batches_undone_total", "Batches undone, whose writes ran one by one.", ["loop": loop])
        let open = "Open connections."
        metrics.gauge("gatehouse_database_connections", open, ["loop": loop, "kind": "read"]) { [readConnections] in readConnections.value }
        metrics.gauge("gatehouse_database_connections", open, ["loop": loop, "kind": "write"]) { [writeConnections] in
            writeConnections.value
        }
        metrics.gauge("gatehouse_database_write_connections_busy", "Write connections at work.", ["loop": loop]) { [busy] in busy.value }
        metrics.gauge("gatehouse_database_waiting", "Calls that wait for a connection.", ["loop": loop]) { [waiting] in waiting.value }
    }
}
