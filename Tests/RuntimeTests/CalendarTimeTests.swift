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

    @Test(arguments: [0, 784_111_777, 1_795_329_901, 1_835_395_200] as [Int64])
    func `reads the date of an answer as it was written`(seconds: Int64) {
        #expect(InternetDate.instant(http: InternetDate.http(Instant(seconds: seconds)))?.seconds == seconds)
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37 +0000", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Mon, 31 Jun 2026 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    ])
    func `reads no other date of an answer`(text: String) {
        #expect(InternetDate.instant(http: text) == nil)
    }
}
