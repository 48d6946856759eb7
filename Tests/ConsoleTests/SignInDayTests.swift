import HTTP
import Pages
import ProjectSettings
import Projects
import Runtime
import TestApp
import TestKit
import Testing

@testable import Accounts
@testable import Console
@testable import Migration

/// What the overview of a project shows of its sign-ins.
@Suite struct SignInDayTests {
    private static let start = Instant(seconds: 1_800_000_000)

    private func count(_ piece: Int, _ provider: String, _ outcome: String, _ count: Int, code: String? = nil) -> SignInLogReader.Count {
        SignInLogReader.Count(
            start: Self.start + SignInDay.step * piece, provider: provider, outcome: outcome, code: code, count: count)
    }

    @Test func `adds up by half hour, by way and by reason`() {
        let day = SignInDay(
            [
                count(0, "password", "signed_in", 3), count(0, "password", "created", 2),
                count(0, "password", "refused", 4, code: "wrongPassword"),
                count(47, "google.com", "linked", 45), count(47, "google.com", "provider_unavailable", 5, code: "outage"),
                count(47, "google.com", "needs_confirmation", 9), count(48, "google.com", "signed_in", 1),
                count(1, "x", "of a later version", 1),
            ], from: Self.start)
        #expect(day.succeeded[0] == 5 && day.succeeded[47] == 45 && day.succeeded.reduce(0, +) == 50)
        #expect(day.refused[0] == 4 && day.refused[47] == 5 && day.refused.reduce(0, +) == 9)
        #expect(day.providers.map(\.id) == ["google.com", "password", "x"])
        #expect(day.providers[1].created == 2 && day.providers[1].succeeded == 5 && day.providers[1].refused == 4)
        #expect(day.reasons.map(\.code) == ["outage", "wrongPassword"] && day.reasons.map(\.count) == [5, 4])
        #expect(day.ratePerMinute == "1.5")
    }

    @Test func `a plot has one bar for each half hour with a sign-in, and the smallest can be seen`() {
        let day = SignInDay([count(0, "password", "signed_in", 1), count(2, "password", "signed_in", 4000)], from: Self.start)
        let values = SignInPlot(name: "succeeded", counts: day.succeeded, day: day).values
        guard case .list(let bars) = values["bars"] else {
            Issue.record("no bars")
            return
        }
        #expect(bars.map { $0["x"] } == [.text("0"), .text("20")])
        #expect(bars.map { $0["height"] } == [.text("1"), .text("100")] && bars.map { $0["y"] } == [.text("99"), .text("0")])
        #expect(values["total"] == .text("4001") && values["most"] == .text("4000"))
        let empty = SignInPlot(name: "refused", counts: day.refused, day: day).values
        #expect(empty["bars"] == .list([]) && empty["most"] == .text("0"))
    }

    @Test func `every reason that has a word is said in words, with what stands behind its colon`() {
        let pages = PageSet(ConsoleTemplates.files)
        for code in RefusalWords.codes {
            guard case .word(let name, _) = RefusalWords.word(code) else {
                Issue.record("\(code)")
                return
            }
            #expect(pages.has(name, for: "overview"), "\(code)")
        }
        #expect(
            RefusalWords.word("tooManyAttempts: password perAccount")
                == .word("refusedTooManyAttempts", ["refusedDetail": .text("password perAccount")]))
        #expect(RefusalWords.word("of a later\u{202E} version") == .text("of a later[U+202E] version"))
    }
}

/// What the overview of a project shows of people who come from Firebase.
@Suite struct MovesTests {
    @Test func `every outcome has words, and what happened in another project or not at all is left out`() {
        let pages = PageSet(ConsoleTemplates.files)
        let project = ProjectSettings(id: "demo", number: 1, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        let metrics = Metrics()
        let exchanges = OutcomeCounters<ExchangeOutcome>(metrics)
        let imports = JustInTimeImports.Shared(metrics: metrics).metrics
        #expect(Moves(metrics, in: project).rows.isEmpty)
        for outcome in ExchangeOutcome.allCases { exchanges.count(outcome, in: "demo") }
        for outcome in JustInTimeImports.Outcome.allCases { imports.count(outcome, 2, in: "demo") }
        imports.count(.imported, in: "demo")
        imports.count(.imported, in: "other")
        let rows = Moves(metrics, in: project).rows
        #expect(rows.count == ExchangeOutcome.allCases.count + JustInTimeImports.Outcome.allCases.count)
        #expect(rows.contains(["move": .word("personImported"), "moveCount": .text("3")]))
        for case .word(let name, _) in rows.compactMap({ $0["move"] }) { #expect(pages.has(name, for: "overview"), "\(name)") }
    }
}

/// The overview's pages, on a server.
@Suite(.takesTurns) struct OverviewTests {
    @Test func `a project's page counts its sign-ins, says why some were refused, and lists its tenants`() async throws {
        let app = try await TestApp(project: "signIn: {password: true}\ndynamicTenants: true", server: ConsoleBrowser.settings)
        let browser = ConsoleBrowser(app)
        try await browser.signIn(as: "viewer")
        let empty = await browser.get("/projects/demo/overview")
        #expect(empty.status == 200 && !empty.text.contains("<rect") && empty.text.contains("Signed in: 0"))
        let project = try #require(app.projects.current.project(id: "demo")).settings
        for (outcome, code) in [(SignInMetrics.Outcome.created, nil), (.refused, "wrongPassword"), (.refused, "<b>")] {
            app.accounts.signIns.note("password", outcome, code: code, of: nil, in: project, from: browser.client, at: Clock.system.now())
        }
        try await SignInLogWriter(app.accounts.signIns, database: app.database).write()
        let page = await browser.get("/projects/demo/overview").text
        #expect(page.contains("Signed in: 1") && page.contains("Refused: 2") && page.contains("<rect"))
        #expect(page.contains("The password is wrong.") && page.contains("&lt;b&gt;") && !page.contains("<b>"))
        #expect(await browser.get("/projects/demo/overview?live=on").text.contains("http-equiv=\"refresh\" content=\"10\""))
        let server = await browser.get("/").text
        #expect(server.contains("/projects/demo/overview") && server.contains("/projects/other/overview"))
    }
}
