import Accounts
import HTTP
import TestApp
import TestKit
import Testing
import Text

@testable import Console

/// Who gets into the console, and which requests change something there.
@Suite(.takesTurns) struct ConsoleAccessTests {
    private func browser() async throws -> ConsoleBrowser { ConsoleBrowser(try await TestApp(server: ConsoleBrowser.settings)) }

    /// Every path of the console, with something in place of what the braces stand for, but those of an operator's own way in.
    private static let paths = filled(Console.shown, Console.acts)
    private static let ownPaths = filled(Console.ownPages, Console.ownActs)

    private static func filled(_ pages: [any ConsolePart.Type], _ acts: [any ConsoleAct.Type]) -> [(HTTP.Method, String)] {
        let all = pages.map { (HTTP.Method.get, $0.path) } + acts.map { (HTTP.Method.post, $0.path) }
        return all.map { method, path in
            let parts = path.split(separator: "/").map { $0 == "{project}" ? "demo" : $0.hasPrefix("{") ? "nothing" : String($0) }
            return (method, "/" + parts.joined(separator: "/"))
        }
    }

    @Test func `a browser without a session is sent to the sign-in, and comes back to the page`() async throws {
        let browser = try await browser()
        for (method, path) in Self.paths + Self.ownPaths {
            let response = method == .get ? await browser.get(path) : await browser.post(path)
            let next = path == "/" || method == .post ? "" : "?next=\(path.replacing("/", with: "%2F"))"
            #expect(response.status == 303 && response.headers["location"] == UTF8Text("/sign-in\(next)"), "\(path)")
        }
        #expect(await browser.get("/sign-in?next=%2Fusers").text.contains("/sign-in/start?next=%2Fusers"))
        for foreign in ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example", "evil"] {
            #expect(await browser.get("/sign-in?next=\(foreign)").text.contains("/sign-in/start?next=%2F\""))
        }
    }

    @Test func `a page loads nothing, is not kept, and cannot be framed`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "admin")
        let page = await browser.get("/")
        #expect(page.status == 200 && page.text.contains("<h1>Overview</h1>"))
        let policy = page.headers["content-security-policy"]?.asString ?? ""
        for part in ["default-src 'none'", "style-src 'sha256-", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("script-src") && !policy.contains("unsafe"))
        for (name, value) in [
            ("cache-control", "no-store"), ("referrer-policy", "no-referrer"), ("x-content-type-options", "nosniff"),
            ("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin"), ("x-frame-options", "DENY"),
        ] { #expect(page.headers[name] == UTF8Text(value)) }
    }

    @Test func `the cookie is for this host alone, and for requests of its own pages`() async throws {
        let browser = try await browser()
        (browser.peer, browser.host) = (.loopback, "localhost:8081")
        let code = try await browser.app.accounts.operators.openings.make(reason: "a test", from: nil, by: "console open")
        let response = await browser.send(.post, "/open", Array("code=\(code)".utf8))
        let header = response.headers["set-cookie"]?.asString ?? ""
        for part in ["__Host-gatehouse_console=", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/"] {
            #expect(header.contains(part))
        }
        #expect(!header.lowercased().contains("domain"))
    }

    @Test func `SEC-64 a form of another page changes nothing`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "admin")
        let good = browser.token(for: "/sign-out")
        for (site, token) in [("cross-site", good), ("same-site", good), ("none", good), (nil, good), ("same-origin", "")] {
            browser.site = site
            #expect(await browser.post("/sign-out", token: token).status == 403)
        }
        browser.site = "same-origin"
        // The token of another form, and that of another session.
        #expect(await browser.post("/sign-out", token: browser.token(for: "/")).status == 403)
        let other = ConsoleBrowser(browser.app)
        try await other.signIn(as: "admin")
        #expect(await browser.post("/sign-out", token: other.token(for: "/sign-out")).status == 403)
        #expect(await browser.get("/").status == 200)
        #expect(await browser.post("/sign-out").status == 303)
        #expect(await browser.get("/").status == 303)
    }

    @Test func `SEC-64 a viewer can do none of the acts`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "viewer")
        for (method, path) in Self.paths where method == .post {
            #expect(await browser.post(path, ["reason": "a test"]).status == 403, "\(path)")
        }
        for act in Console.acts { #expect(act.role > .viewer, "\(act)") }
    }

    @Test func `an operator of some projects sees these alone`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "demo-only")
        let page = await browser.get("/").text
        #expect(page.contains("demo") && !page.contains("other"))
        for (method, path) in Self.paths where path.hasPrefix("/projects/") {
            let path = path.replacing("/demo/", with: "/other/")
            #expect((method == .get ? await browser.get(path) : await browser.post(path)).status == 404, "\(path)")
        }
        for (method, path) in Self.paths where path != "/" && !path.hasPrefix("/projects/") {
            #expect((method == .get ? await browser.get(path) : await browser.post(path)).status == 403, "\(path)")
        }
    }

    @Test func `a session ends with its operator's entry`() async throws {
        let browser = try await browser()
        let person = OperatorPerson(issuer: "https://staff.example.com", subject: "s-other")
        for name in ["gone", "admin"] {
            browser.cookie = try await browser.app.accounts.operators.sessions.begin(
                name, person, replacing: [], from: browser.client
            ).cookie
            #expect(await browser.get("/").status == 303)
        }
    }

    @Test func `SEC-65 a session of a person at a former provider opens nothing`() async throws {
        let browser = try await browser()
        let sessions = browser.app.accounts.operators.sessions
        // The file names this subject, which is a person of the provider that it has now.
        let person = OperatorPerson(issuer: "https://former.example.com", subject: "s-admin")
        browser.cookie = try await sessions.begin("admin", person, replacing: [], from: browser.client).cookie
        #expect(await browser.get("/").status == 303)
        try await browser.signIn(as: "admin")
        #expect(await browser.get("/").status == 200)
    }

    @Test func `another host's name is not the console's, and no other site may call it`() async throws {
        let browser = try await browser()
        try await browser.signIn(as: "admin")
        browser.host = "evil.example"
        #expect(await browser.get("/").status == 421)
        browser.host = "console.example.com"
        #expect(await browser.send(.options, "/").status == 405)
        let missing = await browser.get("/nothing")
        #expect(missing.status == 404 && missing.headers["access-control-allow-origin"] == nil)
    }

    @Test func `the API's listener has none of the console's pages`() async throws {
        let app = try await TestApp(server: ConsoleBrowser.settings)
        let more: [(HTTP.Method, String)] = [
            (.get, "/sign-in"), (.get, "/sign-in/start"), (.get, "/sign-in/return"), (.get, "/open"), (.post, "/open"),
            (.post, "/sign-out"), (.post, "/sign-in/passkey"),
        ]
        for (method, path) in Self.paths + Self.ownPaths + more where path != "/" {
            let response = await app.answer(
                Request(
                    method: method, path: path,
                    headers: ["host": "console.example.com", "content-type": "application/x-www-form-urlencoded"]))
            #expect(response.status == 404, "\(path)")
        }
    }
}
