import Runtime

/// The metrics that one loop keeps of its outbound requests.
struct OutboundMetrics {
    let answered: Counter
    let failed: Counter
    let time: Histogram

    init(_ metrics: Metrics, loop: Int) {
        let loop = String(loop)
        let help = "Requests sent to other servers, by whether an answer came."
        answered = metrics.counter("gatehouse_outbound_requests_total", help, ["loop": loop, "outcome": "answered"])
        failed = metrics.counter("gatehouse_outbound_requests_total", help, ["loop": loop, "outcome": "failed"])
        time = metrics.histogram("gatehouse_outbound_seconds", "How long requests to other servers took.", ["loop": loop])
    }
}
