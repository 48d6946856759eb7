import HTTP
import JSON
import Postgres
import Projects
import TestApp
import TestKit
import Testing
import Text

@Suite struct ReloadTests {
    /// A browser client's page redeems a code that does not exist.
    private static let redemption = Request(
        method: .post, path: "/demo/oauth2/token",
        headers: ["content-type": "application/x-www-form-urlencoded", "origin": "https://spa.example.com"],
        body: Array(
            "grant_type=authorization_code&client_id=spa&redirect_uri=https%3A%2F%2Fspa.example.com%2F&code=\(String(repeating: "A", count: 64))"
                .utf8))

    @Test func `a page may read the answer to a request that a reload overtakes, and the next one not`() async throws {
        let app = try await TestApp(
            project: "openIDProvider: {clients: [{id: spa, kind: browser, redirectURIs: [\"https://spa.example.com/\"]}]}\n")
        let answering = try await app.database.transaction { transaction in
            _ = try await transaction.query("LOCK TABLE authorization_requests IN ACCESS EXCLUSIVE MODE")
            let answering = Task { await app.answer(Self.redemption) }
            // By a connection for writes, since a read may have to wait behind the one that is held up.
            try await eventually {
                try await !app.database.write(
                    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                ).isEmpty
            }
            app.projects.replace(Projects([]))
            return answering
        }
        let answer = await answering.value
        #expect(try JSON.parse(answer.body)["error"]?.string == "invalid_grant")
        #expect(answer.headers["access-control-allow-origin"] == "https://spa.example.com")
        #expect(await app.answer(Self.redemption).headers["access-control-allow-origin"] == nil)
    }
}
