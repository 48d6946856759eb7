@testable import Accounts
@testable import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

/// Tests that refreshes which share a commit get the answers that each would get alone.
@Suite struct RefreshesTogetherTests {
    private struct Refresh {
        let token: String
        var fixture: Fixture
        /// The account's address and the generation of the next token, or the name of the refusal.
        let answer: String

        func run() async -> String {
            do {
                let (account, session) = try await fixture.sessions.refresh(token, in: fixture.project)
                return "\(account.email ?? "") \(session.generation)"
            } catch { return "\(error)" }
        }
    }

    private func runTogether(_ refreshes: [Refresh], _ database: isolated Database) async -> [String] {
        let tasks = refreshes.map { refresh in
            Task {
                _ = database
                return await refresh.run()
            }
        }
        var answers: [String] = []
        for task in tasks { answers.append(await task.value) }
        return answers
    }

    /// The time so many seconds ago.
    private func ago(_ seconds: Int64, _ fixture: Fixture) -> Instant { fixture.time.clock.now() - .seconds(seconds) }

    /// One refresh for each thing that can be the case with a session, with the first token of that session.
    private func cases() async throws -> [Refresh] {
        let fixture = try await Fixture.forCodes()
        fixture.time.advance(.seconds(10 * 86400))
        var refreshes: [Refresh] = []
        @discardableResult
        func add(_ answer: String, _ name: String, session change: SQL? = nil, account accountChange: SQL? = nil) async throws -> Session {
            let (account, session, _) = try await fixture.signUp("\(name)@example.com")
            if let change { _ = try await fixture.database.write("UPDATE sessions SET \(change) WHERE session_id = \(session.id)") }
            if let accountChange { _ = try await fixture.database.write("\(accountChange) WHERE account_id = \(account.id)") }
            refreshes.append(
                Refresh(token: fixture.sessions.refreshToken(for: session, in: fixture.project), fixture: fixture, answer: answer))
            return session
        }
        let ada = try await add("ada@example.com 1", "ada")
        try await add("lost@example.com 1", "lost", session: "generation = 1, rotated_at = \(ago(59, fixture))")
        try await add("late@example.com 1", "late", session: "generation = 1, rotated_at = \(ago(61, fixture))")
        try await add("sessionEnded", "shared", session: "generation = 1, rotated_at = \(ago(61, fixture)), late_repeats = 4")
        try await add("raced@example.com 1", "raced", session: "generation = 2, rotated_at = \(ago(29, fixture))")
        try await add("sessionEnded", "used", session: "generation = 2, rotated_at = \(ago(31, fixture))")
        try await add("sessionEnded", "ended", session: "ended_at = \(ago(1, fixture)), end_reason = 'test'")
        try await add("accountDisabled", "disabled", account: "UPDATE accounts SET disabled = true")
        try await add("sessionEnded", "revoked", account: "UPDATE accounts SET valid_since = \(ago(-5, fixture))")
        try await add("touched@example.com 1", "touched", account: "UPDATE accounts SET last_refresh_at = \(ago(299, fixture))")
        try await add("due@example.com 1", "due", account: "UPDATE accounts SET last_refresh_at = \(ago(301, fixture))")
        try await add("accountNotFound", "gone", account: "DELETE FROM accounts")
        try await add("sessionEnded", "idle", session: "refreshed_at = \(ago(86401, fixture))")
        refreshes[refreshes.count - 1].fixture.project.sessions.idle = .seconds(86400)
        try await add("static@example.com 0", "static")
        refreshes[refreshes.count - 1].fixture.project.sessions.refresh = .static
        refreshes.append(refreshes[0])

        // A session of another project with the id of Ada's.
        var other = fixture
        (other.project.id, other.project.storageID, other.project.number) = ("other", "other", fixture.project.number + 1)
        _ = try await fixture.database.write(all: [
            """
            INSERT INTO accounts (project_id, account_id, email, email_verified, valid_since, created_at)
            SELECT 'other', account_id, 'twin@example.com', false, valid_since, created_at FROM accounts WHERE account_id = \(ada.accountID)
            """,
            """
            INSERT INTO sessions (project_id, session_id, account_id, sign_in_provider, auth_time, rotated_at, created_at, refreshed_at)
            SELECT 'other', session_id, account_id, sign_in_provider, auth_time, rotated_at, created_at, refreshed_at
            FROM sessions WHERE session_id = \(ada.id)
            """,
        ])
        refreshes.append(
            Refresh(token: other.sessions.refreshToken(for: ada, in: other.project), fixture: other, answer: "twin@example.com 1"))
        return refreshes
    }

    /// The state of all sessions and accounts that a refresh changes.
    private func state(_ database: Database) async throws -> [String] {
        try await database.query(
            """
            SELECT concat_ws(' ', project_id, a.email, generation, rotated_at, s.refreshed_at, late_repeats, late_generations, ended_at,
                end_reason, a.last_refresh_at)
            FROM sessions s LEFT JOIN accounts a USING (project_id, account_id) ORDER BY 1
            """
        ).map { try $0.value(as: String.self) }
    }

    @Test func `gives and keeps of several refreshes in one turn what each would alone`() async throws {
        let (alone, together) = (try await cases(), try await cases())
        for refresh in alone { #expect(await refresh.run() == refresh.answer) }
        #expect(await runTogether(together, together[0].fixture.database) == together.map(\.answer))
        let state = try await state(together[0].fixture.database)
        #expect(try await self.state(alone[0].fixture.database) == state)
        #expect(state.contains { $0.contains("two holders") } && state.contains { $0.contains("token reused") })
    }

    @Test func `refreshes two sessions of one account at once`() async throws {
        let fixture = try await Fixture()
        var refreshes: [Refresh] = []
        for _ in 1...2 {
            let session = try await fixture.signIn(Fixture.ada()).session
            let token = fixture.sessions.refreshToken(for: session, in: fixture.project)
            refreshes.append(Refresh(token: token, fixture: fixture, answer: " 1"))
        }
        let answers = await runTogether(refreshes, fixture.database)
        #expect(answers == refreshes.map(\.answer))
        #expect(try await fixture.database.query("SELECT 1 FROM accounts WHERE last_refresh_at = \(ago(0, fixture))").count == 1)
    }
}
