import Testing

@testable import Runtime

@Suite struct CalendarTimeTests {
    @Test(
        arguments: [
            ("1970-01-01", 0), ("2026-11-22", 1_795_305_600), ("2026-11-22T06:45:01Z", 1_795_329_901), ("2028-02-29", 1_835_395_200),
        ] as [(String, Int64)])
    func `reads a date, and a date with a time in UTC`(text: String, seconds: Int64) {
        #expect(Instant(utc: text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "2027-02-29", "2026-13-01", "2026-1-1", "22.11.2026", "2026-11-22T06:45:01", "2026-11-22T25:00:00Z", "2026-11-2٢",
    ])
    func `reads nothing else`(text: String) {
        #expect(Instant(utc: text) == nil)
    }
}
