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
    @Test func `follows the rule, through takes, refusals, waits, refunds and clocks that jump`() async throws {
        let rate = Rate(4, per: .seconds(100))
        let fixture = try await Fixture.limited { $0[.actionCode, .address] = rate }
        let attempt = fixture.limitedAttempt(.actionCode)
        var bucket = Bucket()
        var random = SplitMix(seed: 6)
        for _ in 0..<200 {
            let number = random.next() % 100
            switch number {
            case 0..<60:
                let now = fixture.time.clock.now()
                #expect(try await fixture.outcome(attempt) == (bucket.take(rate, at: now) ? nil : .address))
            case 60..<90: fixture.time.advance(.seconds(Int64(number)))
            case 90..<95: fixture.time.advance(.seconds(-Int64(number) * 10))
            default:
                bucket.refund(rate)
                _ = try await fixture.database.write(all: fixture.accounts.limits.success(of: attempt))
            }
        }
    }

    @Test func `SEC-16 counts failures of one address by account, pair and address, and tells the tightest`() async throws {
        let fixture = try await Fixture.limited {
            $0[.password, .accountAndAddress] = Rate(2, per: .seconds(3600))
            $0[.password, .account] = Rate(5, per: .seconds(3600))
            $0[.password, .address] = Rate(3, per: .seconds(3600))
        }
        #expect(try await fixture.outcome(fixture.limitedAttempt()) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt()) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt()) == .accountAndAddress)
        // Another account from the same address, which has one attempt left.
        #expect(try await fixture.outcome(fixture.limitedAttempt(email: "b@example.com")) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt(email: "c@example.com")) == .address)
        // The same account from other addresses; the account has three attempts left.
        for number in 2...4 { #expect(try await fixture.outcome(fixture.limitedAttempt(from: "192.0.2.\(number)")) == nil) }
        #expect(try await fixture.outcome(fixture.limitedAttempt(from: "192.0.2.5")) == .account)
    }

    @Test func `SEC-16 a refused attempt takes from no bucket, so an attacker cannot keep the owner out`() async throws {
        let fixture = try await Fixture.limited {
            $0[.password, .accountAndAddress] = nil
            $0[.password, .account] = Rate(3, per: .seconds(3600))
            $0[.password, .address] = Rate(2, per: .seconds(3600))
        }
        for _ in 0..<2 { #expect(try await fixture.outcome(fixture.limitedAttempt()) == nil) }
        for _ in 0..<20 { #expect(try await fixture.outcome(fixture.limitedAttempt()) == .address) }
        #expect(try await fixture.outcome(fixture.limitedAttempt(from: "192.0.2.9")) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt(from: "192.0.2.9")) == .account)
        fixture.time.advance(.seconds(1200))
        #expect(try await fixture.outcome(fixture.limitedAttempt(from: "192.0.2.9")) == nil)
    }

    @Test func `matches e-mail addresses as accounts do, and separates projects, actions and scopes`() async throws {
        let fixture = try await Fixture.limited {
            $0[.password, .account] = Rate(1, per: .seconds(3600))
            $0[.sendPasswordReset, .account] = Rate(1, per: .seconds(3600))
        }
        #expect(try await fixture.outcome(fixture.limitedAttempt(email: "Ada@Example.COM")) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt(email: "ada@example.com")) == .account)
        #expect(try await fixture.outcome(fixture.limitedAttempt(.sendPasswordReset)) == nil)
        var other = fixture
        other.project.id = "other"
        other.project.storageID = "other"
        #expect(try await other.outcome(other.limitedAttempt()) == nil)
    }

    @Test func `a project's own limit is a quota`() async throws {
        let fixture = try await Fixture.limited { $0[.signUp, .project] = Rate(2, per: .seconds(86400)) }
        for number in 1...2 { #expect(try await fixture.outcome(fixture.limitedAttempt(.signUp, from: "192.0.2.\(number)")) == nil) }
        #expect(try await fixture.outcome(fixture.limitedAttempt(.signUp, from: "192.0.2.3")) == .project)
    }

    @Test func `SEC-16 success refills the account's bucket, returns one attempt to the address, and changes nothing else`() async throws {
        let fixture = try await Fixture.limited {
            $0[.password, .accountAndAddress] = Rate(2, per: .seconds(3600))
            $0[.password, .account] = Rate(2, per: .seconds(3600))
            $0[.password, .address] = Rate(4, per: .seconds(3600))
        }
        let own = fixture.limitedAttempt(email: "mallory@example.com")
        #expect(try await fixture.outcome(fixture.limitedAttempt()) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt()) == nil)
        // Mallory's own sign-ins between guesses: each returns what it took.
        for _ in 0..<5 {
            #expect(try await fixture.outcome(own) == nil)
            _ = try await fixture.database.write(all: fixture.accounts.limits.success(of: own))
        }
        #expect(try await fixture.outcome(fixture.limitedAttempt()) == .accountAndAddress)
        #expect(try await fixture.outcome(fixture.limitedAttempt(email: "b@example.com")) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt(email: "c@example.com")) == nil)
        #expect(try await fixture.outcome(own) == .address)
    }

    @Test(arguments: [LimitedAction.sendPasswordReset, .sendSignInLink, .sendEmailCode])
    func `SEC-16 counts mails to one mailbox together, with whatever tag`(action: LimitedAction) async throws {
        let fixture = try await Fixture()
        func outcomes(_ numbers: ClosedRange<Int>, from address: String) async throws -> [LimitScope?] {
            var outcomes: [LimitScope?] = []
            for number in numbers {
                let attempt = fixture.limitedAttempt(action, from: address, email: "Victim+\(number)@example.com")
                outcomes.append(try await fixture.outcome(attempt))
            }
            return outcomes
        }
        #expect(
            try await outcomes(1...12, from: "192.0.2.1") == Array(repeating: nil, count: 10) + [.mailboxAndAddress, .mailboxAndAddress])
        // The owner has another address, and so do the attacker's other machines.
        #expect(try await fixture.outcome(fixture.limitedAttempt(action, from: "192.0.2.2", email: "victim@example.com")) == nil)
        #expect(try await outcomes(20...28, from: "192.0.2.2") == Array(repeating: nil, count: 9))
        #expect(try await outcomes(30...39, from: "192.0.2.3") == Array(repeating: nil, count: 10))
        #expect(try await fixture.outcome(fixture.limitedAttempt(action, from: "192.0.2.4", email: "victim@example.com")) == .mailbox)
        #expect(try await fixture.outcome(fixture.limitedAttempt(action, from: "192.0.2.4", email: "other@example.com")) == nil)
    }

    @Test func `proof from the mailbox forgives the account from everywhere and leaves addresses as they are`() async throws {
        let fixture = try await Fixture.limited {
            $0[.password, .account] = Rate(2, per: .seconds(3600))
            $0[.password, .address] = Rate(2, per: .seconds(3600))
        }
        for _ in 0..<2 { #expect(try await fixture.outcome(fixture.limitedAttempt()) == nil) }
        #expect(try await fixture.outcome(fixture.limitedAttempt(from: "192.0.2.7")) == .account)
        _ = try await fixture.database.write(all: fixture.accounts.limits.forgiveness(of: fixture.limitedAttempt(from: "192.0.2.7")))
        #expect(try await fixture.outcome(fixture.limitedAttempt(from: "192.0.2.7")) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt()) == .address)
    }

    @Test func `costs one round trip together with what is read, and none where nothing is limited`() async throws {
        let fixture = try await Fixture.limited { $0[.deleteAccount, .address] = nil }
        let limits = fixture.accounts.limits
        let before = fixture.database.roundTrips
        #expect(try await limits.charge(fixture.limitedAttempt(), then: "SELECT 7").map { try $0.value(as: Int.self) } == [7])
        #expect(fixture.database.roundTrips == before + 1)
        #expect(try await limits.charge(fixture.limitedAttempt(.deleteAccount)).isEmpty)
        #expect(fixture.database.roundTrips == before + 1)
        #expect(try await limits.charge(fixture.limitedAttempt(.deleteAccount), then: "SELECT 8").count == 1)
        #expect(fixture.database.roundTrips == before + 2)
    }

    @Test func `a read that cannot be sent is charged for all the same`() async throws {
        let fixture = try await Fixture.limited { $0[.customToken, .address] = Rate(3, per: .seconds(3600)) }
        let text = "a\0b"
        for _ in 0..<3 {
            await #expect(throws: AccountError.self) {
                try await fixture.accounts.limits.charge(fixture.limitedAttempt(.customToken), then: "SELECT \(text)")
            }
        }
        #expect(try await fixture.outcome(fixture.limitedAttempt(.customToken)) == .address)
    }

    @Test func `clean-up deletes buckets that are full, and no others`() async throws {
        let fixture = try await Fixture.limited { $0[.signUp, .address] = Rate(1, per: .seconds(86400)) }
        #expect(try await fixture.outcome(fixture.limitedAttempt(.identify)) == nil)
        #expect(try await fixture.outcome(fixture.limitedAttempt(.signUp)) == nil)
        fixture.time.advance(.seconds(7200))
        try await Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400))).run()
        #expect(try await fixture.database.query("SELECT 1 FROM rate_limits").count == 1)
        #expect(try await fixture.outcome(fixture.limitedAttempt(.signUp)) == .address)
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
