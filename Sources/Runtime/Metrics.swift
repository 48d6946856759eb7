import Synchronization

/// Counters and histograms of one process, printed as Prometheus text.
///
/// The type that counts makes its metric once; counting is then one atomic addition. The same name and labels made again (for example by
/// every loop) give a separate counter, so that loops do not compete for a cache line; the counters are added up when printed. Label
/// values come from closed sets (route patterns, provider ids of the configuration, outcomes), never from a request, so the number of
/// series is bounded.
package final class Metrics: Sendable {
    private let families = Mutex<[Family]>([])
    private let rendering = Mutex((made: MonotonicTime(nanoseconds: 0), bytes: [UInt8]()))

    private struct Family {
        let name: String
        let help: String
        let kind: String
        var series: [Series] = []
        /// The positions of the series, by their labels.
        var positions: [String: Int] = [:]
    }

    private struct Series {
        let labels: [(String, String)]
        var parts: [Part]
    }

    private enum Part {
        case number(@Sendable () -> Int)
        case numberAtTimes(@Sendable () -> Int?)
        case decimal(@Sendable () -> Double)
        case histogram(Histogram)
    }

    package init() {}

    package func counter(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) -> Counter {
        let counter = Counter()
        add(name, help, "counter", labels, .number { counter.value })
        return counter
    }

    /// A count that is kept elsewhere and read when the metrics are printed.
    package func counter(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:], _ read: @escaping @Sendable () -> Int
    ) {
        add(name, help, "counter", labels, .number(read))
    }

    /// The same for a count with a fraction, such as seconds.
    package func decimalCounter(_ name: String, _ help: String, _ read: @escaping @Sendable () -> Double) {
        add(name, help, "counter", [:], .decimal(read))
    }

    package func histogram(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) -> Histogram {
        let histogram = Histogram()
        add(name, help, "histogram", labels, .histogram(histogram))
        return histogram
    }

    /// A value read when the metrics are printed: open connections, queue lengths.
    package func gauge(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:],
        _ read: @escaping @Sendable () -> Int
    ) {
        add(name, help, "gauge", labels, .number(read))
    }

    /// A gauge whose series is printed only while it has a value.
    package func gaugeAtTimes(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, String>, _ read: @escaping @Sendable () -> Int?
    ) {
        add(name, help, "gauge", labels, .numberAtTimes(read))
    }

    /// A gauge that has a fraction.
    package func decimalGauge(_ name: String, _ help: String, _ read: @escaping @Sendable () -> Double) {
        add(name, help, "gauge", [:], .decimal(read))
    }

    /// All metrics as bytes, rendered at most once a second. Callers that ask more often get the former bytes (SEC-75).
    package func rendered(at now: MonotonicTime) -> [UInt8] {
        let recent = rendering.withLock { rendering in
            let isFresh = now.microseconds(since: rendering.made) < 1_000_000 && !rendering.bytes.isEmpty
            // Other callers get the former bytes while this one renders, too.
            if !isFresh { rendering.made = now }
            return isFresh ? rendering.bytes : nil
        }
        if let recent { return recent }
        let fresh = Array(text().utf8)
        rendering.withLock { $0.bytes = fresh }
        return fresh
    }

    /// All metrics in the Prometheus text format 0.0.4.
    package func text() -> String {
        families.withLock { families in
            var text = ""
            for family in families {
                text += "# HELP \(family.name) \(family.help)\n# TYPE \(family.name) \(family.kind)\n"
                for series in family.series { Self.print(series, of: family.name, into: &text) }
            }
            return text
        }
    }

    /// How long the measured work of a histogram took, for each value of a label: the most frequent first.
    package func times(of name: String, by label: String) -> [MetricTimes] {
        var counts: [String: Histogram.Counts] = [:]
        families.withLock { families in
            for series in families.first(where: { $0.name == name })?.series ?? [] {
                guard let value = series.labels.first(where: { $0.0 == label })?.1 else { continue }
                for case .histogram(let part) in series.parts { counts[value] = part.counts + counts[value] }
            }
        }
        return counts.map { MetricTimes(label: $0.key, buckets: $0.value.buckets) }.sorted { ($1.count, $0.label) < ($0.count, $1.label) }
    }

    /// The sums of the counters with this name whose other labels have the values of `labels`, for each value of a label: the greatest first.
    package func counts(of name: String, by label: String, where labels: [String: String] = [:]) -> [(label: String, count: Int)] {
        var counts: [String: Int] = [:]
        families.withLock { families in
            for series in families.first(where: { $0.name == name })?.series ?? [] {
                let own = Dictionary(uniqueKeysWithValues: series.labels)
                guard let value = own[label], labels.allSatisfy({ own[$0.key] == $0.value }) else { continue }
                for case .number(let read) in series.parts { counts[value, default: 0] += read() }
            }
        }
        return counts.map { (label: $0.key, count: $0.value) }.sorted { ($1.count, $0.label) < ($0.count, $1.label) }
    }

    private func add(_ name: String, _ help: String, _ kind: String, _ labels: KeyValuePairs<String, String>, _ part: Part) {
        let labels = labels.map { ($0.key, $0.value) }
        families.withLock { families in
            let family = families.firstIndex { $0.name == name } ?? families.endIndex
            if family == families.endIndex { families.append(Family(name: name, help: help, kind: kind)) }
            if let same = families[family].positions[Self.text(labels)] {
                families[family].series[same].parts.append(part)
            } else {
                families[family].positions[Self.text(labels)] = families[family].series.count
                families[family].series.append(Series(labels: labels, parts: [part]))
            }
        }
    }

    private static func print(_ series: Series, of name: String, into text: inout String) {
        var sum = 0
        var decimal: Double?
        var histogram: Histogram.Counts?
        for part in series.parts {
            switch part {
            case .number(let read): sum += read()
            case .numberAtTimes(let read):
                guard let number = read() else { return }
                sum += number
            case .decimal(let read): decimal = read() + (decimal ?? 0)
            case .histogram(let part): histogram = part.counts + histogram
            }
        }
        guard let histogram else {
            text += "\(name)\(Self.text(series.labels)) \(decimal.map { "\($0)" } ?? "\(sum)")\n"
            return
        }
        var total = 0
        for (bucket, count) in histogram.buckets.enumerated() {
            total += count
            let bound = bucket < Histogram.bounds.count ? Histogram.bounds[bucket].label : "+Inf"
            text += "\(name)_bucket\(Self.text(series.labels + [("le", bound)])) \(total)\n"
        }
        let labels = Self.text(series.labels)
        text += "\(name)_sum\(labels) \(Double(histogram.sum) / 1_000_000)\n\(name)_count\(labels) \(total)\n"
    }

    private static func text(_ labels: [(String, String)]) -> String {
        if labels.isEmpty { return "" }
        return "{" + labels.map { "\($0.0)=\"\(value($0.1))\"" }.joined(separator: ",") + "}"
    }

    /// The text without what would end a label or a line. It looks at scalars: a quotation mark with an accent behind it is one character.
    private static func value(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" && $0 != "\u{7F}" }))
    }
}

