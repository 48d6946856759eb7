import Logging
import Postgres
import ProjectSettings
import Runtime
import Synchronization
import TestKit
import Testing

@testable import Accounts
import Text

@Suite struct RateLimitsTests {
    /// A fixture with limits that a test can count to.
    private func limited(_ change: (inout Limits) -> Void) async throws -> Fixture {
        var fixture = try await Fixture()
        change(&fixture.project.limits)
        return fixture
    }

    private func attempt(
        _ fixture: Fixture, _ action: LimitedAction = .password, from address: String = "192.0.2.1", email: String? = "ada@example.com"
    ) -> Attempt { Attempt(action, from: address, email: email, in: fixture.project) }

    /// The limit that refused the attempt; `nil` when it was admitted.
    private func outcome(_ fixture: Fixture, _ attempt: Attempt) async throws -> LimitScope? {
        do {
            try await fixture.accounts.limits.charge(attempt)
            return nil
        } catch AccountError.tooManyAttempts(attempt.action, let scope) {
            return scope
        } catch AccountError.quotaExceeded(attempt.action) {
            return .project
        }
    }

    @Test func `follows the rule, through takes, refusals, waits, refunds and clocks that jump`() async throws {
        let rate = Rate(4, per: .seconds(100))
        let fixture = try await limited { $0[.actionCode, .address] = rate }
        let attempt = attempt(fixture, .actionCode)
        var bucket = Bucket()
        var random = SplitMix(seed: 6)
        for _ in 0..<200 {
            let number = random.next() % 100
            switch number {
            case 0..<60:
                let now = fixture.time.clock.now()
                #expect(try await outcome(fixture, attempt) == (bucket.take(rate, at: now) ? nil : .address))
            case 60..<90: fixture.time.advance(.seconds(Int64(number)))
            case 90..<95: fixture.time.advance(.seconds(-Int64(number) * 10))
            default:
                bucket.refund(rate)
                _ = try await fixture.database.write(all: fixture.accounts.limits.success(of: attempt))
            }
        }
    }

