import Testing

@testable import ProjectSettings

@Suite struct RateTests {
    @Test func `reads a rate as the project file writes it`() {
        #expect(Rate("60 per 10m") == Rate(60, per: .seconds(600)))
        #expect(Rate("1 per 30d")?.description == "1 per 30d")
    }

    @Test(
        arguments: [
            "", "60", "60 per", "60/10m", "0 per 1m", "-1 per 1m", "+1 per 1m", "1.5 per 1m", "1000001 per 1m", "1 per 0s", "1 per 31d",
            "1 per 1", "1 per 1m now", "none", "99999999999999999999 per 1m",
        ])
    func `takes nothing else for a rate`(text: String) { #expect(Rate(text) == nil) }
}
