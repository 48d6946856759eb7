import TestKit
import Testing
import Text

@testable import Runtime

@Suite struct TextTests {
    @Test func `escapes JSON strings`() {
        var text = ""
        text.appendJSON("a\"b\\c\n\r\t\u{1}\u{1F}ä\u{7F}\u{85}\u{2028}")
        #expect(text == "\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u001fä\\u007f\\u0085\\u2028\"")
    }

    @Test func `SEC-67 a value stays in its line of the log`() {
        for hostile in HostileText.all {
            var text = ""
            text.appendJSON(hostile.asString)
            #expect(
                text.unicodeScalars.allSatisfy { scalar in
                    ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                        && !("\u{202A}"..."\u{202E}").contains(scalar) && !("\u{2066}"..."\u{2069}").contains(scalar)
                }, "\(text)")
        }
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_792_000_000_123_456, "2026-10-14T17:46:40.123Z"), (-1, "1969-12-31T23:59:59.999Z"),
    ])
    func `writes timestamps`(microseconds: Int64, expected: String) {
        #expect(Timestamp.text(Instant(microseconds: microseconds)) == expected)
    }

    @Test func `SEC-21 never prints a secret`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)"] {
            #expect(!text.contains("hunter2"))
        }
        #expect(secret.reveal() == "hunter2")
    }

    @Test func `rounds instants down and adds durations`() {
        #expect(Instant(microseconds: -1).seconds == -1)
        #expect(Instant(microseconds: 1_999_999).seconds == 1)
        #expect(Instant(seconds: 5) - Instant(seconds: 3) == .seconds(2))
        #expect(Instant(seconds: 5) - .milliseconds(1) == Instant(microseconds: 4_999_000))
        #expect(Instant(microseconds: -1_000_000).seconds == -1 && Instant(microseconds: -1_000_001).seconds == -2)
        #expect(MonotonicTime(nanoseconds: 5) + .seconds(-1) == MonotonicTime(nanoseconds: 5))
        #expect(MonotonicTime(nanoseconds: 1).microseconds(since: MonotonicTime(nanoseconds: 2000)) == 0)
    }

    @Test func `ends at the first and the last instant, whatever time a stranger names`() {
        let (first, last) = (Instant(microseconds: .min), Instant(microseconds: .max))
        #expect(Instant(seconds: .max) == last && Instant(seconds: .min) == first)
        #expect(last + .seconds(60) == last && first - .seconds(60) == first)
        #expect(first + .seconds(-60) == first && last - .seconds(-60) == last)
        #expect(last - first == .microseconds(Int64.max) && first - last == .microseconds(Int64.min))
        #expect(first.seconds == -9_223_372_036_855 && last.seconds == 9_223_372_036_854)
    }
}
