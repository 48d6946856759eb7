@testable import Accounts
import HTTP
import JSON
import Pages
import Postgres
import ProjectSettings
import Projects
import Runtime
import TestApp
import TestKit
import Testing
import Text

@testable import Console

/// What the console says of refused sign-ins at providers, and of what limits refused.
@Suite(.takesTurns) struct RefusalPagesTests {
    private static let project = """
        providers: {google.com: {clientId: c, clientSecret: {env: MASTER_KEY}}, github.com: {clientId: c, clientSecret: {env: MASTER_KEY}}}
        signIn: {password: true}
        limits: {password: {perAccountAndAddress: 1 per 1h}, signUp: {perAddress: 1 per 1h}}
        """

    private func browser() async throws -> ConsoleBrowser {
        let browser = ConsoleBrowser(try await TestApp(project: Self.project, server: ConsoleBrowser.settings))
        try await browser.signIn(as: "viewer")
        return browser
    }

    private func settings(_ browser: ConsoleBrowser) throws -> ProjectSettings {
        try #require(browser.app.projects.current.project(id: "demo")).settings
    }

    private func writeLog(_ browser: ConsoleBrowser) async throws {
        try await SignInLogWriter(browser.app.accounts.signIns, database: browser.app.database).write()
    }

    @Test func `a provider has its sign-ins of a day, and the last refusal in words`() async throws {
        let browser = try await browser()
        let (project, now) = (try settings(browser), Clock.system.now())
        func note(_ outcome: SignInMetrics.Outcome, _ code: String? = nil, ago minutes: Int64) {
            browser.app.accounts.signIns.note(
                "google.com", outcome, code: code, of: nil, in: project, from: browser.client, at: now - .seconds(minutes * 60))
        }
        note(.providerUnavailable, "outage", ago: 1500)
        for minutes: Int64 in [1, 2, 1439, 1441] { note(.signedIn, ago: minutes) }
        note(.created, ago: 3)
        note(.needsConfirmation, ago: 3)
        note(.refused, "declined", ago: 9)
        note(.refused, "misconfigured", ago: 8)
        try await writeLog(browser)
        let page = await browser.get("/projects/demo/providers").text
        let parts = page.split(separator: "<h2>").map(String.init)
        let (google, github) = (try #require(parts.first { $0.hasPrefix("Google") }), try #require(parts.first { $0.hasPrefix("GitHub") }))
        #expect(google.contains("<dt>Sign-ins in 24 hours</dt><dd>4</dd>") && google.contains("<dt>Refused in 24 hours</dt><dd>2</dd>"))
        let time = Timestamp.minute(now - .seconds(480))
        #expect(google.contains("<dd>\(time) · <bdi>The provider refuses the client of the project&#39;s file.</bdi></dd>"))
        #expect(github.contains("<dt>Sign-ins in 24 hours</dt><dd>0</dd>") && !github.contains("Last refused"))
        #expect(page.contains("gatehouse sign-ins list demo --refused --since 24h"))
    }

    @Test func `limits say what they refused: sign-ins of a day, and calls of this process`() async throws {
        let browser = try await browser()
        #expect(await browser.get("/projects/demo/limits").text.contains("No limit has refused anything."))
        browser.app.accounts.signIns.note(
            "password", .refused, code: "tooManyAttempts: password perAccount", of: nil, in: try settings(browser), from: browser.client,
            at: Clock.system.now() - .seconds(90_000))
        for number in 1...3 {
            _ = try await browser.app.post("signUp", ["email": .string("p\(number)@example.com"), "password": "first password"])
            _ = try await browser.app.post("signInWithPassword", ["email": "no@example.com", "password": "first password"])
        }
        try await writeLog(browser)
        let page = await browser.get("/projects/demo/limits").text
        for row in [
            "<th scope=\"row\">password</th><td>accountAndAddress</td><td class=\"number\">2</td><td class=\"number\">2</td>",
            "<th scope=\"row\">signUp</th><td>address</td><td class=\"number\">2</td><td class=\"number\">2</td>",
        ] { #expect(page.contains(row)) }
        #expect(!page.contains("<td>account</td><td class=\"number\">"))
        #expect(await browser.get("/projects/other/limits").text.contains("No limit has refused anything."))
    }

    @Test func `limits are ordered by what they refused`() {
        func total(_ code: String, _ count: Int) -> SignInLogReader.Total {
            SignInLogReader.Total(provider: "password", outcome: "refused", code: code, count: count, last: Instant(seconds: 0))
        }
        let refusals = LimitRefusals(
            signIns: [
                total("tooManyAttempts: password perAddress", 2), total("tooManyAttempts: password perAddress", 3),
                total("wrongPassword", 90), total("quotaExceeded: signUp", 7),
            ], calls: [.init(action: .sendSMS, scope: .number): 6, .init(action: .password, scope: .address): 1])
        let rows = refusals.rows.map { row in ["action", "scope", "signIns", "calls"].map { row[$0] } }
        #expect(
            rows == [
                [.text("signUp"), .text("project"), .text("7"), .text("0")], [.text("sendSMS"), .text("number"), .text("0"), .text("6")],
                [.text("password"), .text("address"), .text("5"), .text("1")],
            ])
    }
}
