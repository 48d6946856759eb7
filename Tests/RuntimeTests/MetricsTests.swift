import TestKit
import Testing
import Text

@testable import Runtime

@Suite struct MetricsTests {
    @Test func `prints counters, gauges and histograms`() {
        let metrics = Metrics()
        metrics.counter("requests_total", "Requests.", ["route": "/a", "status": "200"]).increment(by: 3)
        metrics.counter("requests_total", "Requests.", ["route": "/b", "status": "200"]).increment()
        metrics.gauge("open", "Open.") { 7 }
        let histogram = metrics.histogram("seconds", "Time.", ["route": "/a"])
        for microseconds in [100, 101, 2_000_000, 60_000_000] as [UInt64] { histogram.record(microseconds: microseconds) }
        let text = metrics.text()
        #expect(
            text.hasPrefix(
                """
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total{route="/a",status="200"} 3
                requests_total{route="/b",status="200"} 1
                # HELP open Open.
                # TYPE open gauge
                open 7
                # HELP seconds Time.
                # TYPE seconds histogram
                seconds_bucket{route="/a",le="0.0001"} 1
                seconds_bucket{route="/a",le="0.00025"} 2
                """))
        #expect(
            text.hasSuffix(
                """
                seconds_bucket{route="/a",le="1"} 2
                seconds_bucket{route="/a",le="2.5"} 3
                seconds_bucket{route="/a",le="10"} 3
                seconds_bucket{route="/a",le="+Inf"} 4
                seconds_sum{route="/a"} 62.000201
                seconds_count{route="/a"} 4

                """))
    }

    @Test func `SEC-67 a label stays one label, whatever is in it`() {
        for text in HostileText.all + ["\"\u{301}} 1\nforged_total 1", "a\r\nb", "\\\u{301}"] {
            let metrics = Metrics()
            metrics.counter("a_total", "A.", ["x": text.asString]).increment()
            let lines = metrics.text().unicodeScalars.split(separator: "\n")
            #expect(lines.count == 3 && lines.last?.filter { $0 == "\"" }.count == 2, "\(metrics.text())")
            #expect(metrics.text().unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
        }
    }

    @Test func `adds up what several loops count under one name`() {
        let metrics = Metrics()
        for loop in 1...2 {
            metrics.counter("a_total", "A.", ["x": "y"]).increment(by: loop)
            metrics.gauge("b", "B.") { 10 * loop }
            metrics.histogram("c", "C.").record(microseconds: 1)
        }
        let text = metrics.text()
        #expect(text.contains("a_total{x=\"y\"} 3\n"))
        #expect(text.contains("b 30\n"))
        #expect(text.contains("c_count 2\n"))
        #expect(text.split(separator: "\n").count { $0.hasPrefix("# TYPE") } == 3)
    }

    @Test func `SEC-75 is rendered once a second, however often it is asked for`() {
        let metrics = Metrics()
        let renderings = Counter()
        metrics.gauge("renderings", "How often.") {
            renderings.increment()
            return renderings.value
        }
        let start = MonotonicTime(nanoseconds: 5_000_000_000)
        let first = metrics.rendered(at: start)
        for microseconds in 0..<1000 { #expect(metrics.rendered(at: start + .milliseconds(microseconds)) == first) }
        #expect(metrics.rendered(at: start + .seconds(1)) != first)
        #expect(renderings.value == 2)
    }

    @Test func `prints counts that are kept elsewhere, and those with a fraction`() {
        let metrics = Metrics()
        metrics.counter("kept_total", "Kept.", ["kind": "a"]) { 7 }
        metrics.decimalCounter("seconds_total", "Seconds.") { 1.25 }
        let text = metrics.text()
        #expect(text.contains("# TYPE kept_total counter\nkept_total{kind=\"a\"} 7\n"))
        #expect(text.contains("# TYPE seconds_total counter\nseconds_total 1.25\n"))
    }

    @Test func `keeps a label value on its line`() {
        let metrics = Metrics()
        _ = metrics.counter("a_total", "A.", ["x": "y\"} 1\nb_total{z=\"\\"])
        #expect(metrics.text().hasSuffix("a_total{x=\"y} 1b_total{z=\"} 0\n"))
    }

    @Test func `adds counters up by a label, for the values of others`() {
        let metrics = Metrics()
        for (kind, project, number) in [("a", "p", 1), ("a", "p", 2), ("b", "p", 9), ("c", "q", 5)] {
            metrics.counter("a_total", "A.", ["kind": kind, "project": project]).increment(by: number)
        }
        let counts = metrics.counts(of: "a_total", by: "kind", where: ["project": "p"])
        #expect(counts.map(\.label) == ["b", "a"] && counts.map(\.count) == [9, 3])
        #expect(metrics.counts(of: "a_total", by: "project").map(\.count) == [12, 5])
        #expect(metrics.counts(of: "a_total", by: "other").isEmpty && metrics.counts(of: "b_total", by: "kind").isEmpty)
    }
}
