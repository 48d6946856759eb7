import Synchronization

/// Counters and histograms of one process, printed as Prometheus text.
///
/// A metric is made once and kept by whoever counts with it; counting is one atomic add. Label values come from closed sets (route
/// patterns, provider ids of the configuration, outcomes), never from a request, so the number of series is bounded.
package final class Metrics: Sendable {
    private let families = Mutex<[Family]>([])

    private struct Family {
        let name: String
        let help: String
        let kind: String
        var samples: [@Sendable (inout String) -> Void]
    }

    package init() {}

    package func counter(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) -> Counter {
        let counter = Counter()
        let series = name + Self.text(labels)
        add(name, help, "counter") { $0 += "\(series) \(counter.value)\n" }
        return counter
    }

    package func histogram(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) -> Histogram {
        let histogram = Histogram()
        let labels = labels.map { ($0.key, $0.value) }
        add(name, help, "histogram") { histogram.print(as: name, labels: labels, into: &$0) }
        return histogram
    }

    /// A value read when the metrics are printed: open connections, queue lengths.
    package func gauge(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:],
        _ read: @escaping @Sendable () -> Int
    ) {
        let series = name + Self.text(labels)
        add(name, help, "gauge") { $0 += "\(series) \(read())\n" }
    }

    /// All of it, in the Prometheus text format 0.0.4.
    package func text() -> String {
        families.withLock { families in
            var text = ""
            for family in families {
                text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind)\n"
                for sample in family.samples { sample(&text) }
            }
            return text
        }
    }

    private func add(_ name: String, _ help: String, _ kind: String, _ sample: @escaping @Sendable (inout String) -> Void) {
        families.withLock { families in
            if let index = families.firstIndex(where: { $0.name == name }) {
                families[index].samples.append(sample)
            } else {
                families.append(Family(name: name, help: help, kind: kind, samples: [sample]))
            }
        }
    }

    private static func text(_ labels: KeyValuePairs<String, String>) -> String {
        text(labels.map { ($0.key, $0.value) })
    }

    fileprivate static func text(_ labels: [(String, String)]) -> String {
        if labels.isEmpty { return "" }
        return "{" + labels.map { "\($0.0)=\"\($0.1.filter { $0 != "\"" && $0 != "\\" && $0 != "\n" })\"" }.joined(separator: ",") + "}"
    }
}

package final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    package var value: Int { count.load(ordering: .relaxed) }
    package func increment(by amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }
    /// For gauges that are kept as a running count.
    package func decrement() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// How long things took: counts in fixed buckets from 100 µs to 10 s.
package final class Histogram: Sendable {
    static let bounds: [(microseconds: UInt64, label: String)] = [
        (100, "0.0001"), (250, "0.00025"), (500, "0.0005"), (1_000, "0.001"), (2_500, "0.0025"), (5_000, "0.005"),
        (10_000, "0.01"), (25_000, "0.025"), (50_000, "0.05"), (100_000, "0.1"), (250_000, "0.25"), (500_000, "0.5"),
        (1_000_000, "1"), (2_500_000, "2.5"), (10_000_000, "10"),
    ]
    private let buckets = (0...bounds.count).map { _ in Counter() }
    private let sum = Counter()

    package func record(microseconds: UInt64) {
        let index = Self.bounds.firstIndex { microseconds <= $0.microseconds } ?? Self.bounds.count
        buckets[index].increment()
        sum.increment(by: Int(clamping: microseconds))
    }

    fileprivate func print(as name: String, labels: [(String, String)], into text: inout String) {
        var total = 0
        for (index, bucket) in buckets.enumerated() {
            total += bucket.value
            let bound = index < Self.bounds.count ? Self.bounds[index].label : "+Inf"
            text += "\(name)_bucket\(Metrics.text(labels + [("le", bound)])) \(total)\n"
        }
        let labels = Metrics.text(labels)
        text += "\(name)_sum\(labels) \(Double(sum.value) / 1_000_000)\n\(name)_count\(labels) \(total)\n"
    }
}
