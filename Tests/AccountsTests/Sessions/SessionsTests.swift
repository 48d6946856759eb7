@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct SessionsTests {
    private func signedIn() async throws -> (Fixture, token: String) {
        let fixture = try await Fixture()
        let (_, session, _) = try await fixture.signIn(Fixture.ada())
        return (fixture, fixture.sessions.refreshToken(for: session, in: fixture.project))
    }

    private func refresh(_ token: String, _ fixture: Fixture) async throws -> String {
        let (_, session) = try await fixture.sessions.refresh(token, in: fixture.project)
        return fixture.sessions.refreshToken(for: session, in: fixture.project)
    }

    private func isEnded(_ error: any Error) -> Bool { if case AccountError.sessionEnded = error { true } else { false } }

    @Test func `gives a new token each time the newest is presented`() async throws {
        let (fixture, first) = try await signedIn()
        let second = try await refresh(first, fixture)
        let third = try await refresh(second, fixture)
        #expect(Set([first, second, third]).count == 3)
    }

    @Test func `keeps the moment of authentication and the provider through every refresh`() async throws {
        let (fixture, first) = try await signedIn()
        let start = fixture.time.clock.now()
        fixture.time.advance(.seconds(4000))
        let (_, session) = try await fixture.sessions.refresh(first, in: fixture.project)
        #expect(session.authTime == start)
        #expect(session.signInProvider == "oidc.acme")
    }

    @Test func `gives the same successor at any time, while that was never presented`() async throws {
        let (fixture, first) = try await signedIn()
        let second = try await refresh(first, fixture)
        fixture.time.advance(.seconds(86400))
        #expect(try await refresh(first, fixture) == second)
    }

    @Test func `SEC-06 gives one successor to a hundred refreshes at once`() async throws {
        let (fixture, first) = try await signedIn()
        let successors = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await refresh(first, fixture) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
    }

    @Test func `takes the old token for thirty seconds after its successor was presented`() async throws {
        let (fixture, first) = try await signedIn()
        let second = try await refresh(first, fixture)
        _ = try await refresh(second, fixture)
        fixture.time.advance(.seconds(29))
        #expect(try await refresh(first, fixture) == second)
    }

    @Test func `SEC-06 ends the session when a token comes back that was used up`() async throws {
        let (fixture, first) = try await signedIn()
        let second = try await refresh(first, fixture)
        let third = try await refresh(second, fixture)
        fixture.time.advance(.seconds(31))
        await #expect { try await refresh(first, fixture) } throws: { isEnded($0) }
        await #expect { try await refresh(third, fixture) } throws: { isEnded($0) }
        #expect(fixture.metrics.text().contains("gatehouse_refresh_tokens_reused_total 1\n"))
    }

    /// Owner and thief take turns, each with the newest token it knows.
    @Test(arguments: [61, 3600])
    func `SEC-74 two holders who keep step are found within three rounds`(pause: Int) async throws {
        let (fixture, first) = try await signedIn()
        var token = first
        for _ in 1...2 {
            let next = try await refresh(token, fixture)
            fixture.time.advance(.seconds(pause))
            #expect(try await refresh(token, fixture) == next)
            fixture.time.advance(.seconds(pause))
            token = next
        }
        let last = try await refresh(token, fixture)
        fixture.time.advance(.seconds(pause))
        let used = token
        await #expect { try await refresh(used, fixture) } throws: { isEnded($0) }
        await #expect { try await refresh(last, fixture) } throws: { isEnded($0) }
        let reasons = try await fixture.database.query("SELECT end_reason FROM sessions")
        #expect(try reasons[0].value(as: String.self) == "two holders of its refresh token")
        #expect(try await fixture.database.query("SELECT 1 FROM audit_events WHERE action = 'clientSession.stolen'").count == 1)
        #expect(fixture.metrics.text().contains("gatehouse_refresh_tokens_reused_total 1\n"))
    }

    @Test func `SEC-74 late repeats that are more than ten generations old count no more`() async throws {
        let (fixture, first) = try await signedIn()
        var token = first
        for late in [true, true] + Array(repeating: false, count: 9) + [true, true] {
            let next = try await refresh(token, fixture)
            if late {
                fixture.time.advance(.seconds(61))
                #expect(try await refresh(token, fixture) == next)
            }
            token = next
        }
    }

    @Test func `SEC-74 five late repeats of one token mean two holders`() async throws {
        let (fixture, first) = try await signedIn()
        let second = try await refresh(first, fixture)
        for _ in 1...4 {
            fixture.time.advance(.seconds(61))
            #expect(try await refresh(first, fixture) == second)
        }
        fixture.time.advance(.seconds(61))
        await #expect { try await refresh(first, fixture) } throws: { isEnded($0) }
    }

    @Test func `SEC-74 a phone whose answer was lost comes back after thirty days`() async throws {
        let (fixture, first) = try await signedIn()
        let lost = try await refresh(first, fixture)
        fixture.time.advance(.seconds(30 * 86400))
        let found = try await refresh(first, fixture)
        #expect(found == lost)
        _ = try await refresh(found, fixture)
    }

    @Test func `SEC-74 two tabs that race at every refresh for a day are never signed out`() async throws {
        var (fixture, token) = try await signedIn()
        for round in 0..<24 {
            let next = try await refresh(token, fixture)
            fixture.time.advance(.seconds(round * 60 / 23))
            #expect(try await refresh(token, fixture) == next)
            fixture.time.advance(.seconds(3540))
            token = next
        }
    }

    @Test func `ends a session that was idle for as long as the project says, counted from its last refresh`() async throws {
        var (fixture, token) = try await signedIn()
        fixture.project.sessions.idle = .seconds(86400)
        for _ in 0..<3 {
            fixture.time.advance(.seconds(86399))
            token = try await refresh(token, fixture)
        }
        fixture.time.advance(.seconds(86400))
        let (idle, last) = (fixture, token)
        await #expect { try await refresh(last, idle) } throws: { isEnded($0) }
        fixture.project.sessions.idle = nil
        _ = try await refresh(token, fixture)
    }

    @Test func `cleans up what was idle, of the projects that say so`() async throws {
        var (fixture, token) = try await signedIn()
        fixture.time.advance(.seconds(365 * 86400))
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400)))
        try await cleanup.endIdleSessions(of: [fixture.project])
        token = try await refresh(token, fixture)
        fixture.project.sessions.idle = .seconds(86400)
        fixture.time.advance(.seconds(86400 + 3600))
        try await cleanup.endIdleSessions(of: [fixture.project])
        #expect(try await fixture.database.query("SELECT 1 FROM sessions WHERE ended_at IS NOT NULL").isEmpty)
        fixture.time.advance(.seconds(1))
        try await cleanup.endIdleSessions(of: [fixture.project])
        #expect(try await fixture.database.query("SELECT 1 FROM sessions WHERE end_reason = 'idle'").count == 1)
        fixture.time.advance(.seconds(31 * 86400))
        try await cleanup.run()
        #expect(try await fixture.database.query("SELECT 1 FROM sessions").isEmpty)
    }

    @Test func `ends idle sessions in pieces, and leaves those that are old and in use`() async throws {
        var fixture = try await Fixture()
        var tokens: [String] = []
        for number in 0..<7 {
            let (_, session, _) = try await fixture.signIn(Fixture.ada(subject: "person \(number)"))
            tokens.append(fixture.sessions.refreshToken(for: session, in: fixture.project))
            fixture.time.advance(.seconds(60))
        }
        fixture.project.sessions.idle = .seconds(86400)
        fixture.time.advance(.seconds(86400))
        var patient = fixture
        patient.project.sessions.idle = nil
        tokens[3] = try await refresh(tokens[3], patient)
        fixture.time.advance(.seconds(7200))
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400)))
        try await cleanup.endIdleSessions(of: [fixture.project], piece: 2)
        #expect(try await fixture.database.query("SELECT 1 FROM sessions WHERE end_reason = 'idle'").count == 6)
        _ = try await refresh(tokens[3], fixture)
    }

    @Test func `finds idle sessions by index, whatever the size of the table`() async throws {
        let fixture = try await Fixture()
        let now = fixture.time.clock.now()
        _ = try await fixture.database.write(
            """
            INSERT INTO sessions (project_id, session_id, account_id, sign_in_provider, auth_time, rotated_at, created_at, refreshed_at)
            SELECT 'demo', decode(lpad(to_hex(n), 32, '0'), 'hex'), 'a', 'custom', \(now), \(now), \(now), \(now) FROM generate_series(1, 20000) n
            """)
        _ = try await fixture.database.write("ANALYZE sessions")
        let piece = Cleanup.idlePiece("demo", Instant(seconds: 0), [], now, now, 1000)
        let plan = try await fixture.database.query("EXPLAIN \(piece)")
        let text = try plan.map { try $0.value(as: String.self) }.joined(separator: "\n")
        #expect(text.contains("sessions_open"))
        #expect(!text.contains("Seq Scan"))
    }

    @Test func `ends with the revocation of the account's sessions, for ID tokens too`() async throws {
        let fixture = try await Fixture()
        try await fixture.loadSigningKeys()
        let (account, session, _) = try await fixture.signIn(Fixture.ada())
        let idToken = try fixture.accounts.idTokens.issue(for: account, session, in: fixture.project)
        #expect(try await fixture.accounts.idTokens.account(of: idToken, in: fixture.project).0.id == account.id)
        fixture.time.advance(.seconds(2))
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        let token = fixture.sessions.refreshToken(for: session, in: fixture.project)
        await #expect { try await refresh(token, fixture) } throws: { isEnded($0) }
        await #expect { try await fixture.accounts.idTokens.account(of: idToken, in: fixture.project) } throws: { isEnded($0) }
    }

    @Test func `refuses garbage and another project's token`() async throws {
        let (fixture, token) = try await signedIn()
        await #expect { try await refresh("garbage", fixture) } throws: {
            if case AccountError.invalidRefreshToken = $0 { true } else { false }
        }
        var other = fixture
        other.project.number += 1
        await #expect { try await refresh(token, other) } throws: { if case AccountError.wrongProject = $0 { true } else { false } }
    }
}
