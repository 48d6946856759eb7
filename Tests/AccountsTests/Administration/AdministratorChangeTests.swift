@testable import Accounts
import JSON
import Runtime
import Testing
import Text

/// What a change by an administrator makes of an account, and which sessions it ends.
@Suite struct AdministratorChangeTests {
    private let now = Instant(seconds: 1_800_000_000)

    private var account: Account {
        var account = Account(id: "a", at: Instant(seconds: 1_700_000_000))
        account.email = "ada@example.com"
        account.emailVerified = true
        account.emailProven = true
        account.phoneNumber = "+441234567890"
        account.passwordUpdatedAt = account.createdAt
        account.identities = [LinkedIdentity(providerID: "oidc.a", subject: "ada")]
        return account
    }

    private func apply(_ configure: (inout AdministratorChange) -> Void) throws -> (changed: Account, change: AdministratorChange) {
        var change = AdministratorChange()
        configure(&change)
        return (try change.applied(to: account, at: now), change)
    }

    private func ending(_ configure: (inout AdministratorChange) -> Void) throws -> AdministratorChange.Ending {
        let (changed, change) = try apply(configure)
        return change.ending(of: account, changed: changed, at: now)
    }

    @Test func `a disabled account, a new address, a new password and a revocation end all sessions`() throws {
        #expect(try ending { $0.disabled = true } == .all(because: "account disabled"))
        #expect(try ending { $0.own.email = "new@example.com" } == .all(because: "credentials changed"))
        #expect(try ending { $0.own.password = "battery staple" } == .all(because: "credentials changed"))
        #expect(try ending { $0.own.removed = [.email] } == .all(because: "credentials changed"))
        #expect(try ending { $0.own.unlinked = ["password"] } == .all(because: "credentials changed"))
        for seconds in [now.seconds - 299, now.seconds, now.seconds + 300] {
            #expect(try ending { $0.validSince = Instant(seconds: seconds) } == .all(because: "revoked"))
        }
    }

    @Test func `an old time of validity ends what began before it, and one that is older than the present one ends nothing`() throws {
        let earlier = Instant(seconds: now.seconds - 3600)
        #expect(try ending { $0.validSince = earlier } == .some(signedInBy: [], authenticatedBefore: earlier))
        #expect(try ending { $0.validSince = account.validSince } == .none)
        #expect(try ending { $0.validSince = Instant(seconds: 1) } == .none)
    }

    @Test func `a way to sign in that is lost ends the sessions that came by it`() throws {
        #expect(try ending { $0.own.unlinked = ["oidc.a"] } == .some(signedInBy: ["oidc.a"], authenticatedBefore: nil))
        #expect(try ending { $0.own.unlinked = ["phone"] } == .some(signedInBy: ["phone"], authenticatedBefore: nil))
        #expect(try ending { $0.phoneNumber = .set("+12025550123") } == .some(signedInBy: ["phone"], authenticatedBefore: nil))
        let other = LinkedIdentity(providerID: "oidc.a", subject: "another")
        #expect(try ending { $0.linked = other } == .some(signedInBy: ["oidc.a"], authenticatedBefore: nil))
        #expect(try ending { $0.linked = account.identities[0] } == .none)
        #expect(try ending { $0.linked = LinkedIdentity(providerID: "oidc.b", subject: "ada") } == .none)
    }

    @Test func `claims, names, a verified address and the end of a disabling leave the sessions alone`() throws {
        #expect(try ending { $0.customAttributes = .set(#"{"admin":true}"#) } == .none)
        #expect(try ending { $0.own.displayName = .set("Ada") } == .none)
        #expect(try ending { $0.emailVerified = false } == .none)
        #expect(try ending { $0.disabled = false } == .none)
        #expect(try ending { $0.own.email = "ada@example.com" } == .none)
        #expect(try ending { $0.phoneNumber = .set("+441234567890") } == .none)
    }

    @Test func `SEC-02 an administrator's word verifies an address, and does not prove it`() throws {
        let moved = try apply {
            $0.own.email = "new@example.com"; $0.emailVerified = true
        }.changed
        #expect(moved.emailVerified && !moved.emailProven && moved.initialEmail == "ada@example.com")
        let doubted = try apply { $0.emailVerified = false }.changed
        #expect(!doubted.emailVerified && !doubted.emailProven)
        let gone = try apply {
            $0.own.removed = [.email]; $0.emailVerified = true
        }.changed
        #expect(gone.email == nil && !gone.emailVerified)
    }

    @Test func `replaces the identity of a provider, and keeps the others`() throws {
        let changed = try apply { $0.linked = LinkedIdentity(providerID: "oidc.0", subject: "zero") }.changed
        #expect(changed.identities.map(\.providerID) == ["oidc.0", "oidc.a"])
        let replaced = try apply { $0.linked = LinkedIdentity(providerID: "oidc.a", subject: "other") }.changed
        #expect(replaced.identities.map(\.subject) == ["other"])
    }

    @Test func `records what was changed, and not what was set to what it was`() throws {
        let (changed, change) = try apply {
            $0.disabled = true
            $0.customAttributes = .set(#"{"admin":true}"#)
            $0.phoneNumber = .clear
            $0.own.email = "new@example.com"
            $0.own.displayName = .set("Ada")
        }
        // `Account.events` has that another address took the place of one.
        #expect(
            change.events(from: account, to: changed, .all(because: "account disabled")).map(\.action)
                == [.phoneNumberRemoved, .accountDisabled, .claimsChanged, .profileChanged])
        let (same, nothing) = try apply {
            $0.disabled = false; $0.own.email = "ada@example.com"; $0.phoneNumber = .set("+441234567890")
        }
        #expect(nothing.events(from: account, to: same, .none).isEmpty)
    }

    @Test(
        arguments: [
            (#"{"admin":true}"#, #"{"admin":true}"#), ("{}", nil), ("", nil), (#"{ "a" : 1 }"#, #"{ "a" : 1 }"#),
        ] as [(UTF8Text, String?)])
    func `keeps claims as they came`(text: UTF8Text, stored: String?) throws {
        #expect(try CustomClaims.checked(text) == stored)
    }

    @Test(
        arguments: [
            ("[]", "invalidClaims"), ("x", "invalidClaims"), (#"{"a":1,"a":2}"#, "invalidClaims"), ("null", "invalidClaims"),
            (#"{"sub":"eve"}"#, #"forbiddenClaim"#), (#"{"firebase":{}}"#, "forbiddenClaim"),
        ] as [(UTF8Text, String)])
    func `SEC-14 refuses claims that only the issuer may set, and what is no object`(text: UTF8Text, reason: String) {
        #expect { try CustomClaims.checked(text) } throws: { "\($0)".contains(reason) }
    }

    @Test func `refuses claims of more than a thousand characters`() throws {
        let long = UTF8Text(#"{"a":"\#(String(repeating: "é", count: 992))"}"#)
        #expect(long.asString.unicodeScalars.count == 1000)
        #expect(try CustomClaims.checked(long) == long.asString)
        #expect { try CustomClaims.checked(UTF8Text(long.asString + " ")) } throws: { "\($0)".contains("claimsTooLarge") }
    }
}
