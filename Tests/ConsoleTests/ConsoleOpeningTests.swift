import Accounts
import HTTP
import TestApp
import TestKit
import Testing
import Text

@testable import Console

/// The way into the console without its provider.
@Suite(.takesTurns) struct ConsoleOpeningTests {
    private func use(_ code: String, at browser: ConsoleBrowser) async -> Response {
        await browser.send(.post, "/open", Array("code=\(code)".utf8))
    }

    @Test func `SEC-66 an address opens the console once, and for the browser that used it`() async throws {
        let browser = ConsoleBrowser(try await TestApp(server: ConsoleBrowser.settings))
        (browser.peer, browser.host) = (.loopback, "localhost:8081")
        let openings = browser.app.accounts.operators.openings
        let code = try await openings.make(reason: "the provider is down", from: nil, by: "console open")
        try await browser.signIn(as: "admin")
        let former = ConsoleBrowser(browser.app)
        (former.peer, former.host, former.cookie) = (.loopback, "localhost:8081", browser.cookie)
        #expect(await former.get("/").status == 200)
        #expect(await use("A", at: former).status == 403)
        #expect(await former.get("/").status == 200, "a code that is refused ends no session")
        // To look at the page, as a mail scanner does, uses nothing up.
        #expect(await browser.get("/open?code=\(code)").status == 200)
        #expect(await use(code, at: browser).status == 303)
        #expect(await browser.get("/").text.contains("break-glass"))
        #expect(await former.get("/").status == 303, "the browser's former session has ended")
        let second = ConsoleBrowser(browser.app)
        (second.peer, second.host) = (.loopback, "localhost:8081")
        #expect(await use(code, at: second).status == 403)
        #expect(await use("A", at: second).status == 403)
        // The session answers to its own address alone.
        second.cookie = browser.cookie
        (second.peer, second.host) = (Address("203.0.113.7") ?? .loopback, "console.example.com")
        #expect(await second.get("/").status == 303)

        let events = try await AuditEvents(database: browser.app.database).list(limit: 10, in: AuditEvents.server).filter {
            $0.actor != "admin"
        }
        #expect(events.map(\.action) == ["console.opened", "console.signedIn"])
        #expect(events.map(\.actor) == ["console open", "break-glass"])
        #expect(events.allSatisfy { $0.details.contains("the provider is down") })
    }

    @Test func `SEC-66 an address works from one client alone`() async throws {
        let browser = ConsoleBrowser(try await TestApp(server: ConsoleBrowser.settings))
        let openings = browser.app.accounts.operators.openings
        let local = try await openings.make(reason: "a test", from: nil, by: "console open")
        #expect(await use(local, at: browser).status == 403)
        let own = try await openings.make(reason: "a test", from: browser.peer.description, by: "console open")
        let other = ConsoleBrowser(browser.app)
        other.peer = Address("203.0.113.10") ?? .loopback
        #expect(await use(own, at: other).status == 403)
        browser.site = "cross-site"
        #expect(await use(own, at: browser).status == 403)
        browser.site = "same-origin"
        #expect(await use(own, at: browser).status == 303)
    }
}
