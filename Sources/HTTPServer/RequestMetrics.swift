import Runtime

/// Counts requests by route and status, and measures their time by route. Routes are patterns, so there are few series.
final class RequestMetrics {
    private struct Key: Hashable {
        let route: String
        let status: Int
    }

    private struct Series {
        let requests: Counter
        let latency: Histogram
    }

    /// Further series are counted together as `other`, in case a handler ever answers with routes that a client can choose.
    private static let most = 1024

    private let metrics: Metrics
    private var series: [Key: Series] = [:]
    private var latencies: [String: Histogram] = [:]
    /// The series that was used last, since under load the same one often comes many times in a row.
    private var last: (key: Key, series: Series)?

    init(_ metrics: Metrics) { self.metrics = metrics }

    func record(route: String, status: Int, microseconds: UInt64) {
        let series: Series
        if let last, last.key.status == status, last.key.route == route {
            series = last.series
        } else {
            let key = Key(route: route, status: status)
            series = self.series[key] ?? make(key)
            last = (key, series)
        }
        series.requests.increment()
        series.latency.record(microseconds: microseconds)
    }

    private func make(_ key: Key) -> Series {
        if series.count >= Self.most && key.route != "other" { return make(Key(route: "other", status: key.status)) }
        if let known = series[key] { return known }
        let route = key.route.isEmpty ? "-" : key.route
        let latency =
            latencies[route]
            ?? metrics.histogram("http_request_seconds", "Time from the last byte of a request to its answer.", ["route": route])
        latencies[route] = latency
        let requests = metrics.counter("http_requests_total", "Requests answered.", ["route": route, "status": "\(key.status)"])
        let made = Series(requests: requests, latency: latency)
        series[key] = made
        return made
    }
}