package final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    package init() {}
    package var value: Int { count.load(ordering: .relaxed) }
    package func increment(by amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }
    /// For gauges that are kept as a running count.
    package func decrement() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// How long some work took, since the process started.
package struct MetricTimes: Sendable {
    package let label: String
    fileprivate let buckets: [Int]

    /// How often the work was done.
    package var count: Int { buckets.reduce(0, +) }

    /// The seconds within which this share of the work was done, rounded up to the next bound of the histogram; `nil` for more than 10 s, and
    /// where nothing was done.
    package func bound(of share: Double) -> Double? {
        let wanted = Int((Double(count) * share).rounded(.up))
        var sum = 0
        for (bucket, bound) in zip(buckets, Histogram.bounds) {
            sum += bucket
            if sum >= wanted, sum > 0 { return Double(bound.microseconds) / 1_000_000 }
        }
        return nil
    }
}

/// A distribution of durations: counts in fixed buckets from 100 µs to 10 s.
package final class Histogram: Sendable {
    static let bounds: [(microseconds: UInt64, label: String)] = [
        (100, "0.0001"), (250, "0.00025"), (500, "0.0005"), (1_000, "0.001"), (2_500, "0.0025"), (5_000, "0.005"),
        (10_000, "0.01"), (25_000, "0.025"), (50_000, "0.05"), (100_000, "0.1"), (250_000, "0.25"), (500_000, "0.5"),
        (1_000_000, "1"), (2_500_000, "2.5"), (10_000_000, "10"),
    ]
    private let buckets = (0...bounds.count).map { _ in Counter() }
    private let sum = Counter()

    package func record(microseconds: UInt64) {
        var index = 0
        while index < Self.bounds.count, microseconds > Self.bounds[index].microseconds { index += 1 }
        buckets[index].increment()
        sum.increment(by: Int(clamping: microseconds))
    }

    fileprivate struct Counts {
        var buckets: [Int]
        var sum: Int

        static func + (left: Self, right: Self?) -> Self {
            guard let right else { return left }
            return Counts(buckets: zip(left.buckets, right.buckets).map { $0 + $1 }, sum: left.sum + right.sum)
        }
    }

    fileprivate var counts: Counts { Counts(buckets: buckets.map(\.value), sum: sum.value) }
}
