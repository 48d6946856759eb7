import Accounts
import HTTP
import JSON
import Postgres
import Runtime
import TestApp
import TestKit
import Testing
import Text

@testable import Console

/// The connections that the console has to the database for itself.
@Suite(.takesTurns) struct OwnConnectionsTests {
    private func browser() async throws -> ConsoleBrowser {
        let browser = ConsoleBrowser(try await TestApp(project: "signIn: {password: true}", server: ConsoleBrowser.settings))
        try await browser.signIn(as: "admin")
        return browser
    }

    /// Runs `body` while another session holds a table.
    private func holding(_ table: SQL, of app: TestApp, _ body: () async throws -> Void) async throws {
        try await app.database.transaction { transaction in
            _ = try await transaction.query("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
            try await body()
        }
    }

    @Test func `sessions of the console have its name, and one of the two only reads`() async throws {
        let browser = try await browser()
        // Its page reads, and its search is a transaction of its own.
        #expect(await browser.get("/projects/demo/users").status == 200)
        let names = try await browser.app.database.query(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse console'")
        #expect(try names.first?.value(as: Int.self) == 2)
        let metrics = browser.app.metrics
        for kind in ["read", "write"] {
            #expect(metrics.contains("gatehouse_database_connections{loop=\"console\",kind=\"\(kind)\"} 1"))
            #expect(metrics.contains("gatehouse_database_connections_max{loop=\"console\",kind=\"\(kind)\"} 1"))
        }
    }

    @Test(arguments: [("en-GB", "Other work in the database has locked"), ("de", "Ein anderer Vorgang in der Datenbank sperrt")])
    func `a page that meets a lock says so, and calls go on`(language: String, words: String) async throws {
        let browser = try await browser()
        browser.language = language
        try await holding("console_sessions", of: browser.app) {
            let page = await browser.get("/keys?live=on")
            #expect(page.status == 503 && page.headers["retry-after"] == "1" && page.text.contains(words))
            #expect(page.headers["content-type"] == "text/html; charset=utf-8" && page.text.contains("href=\"/keys?live=on\""))
            let call = try await browser.app.post("signUp", ["email": "ada@example.com", "password": "first password"])
            #expect(call.status == 200, "\(call.json)")
        }
        #expect(await browser.get("/keys").status == 200)
    }

    @Test func `an act that meets a lock says that it may have happened`() async throws {
        let browser = try await browser()
        try await holding("audit_events", of: browser.app) {
            let page = await browser.post("/projects/demo/limits/forget", ["person": "ada@example.com", "reason": "she called"])
            #expect(page.status == 503 && page.text.contains("may have been done") && !page.text.contains("id=\"again\""))
        }
    }

    @Test func `a statement of two seconds is given up`() async throws {
        let browser = try await browser()
        _ = try await browser.app.database.write(
            """
            CREATE FUNCTION slow() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN true; END $$
            """)
        _ = try await browser.app.database.write("ALTER TABLE signing_keys RENAME TO all_signing_keys")
        _ = try await browser.app.database.write(
            "CREATE VIEW signing_keys AS SELECT * FROM all_signing_keys WHERE slow()")
        let page = await browser.get("/keys")
        #expect(page.status == 503 && page.text.contains("took too long, and the console gave up"))
    }

    @Test func `the overview is there while calls have taken all connections of theirs`() async throws {
        let browser = try await browser()
        try await takingWrites(DatabaseSettings().writeConnections, of: browser.app) {
            let page = await browser.get("/")
            #expect(page.status == 200 && page.text.contains("Requests cannot be served: database unavailable: no answer within"))
        }
        #expect(await !browser.get("/").text.contains("Requests cannot be served"))
    }

    /// Runs `body` while so many connections for writes have something to do.
    private func takingWrites(_ count: Int, of app: TestApp, _ body: () async throws -> Void) async throws {
        if count == 0 { return try await body() }
        try await app.database.transaction { transaction in
            _ = try await transaction.query("SELECT 1")
            try await takingWrites(count - 1, of: app, body)
        }
    }

    @Test func `of many rotations at the same time one makes a key, and the others say why not`() async throws {
        let browser = try await browser()
        let path = "/keys/idToken/ES256/rotate"
        let form: Form = ["reason": "a drill", "token": UTF8Text(browser.token(for: path))]
        let request = browser.request(.post, path, Array(form.encoded().utf8))
        let app = browser.app
        let answers = await withTaskGroup(of: Response.self) { group in
            for _ in 0..<10 { group.addTask { await app.console(request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.status == 303 } == 1)
        let reasons = ["of an earlier rotation waits", "Another rotation, or other work in the database"]
        #expect(answers.count { answer in answer.status == 400 && reasons.contains { answer.text.contains($0) } } == 9)
    }

    @Test func `a rotation that meets another process says so, and makes nothing`() async throws {
        let browser = try await browser()
        let path = "/keys/idToken/ES256/rotate"
        try await browser.app.database.transaction { transaction in
            _ = try await transaction.query("LOCK TABLE signing_keys IN EXCLUSIVE MODE")
            let page = await browser.post(path, ["reason": "a drill"])
            #expect(page.status == 400 && page.text.contains("Another rotation, or other work in the database, holds the keys."))
        }
        #expect(await browser.post(path, ["reason": "a drill"]).status == 303)
    }
}
