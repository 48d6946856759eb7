import Logging
import Postgres
import ProjectSettings
import Runtime
import Synchronization
import TestKit
import Testing

@testable import Accounts
import Text

/// Attempts that come at the same time, and those that were compared before they are charged.
@Suite struct RateLimitRacesTests {
    @Test func `SEC-16 exactly ten of a hundred attempts at once pass on two processes`() async throws {
        let url = try await TestDatabase.make()
        let time = TestTime()
        let refusals = Refusals(metrics: Metrics(), log: TestDatabase.silent)
        let processes = try (0..<2).map { _ in
            RateLimits(database: try TestDatabase.open(url), clock: time.clock, refusals: refusals)
        }
        var project = ProjectSettings(id: "demo", number: 1, apiKeys: ["key"], authorizedDomains: [], redirectURLs: [])
        project.limits[.password, .accountAndAddress] = nil
        project.limits[.password, .account] = Rate(10, per: .seconds(3600))
        project.limits[.password, .address] = Rate(1000, per: .seconds(3600))
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                let attempt = Attempt(.password, from: "192.0.2.\(number % 5)", email: "ada@example.com", in: project)
                group.addTask {
                    do {
                        try await processes[number % 2].charge(attempt)
                        return true
                    } catch AccountError.tooManyAttempts { return false }
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 10)
        // All or nothing, even under contention: together the addresses admitted ten.
        let now = time.clock.now()
        let rows = try await processes[0].storage.read("SELECT sum(extract(epoch FROM full_at - \(now)))::float8 FROM rate_limits")
        #expect(try rows[0].value(as: Double.self) == Double(10 * 360) + 10 * 3.6)
    }

    /// Charges an attempt that was compared already; returns whether it was admitted.
    private func admits(_ fixture: Fixture, _ attempt: Attempt, right: Bool) async throws -> Bool {
        do {
            try await fixture.accounts.limits.charge(attempt, unlessRight: right)
            return true
        } catch AccountError.tooManyAttempts { return false }
    }

    @Test func `SEC-16 a right attempt costs nothing, and is refused where a wrong one is`() async throws {
        let fixture = try await Fixture.limited {
            $0[.clientSecret, .accountAndAddress] = Rate(3, per: .seconds(300))
            $0[.clientSecret, .address] = Rate(4, per: .seconds(400))
        }
        let attempt = Attempt(.clientSecret, from: "192.0.2.1", accountID: "site", in: fixture.project)
        let before = fixture.database.roundTrips
        for _ in 0..<20 { #expect(try await admits(fixture, attempt, right: true)) }
        #expect(fixture.database.roundTrips == before + 20)
        #expect(try await fixture.database.query("SELECT 1 FROM rate_limits").isEmpty)
        for _ in 0..<2 { #expect(try await admits(fixture, attempt, right: false)) }
        for _ in 0..<20 { #expect(try await admits(fixture, attempt, right: true)) }
        #expect(try await admits(fixture, attempt, right: false))
        for right in [true, false, true] { #expect(try await !admits(fixture, attempt, right: right)) }
        // Another client of the address has one left; the client's server at another address has all.
        let other = Attempt(.clientSecret, from: "192.0.2.1", accountID: "other", in: fixture.project)
        for right in [true, false] { #expect(try await admits(fixture, other, right: right)) }
        for right in [true, false] { #expect(try await !admits(fixture, other, right: right)) }
        #expect(try await admits(fixture, Attempt(.clientSecret, from: "192.0.2.2", accountID: "site", in: fixture.project), right: true))
        fixture.time.advance(.seconds(100))
        #expect(try await admits(fixture, attempt, right: true))
    }

    @Test func `SEC-16 no more attempts at once are answered than the limit has, however many the right one is among`() async throws {
        let fixture = try await Fixture.limited {
            $0[.clientSecret, .accountAndAddress] = Rate(10, per: .seconds(3600))
            $0[.clientSecret, .address] = nil
        }
        let attempt = Attempt(.clientSecret, from: "192.0.2.1", accountID: "site", in: fixture.project)
        let outcomes = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
            // The right one comes last, behind as many wrong ones as there are turns of the pool.
            for number in 0...100 {
                group.addTask(executorPreference: fixture.database.loop) {
                    (number, try await admits(fixture, attempt, right: number == 100))
                }
            }
            return try await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        #expect((0..<100).count { outcomes[$0] == true } == 10)
        #expect(outcomes[100] == false)
    }

    @Test func `charges and settlements that meet never wait in a circle`() async throws {
        let fixture = try await Fixture.limited { limits in
            for (scope, _) in LimitedAction.password.standard { limits[.password, scope] = Rate(1_000_000, per: .seconds(1)) }
        }
        let limits = fixture.accounts.limits
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                let attempt = fixture.limitedAttempt(from: "192.0.2.\(number % 3)", email: "\(number % 4)@example.com")
                group.addTask {
                    try await limits.charge(attempt)
                    _ = try await fixture.database.write(all: limits.success(of: attempt))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await fixture.database.query("SELECT 1 FROM rate_limits").count == 4 + 3 + 12)
    }
}