    @Test func `SEC-16 counts failures of one address by account, pair and address, and tells the tightest`() async throws {
        let fixture = try await limited {
            $0[.password, .accountAndAddress] = Rate(2, per: .seconds(3600))
            $0[.password, .account] = Rate(5, per: .seconds(3600))
            $0[.password, .address] = Rate(3, per: .seconds(3600))
        }
        #expect(try await outcome(fixture, attempt(fixture)) == nil)
        #expect(try await outcome(fixture, attempt(fixture)) == nil)
        #expect(try await outcome(fixture, attempt(fixture)) == .accountAndAddress)
        // Another account from the same address, which has one attempt left.
        #expect(try await outcome(fixture, attempt(fixture, email: "b@example.com")) == nil)
        #expect(try await outcome(fixture, attempt(fixture, email: "c@example.com")) == .address)
        // The same account from other addresses; the account has three attempts left.
        for number in 2...4 { #expect(try await outcome(fixture, attempt(fixture, from: "192.0.2.\(number)")) == nil) }
        #expect(try await outcome(fixture, attempt(fixture, from: "192.0.2.5")) == .account)
    }

    @Test func `SEC-16 a refused attempt takes from no bucket, so an attacker cannot keep the owner out`() async throws {
        let fixture = try await limited {
            $0[.password, .accountAndAddress] = nil
            $0[.password, .account] = Rate(3, per: .seconds(3600))
            $0[.password, .address] = Rate(2, per: .seconds(3600))
        }
        for _ in 0..<2 { #expect(try await outcome(fixture, attempt(fixture)) == nil) }
        for _ in 0..<20 { #expect(try await outcome(fixture, attempt(fixture)) == .address) }
        #expect(try await outcome(fixture, attempt(fixture, from: "192.0.2.9")) == nil)
        #expect(try await outcome(fixture, attempt(fixture, from: "192.0.2.9")) == .account)
        fixture.time.advance(.seconds(1200))
        #expect(try await outcome(fixture, attempt(fixture, from: "192.0.2.9")) == nil)
    }

    @Test func `matches e-mail addresses as accounts do, and separates projects, actions and scopes`() async throws {
        let fixture = try await limited {
            $0[.password, .account] = Rate(1, per: .seconds(3600))
            $0[.sendPasswordReset, .account] = Rate(1, per: .seconds(3600))
        }
        #expect(try await outcome(fixture, attempt(fixture, email: "Ada@Example.COM")) == nil)
        #expect(try await outcome(fixture, attempt(fixture, email: "ada@example.com")) == .account)
        #expect(try await outcome(fixture, attempt(fixture, .sendPasswordReset)) == nil)
        var other = fixture
        other.project.id = "other"
        other.project.storageID = "other"
        #expect(try await outcome(other, attempt(other)) == nil)
    }

    @Test func `a project's own limit is a quota`() async throws {
        let fixture = try await limited { $0[.signUp, .project] = Rate(2, per: .seconds(86400)) }
        for number in 1...2 { #expect(try await outcome(fixture, attempt(fixture, .signUp, from: "192.0.2.\(number)")) == nil) }
        #expect(try await outcome(fixture, attempt(fixture, .signUp, from: "192.0.2.3")) == .project)
    }

    @Test func `SEC-16 success refills the account's bucket, returns one attempt to the address, and changes nothing else`() async throws {
        let fixture = try await limited {
            $0[.password, .accountAndAddress] = Rate(2, per: .seconds(3600))
            $0[.password, .account] = Rate(2, per: .seconds(3600))
            $0[.password, .address] = Rate(4, per: .seconds(3600))
        }
        let own = attempt(fixture, email: "mallory@example.com")
        #expect(try await outcome(fixture, attempt(fixture)) == nil)
        #expect(try await outcome(fixture, attempt(fixture)) == nil)
        // Mallory's own sign-ins between guesses: each returns what it took.
        for _ in 0..<5 {
            #expect(try await outcome(fixture, own) == nil)
            _ = try await fixture.database.write(all: fixture.accounts.limits.success(of: own))
        }
        #expect(try await outcome(fixture, attempt(fixture)) == .accountAndAddress)
        #expect(try await outcome(fixture, attempt(fixture, email: "b@example.com")) == nil)
        #expect(try await outcome(fixture, attempt(fixture, email: "c@example.com")) == nil)
        #expect(try await outcome(fixture, own) == .address)
    }

    @Test(arguments: [LimitedAction.sendPasswordReset, .sendSignInLink, .sendEmailCode])
    func `SEC-16 counts mails to one mailbox together, with whatever tag`(action: LimitedAction) async throws {
        let fixture = try await Fixture()
        func outcomes(_ numbers: ClosedRange<Int>, from address: String) async throws -> [LimitScope?] {
            var outcomes: [LimitScope?] = []
            for number in numbers {
                let attempt = attempt(fixture, action, from: address, email: "Victim+\(number)@example.com")
                outcomes.append(try await outcome(fixture, attempt))
            }
            return outcomes
        }
        #expect(
            try await outcomes(1...12, from: "192.0.2.1") == Array(repeating: nil, count: 10) + [.mailboxAndAddress, .mailboxAndAddress])
        // The owner has another address, and so do the attacker's other machines.
        #expect(try await outcome(fixture, attempt(fixture, action, from: "192.0.2.2", email: "victim@example.com")) == nil)
        #expect(try await outcomes(20...28, from: "192.0.2.2") == Array(repeating: nil, count: 9))
        #expect(try await outcomes(30...39, from: "192.0.2.3") == Array(repeating: nil, count: 10))
        #expect(try await outcome(fixture, attempt(fixture, action, from: "192.0.2.4", email: "victim@example.com")) == .mailbox)
        #expect(try await outcome(fixture, attempt(fixture, action, from: "192.0.2.4", email: "other@example.com")) == nil)
    }

    @Test func `proof from the mailbox forgives the account from everywhere and leaves addresses as they are`() async throws {
        let fixture = try await limited {
            $0[.password, .account] = Rate(2, per: .seconds(3600))
            $0[.password, .address] = Rate(2, per: .seconds(3600))
        }
        for _ in 0..<2 { #expect(try await outcome(fixture, attempt(fixture)) == nil) }
        #expect(try await outcome(fixture, attempt(fixture, from: "192.0.2.7")) == .account)
        _ = try await fixture.database.write(all: fixture.accounts.limits.forgiveness(of: attempt(fixture, from: "192.0.2.7")))
        #expect(try await outcome(fixture, attempt(fixture, from: "192.0.2.7")) == nil)
        #expect(try await outcome(fixture, attempt(fixture)) == .address)
    }

    @Test func `costs one round trip together with what is read, and none where nothing is limited`() async throws {
        let fixture = try await limited { $0[.deleteAccount, .address] = nil }
        let limits = fixture.accounts.limits
        let before = fixture.database.roundTrips
        #expect(try await limits.charge(attempt(fixture), then: "SELECT 7").map { try $0.value(as: Int.self) } == [7])
        #expect(fixture.database.roundTrips == before + 1)
        #expect(try await limits.charge(attempt(fixture, .deleteAccount)).isEmpty)
        #expect(fixture.database.roundTrips == before + 1)
        #expect(try await limits.charge(attempt(fixture, .deleteAccount), then: "SELECT 8").count == 1)
        #expect(fixture.database.roundTrips == before + 2)
    }

    @Test func `a read that cannot be sent is charged for all the same`() async throws {
        let fixture = try await limited { $0[.customToken, .address] = Rate(3, per: .seconds(3600)) }
        let text = "a\0b"
        for _ in 0..<3 {
            await #expect(throws: AccountError.self) {
                try await fixture.accounts.limits.charge(attempt(fixture, .customToken), then: "SELECT \(text)")
            }
        }
        #expect(try await outcome(fixture, attempt(fixture, .customToken)) == .address)
    }

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
        let fixture = try await limited {
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
        let fixture = try await limited {
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

    @Test func `clean-up deletes buckets that are full, and no others`() async throws {
        let fixture = try await limited { $0[.signUp, .address] = Rate(1, per: .seconds(86400)) }
        #expect(try await outcome(fixture, attempt(fixture, .identify)) == nil)
        #expect(try await outcome(fixture, attempt(fixture, .signUp)) == nil)
        fixture.time.advance(.seconds(7200))
        try await Cleanup(database: fixture.database, clock: fixture.time.clock, auditRetention: .seconds(86400)).run()
        #expect(try await fixture.database.query("SELECT 1 FROM rate_limits").count == 1)
        #expect(try await outcome(fixture, attempt(fixture, .signUp)) == .address)
    }

    @Test func `charges and settlements that meet never wait in a circle`() async throws {
        let fixture = try await limited { limits in
            for (scope, _) in LimitedAction.password.standard { limits[.password, scope] = Rate(1_000_000, per: .seconds(1)) }
        }
        let limits = fixture.accounts.limits
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                let attempt = attempt(fixture, from: "192.0.2.\(number % 3)", email: "\(number % 4)@example.com")
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

/// A fixed sequence of numbers. <https://prng.di.unimi.it/splitmix64.c>
private struct SplitMix {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
