@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// How sign-ins come into the log, and what does not.
@Suite struct SignInLogTests {
    private let here = Session.ClientInfo(userAgent: "test", address: "203.0.113.77")

    private func entries(
        _ fixture: Fixture, newest limit: Int? = nil, in project: String = "demo",
        _ change: (inout SignInLogReader.Filter) -> Void = { _ in }
    ) async throws -> [SignInLogEntry] {
        var filter = SignInLogReader.Filter()
        change(&filter)
        var found: [SignInLogEntry] = []
        try await SignInLogReader(database: fixture.database).read(filter, newest: limit, in: project) { found += $0 }
        return found
    }

    private func lost(_ fixture: Fixture) -> [String] {
        fixture.metrics.lines(of: "gatehouse_sign_in_log_lost_total").filter { !$0.hasSuffix(" 0") }
    }

    private func write(_ fixture: Fixture) async throws {
        try await SignInLogWriter(fixture.signIns, database: fixture.database).write()
    }

    private func words(_ entries: [SignInLogEntry]) -> [String] {
        entries.map { [$0.provider, $0.outcome, $0.code, $0.accountID, $0.network].map { $0 ?? "-" }.joined(separator: " ") }
    }

    @Test func `has each sign-in and each refusal with its account and its network`() async throws {
        let fixture = try await Fixture()
        let rules = fixture.accounts.signIn
        let (ada, _) = try await rules.signUps.signUp(
            email: "ada@example.com", password: "correct horse", displayName: nil, in: fixture.project, from: here)
        for (email, password) in [("ada@example.com", "correct horse"), ("ada@example.com", "wrong"), ("no@example.com", "wrong")] {
            fixture.time.advance(.seconds(1))
            _ = try? await rules.passwords.signIn(email: email, password: password, in: fixture.project, from: here)
        }
        try await write(fixture)
        #expect(
            words(try await entries(fixture)) == [
                "password created - \(ada.id) 203.0.113.0/24", "password signed_in - \(ada.id) 203.0.113.0/24",
                "password refused wrongPassword \(ada.id) 203.0.113.0/24", "password refused unknownAddress - 203.0.113.0/24",
            ])
        #expect(try await entries(fixture, in: "other").isEmpty)
    }

    @Test func `a refresh is not a sign-in`() async throws {
        let fixture = try await Fixture()
        let (_, session, _) = try await fixture.signIn(Fixture.ada())
        _ = try await fixture.sessions.refresh(fixture.sessions.refreshToken(for: session, in: fixture.project), in: fixture.project)
        try await write(fixture)
        #expect(try await entries(fixture).map(\.outcome) == ["created"])
    }

    @Test func `a line costs a sign-in no round trip`() async throws {
        let fixture = try await Fixture()
        let before = fixture.database.roundTrips
        fixture.signIns.note("password", .signedIn, of: "ada", in: fixture.project, from: here, at: fixture.time.clock.now())
        #expect(fixture.database.roundTrips == before)
        try await write(fixture)
        #expect(fixture.database.roundTrips == before + 1)
        try await write(fixture)
        #expect(fixture.database.roundTrips == before + 1)
    }

    @Test func `reads those for which everything that is asked is true, each once and in order`() async throws {
        let fixture = try await Fixture()
        let start = fixture.time.clock.now()
        for number in 0..<2500 {
            if number.isMultiple(of: 100) { fixture.time.advance(.seconds(1)) }
            let refused = number % 5 == 0
            fixture.signIns.note(
                "password", refused ? .refused : .signedIn, code: refused ? "wrongPassword" : nil, of: "user\(number % 10)",
                in: fixture.project, from: here, at: fixture.time.clock.now())
        }
        try await write(fixture)
        let all = try await entries(fixture)
        #expect(all.count == 2500 && Set(all.map(\.id)).count == 2500)
        #expect(all.map(\.time) == all.map(\.time).sorted())
        #expect(try await entries(fixture) { $0.onlyRefused = true }.count == 500)
        #expect(try await entries(fixture) { $0.accountID = "user3" }.count == 250)
        #expect(try await entries(fixture) { ($0.accountID, $0.onlyRefused) = ("user5", true) }.count == 250)
        #expect(try await entries(fixture) { $0.since = start + .seconds(24) }.count == 200)
        #expect(try await entries(fixture) { $0.until = start + .seconds(3) }.count == 200)
        #expect(try await entries(fixture, newest: 3) == Array(all.suffix(3)))
    }

    @Test func `a line that is written twice is one`() async throws {
        let fixture = try await Fixture()
        fixture.signIns.note("password", .signedIn, of: "ada", in: fixture.project, from: here, at: fixture.time.clock.now())
        let taken = fixture.signIns.take()
        for _ in 0..<2 {
            fixture.signIns.putBack(try #require(taken["demo"]), of: "demo")
            try await write(fixture)
        }
        #expect(try await entries(fixture).count == 1)
    }

    @Test func `keeps a bounded number of lines while the database is away, and counts the others`() async throws {
        let fixture = try await Fixture()
        let counts = SignInMetrics(fixture.metrics)
        let log = SignInLog(counts, metrics: fixture.metrics, room: 3)
        let closed = try await fixture.closedDatabase()
        for number in 0..<5 {
            log.note("password", .signedIn, of: "user\(number)", in: fixture.project, from: here, at: fixture.time.clock.now())
        }
        #expect(lost(fixture) == [#"gatehouse_sign_in_log_lost_total{reason="full"} 2"#])
        await #expect(throws: AccountError.self) { try await SignInLogWriter(log, database: closed).write() }
        #expect(fixture.metrics.text().contains("\ngatehouse_sign_in_log_waiting 3\n"))
        log.note("password", .signedIn, of: "late", in: fixture.project, from: here, at: fixture.time.clock.now())
        try await SignInLogWriter(log, database: fixture.database).write()
        #expect(try await entries(fixture).map(\.accountID) == ["user0", "user1", "user2"])
        #expect(lost(fixture) == [#"gatehouse_sign_in_log_lost_total{reason="full"} 3"#])
        #expect(fixture.metrics.text().contains("\ngatehouse_sign_in_log_waiting 0\n"))
    }

    @Test func `a line that the database refuses does not keep back those behind it`() async throws {
        let fixture = try await Fixture()
        fixture.signIns.note("password\0", .signedIn, of: "ada", in: fixture.project, from: here, at: fixture.time.clock.now())
        await #expect(throws: AccountError.self) { try await write(fixture) }
        #expect(lost(fixture) == [#"gatehouse_sign_in_log_lost_total{reason="unwritable"} 1"#])
        fixture.signIns.note("password", .signedIn, of: "ada", in: fixture.project, from: here, at: fixture.time.clock.now())
        try await write(fixture)
        #expect(try await entries(fixture).count == 1)
    }

    @Test func `SEC-20 a crowd of refusals in one project leaves room for other lines`() async throws {
        let fixture = try await Fixture()
        let now = fixture.time.clock.now()
        for _ in 0..<SignInLog.refusals.count + 10 {
            fixture.signIns.note("password", .refused, code: "unknownAddress", of: nil, in: fixture.project, from: here, at: now)
        }
        let other = ProjectSettings(id: "other", number: 2, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        fixture.signIns.note("password", .refused, code: "unknownAddress", of: nil, in: other, from: here, at: now)
        fixture.signIns.note("password", .signedIn, of: "ada", in: fixture.project, from: here, at: now)
        #expect(lost(fixture) == [#"gatehouse_sign_in_log_lost_total{reason="crowded"} 10"#])
        try await write(fixture)
        #expect(try await entries(fixture).count == SignInLog.refusals.count + 1)
        #expect(try await entries(fixture, in: "other").count == 1)
        // What the metric counts is exact.
        #expect(
            fixture.metrics.lines(of: "gatehouse_sign_ins_total").contains(
                #"gatehouse_sign_ins_total{project="demo",provider="password",outcome="refused"} \#(SignInLog.refusals.count + 10)"#))
    }

    @Test func `counts by provider, outcome and reason for each piece of a day`() async throws {
        let fixture = try await Fixture()
        let start = Instant(seconds: 1_700_000_000)
        func note(_ provider: String, _ code: String? = nil, after minutes: Int64) {
            fixture.signIns.note(
                provider, code == nil ? .signedIn : .refused, code: code, of: nil, in: fixture.project, from: here,
                at: start + .seconds(minutes * 60))
        }
        for minute: Int64 in [0, 59, 60] { note("password", after: minute) }
        note("google.com", after: 61)
        note("password", "wrongPassword", after: 62)
        note("password", after: -1)
        note("password", after: 24 * 60)
        try await write(fixture)
        let counts = try await SignInLogReader(database: fixture.database).counts(
            from: start, until: start + .seconds(86400), each: .seconds(3600), in: "demo")
        let next = start + .seconds(3600)
        #expect(
            counts == [
                .init(start: start, provider: "password", outcome: "signed_in", code: nil, count: 2),
                .init(start: next, provider: "google.com", outcome: "signed_in", code: nil, count: 1),
                .init(start: next, provider: "password", outcome: "refused", code: "wrongPassword", count: 1),
                .init(start: next, provider: "password", outcome: "signed_in", code: nil, count: 1),
            ])
    }

    @Test func `adds up each kind, and says when the last of it was`() async throws {
        let fixture = try await Fixture()
        let start = Instant(seconds: 1_700_000_000)
        func note(_ provider: String, _ outcome: SignInMetrics.Outcome, _ code: String? = nil, after minutes: Int64) {
            fixture.signIns.note(
                provider, outcome, code: code, of: nil, in: fixture.project, from: here, at: start + .seconds(minutes * 60))
        }
        note("password", .refused, "wrongPassword", after: -1)
        note("google.com", .refused, "declined", after: 4)
        note("google.com", .providerUnavailable, "outage", after: 5)
        note("google.com", .refused, "declined", after: 6)
        for minute: Int64 in [1, 3] { note("google.com", .signedIn, after: minute) }
        note("google.com", .created, after: 2)
        try await write(fixture)
        var filter = SignInLogReader.Filter()
        filter.since = start
        let reader = SignInLogReader(database: fixture.database)
        let refused: [SignInLogReader.Total] = [
            .init(provider: "google.com", outcome: "provider_unavailable", code: "outage", count: 1, last: start + .seconds(300)),
            .init(provider: "google.com", outcome: "refused", code: "declined", count: 2, last: start + .seconds(360)),
        ]
        let totals = try await reader.totals(filter, in: "demo")
        #expect(
            totals == [
                .init(provider: "google.com", outcome: "created", code: nil, count: 1, last: start + .seconds(120)), refused[0], refused[1],
                .init(provider: "google.com", outcome: "signed_in", code: nil, count: 2, last: start + .seconds(180)),
            ])
        #expect(totals.map(\.isSuccess) == [true, false, false, true])
        filter.onlyRefused = true
        #expect(try await reader.totals(filter, in: "demo") == refused)
        #expect(try await reader.totals(filter, in: "other").isEmpty)
    }

    @Test func `clean-up deletes lines that are older than they are kept`() async throws {
        let fixture = try await Fixture()
        fixture.signIns.note("password", .signedIn, of: "old", in: fixture.project, from: here, at: fixture.time.clock.now())
        fixture.time.advance(.seconds(86400))
        fixture.signIns.note("password", .signedIn, of: "new", in: fixture.project, from: here, at: fixture.time.clock.now())
        try await write(fixture)
        var retention = Retention()
        retention.signIns = .seconds(86000)
        try await Cleanup(database: fixture.database, clock: fixture.time.clock, retention: retention).run()
        #expect(try await entries(fixture).map(\.accountID) == ["new"])
    }

    @Test(
        arguments: [
            ("203.0.113.77", "203.0.113.0/24"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"), ("::ffff:203.0.113.77", "203.0.113.0/24"),
            ("unix", nil),
        ])
    func `the network of a client is its address, cut`(address: String, network: String?) {
        #expect(Session.ClientInfo(userAgent: nil, address: address).network == network)
    }
}

extension Fixture {
    /// A database that takes no calls any more.
    fileprivate func closedDatabase() async throws -> Database {
        let database = try TestDatabase.open(try await TestDatabase.make())
        await database.close()
        return database
    }
}
