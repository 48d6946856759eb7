@testable import Accounts
import JSON
import Runtime
import Testing
import Text

@Suite struct AccountChangeTests {
    private let now = Instant(seconds: 1_800_000_000)

    private func account(_ configure: (inout Account) -> Void = { _ in }) -> Account {
        var account = Account(id: "a", at: Instant(seconds: 1_700_000_000))
        account.email = "ada@example.com"
        account.emailVerified = true
        account.emailProven = true
        account.passwordUpdatedAt = Instant(seconds: 1_700_000_000)
        configure(&account)
        return account
    }

    private func identity(_ provider: String, email: String? = nil) -> LinkedIdentity {
        LinkedIdentity(providerID: provider, subject: "s", email: email)
    }

    private func apply(_ account: Account, _ configure: (inout AccountChange) -> Void) throws -> Account {
        var change = AccountChange()
        configure(&change)
        return try change.applied(to: account, at: now)
    }

    @Test func `a new name leaves the sessions alone`() throws {
        let changed = try apply(account()) { $0.displayName = .set("Ada") }
        #expect(changed.displayName == "Ada")
        #expect(try sessions(account()) { $0.displayName = .set("Ada") } == .goOn)
    }

    private func sessions(_ account: Account, _ configure: (inout AccountChange) -> Void) throws -> AccountChange.SessionFate {
        var change = AccountChange()
        configure(&change)
        return change.sessions(of: account, changed: try change.applied(to: account, at: now))
    }

    @Test func `a new address or password replaces the caller's session, and a removal leaves it alone`() throws {
        let linked = account { $0.identities = [identity("oidc.acme")] }
        #expect(try sessions(linked) { $0.password = "new secret" } == .replaced)
        #expect(try sessions(linked) { $0.email = "new@example.com" } == .replaced)
        #expect(try sessions(linked) { $0.email = "ada@example.com" } == .goOn)
        #expect(try sessions(linked) { $0.unlinked = ["password"] } == .othersEnd)
        #expect(try sessions(linked) { $0.removed = [.password] } == .othersEnd)
        #expect(try sessions(linked) { $0.removed = [.email] } == .othersEnd)
        #expect(try sessions(linked) { $0.unlinked = ["oidc.acme"] } == .goOn)
    }

    @Test func `null clears what an absent field keeps`() throws {
        let named = account {
            $0.displayName = "Ada"; $0.photoURL = "https://example.com/a.png"
        }
        let changed = try apply(named) { $0.displayName = .clear }
        #expect(changed.displayName == nil)
        #expect(changed.photoURL == "https://example.com/a.png")
    }

    @Test func `SEC-02 a new address is neither verified nor proven, and the first one is remembered`() throws {
        let changed = try apply(account()) { $0.email = "new@example.com" }
        #expect(changed.email == "new@example.com")
        #expect(!changed.emailVerified && !changed.emailProven)
        #expect(changed.initialEmail == "ada@example.com")
        let again = try apply(changed) { $0.email = "third@example.com" }
        #expect(again.initialEmail == "ada@example.com")
    }

    @Test func `the same address changes nothing`() throws {
        #expect(try apply(account()) { $0.email = "ada@example.com" } == account())
    }

    @Test func `a new password leaves the address as it is`() throws {
        let changed = try apply(account()) { $0.password = "new secret" }
        #expect(changed.passwordUpdatedAt == now)
        #expect(changed.emailVerified)
    }

    @Test func `a password needs an address`() {
        #expect {
            try apply(
                account {
                    $0.email = nil; $0.passwordUpdatedAt = nil
                }
            ) { $0.password = "secret" }
        } throws: { error in
            if case AccountError.addressNeeded = error { true } else { false }
        }
    }

    @Test func `removing the address takes the password with it`() throws {
        let changed = try apply(account()) { $0.removed = [.email] }
        #expect(changed.email == nil && !changed.hasPassword && !changed.emailVerified)
    }

    @Test func `removing the password keeps the address`() throws {
        let changed = try apply(account()) { $0.removed = [.password] }
        #expect(changed.email == "ada@example.com" && !changed.hasPassword && changed.emailVerified)
    }

    @Test func `unlinking the password keeps the address, whatever else bears it`() throws {
        let linked = account {
            $0.identities = [identity("oidc.acme")]
            $0.emailLinkSignIn = true
        }
        let changed = try apply(linked) { $0.unlinked = ["password"] }
        #expect(changed.email == "ada@example.com" && changed.emailVerified && !changed.hasEmailSignIn)
    }

    @Test func `a session that goes on is never older than what verifiers elsewhere take for revoked`() {
        var account = account()
        let began = Instant(seconds: 1_799_999_000)
        account.endTokens(at: now, sparingSessionFrom: began)
        #expect(account.validSince == began)
        #expect(account.sessionsEndedAt == now)
        account.endTokens(at: now)
        #expect(account.validSince == now)
    }

    @Test func `unlinking the phone removes its number`() throws {
        let changed = try apply(account { $0.phoneNumber = "+441234567890" }) { $0.unlinked = ["phone"] }
        #expect(changed.phoneNumber == nil && changed.hasPassword)
    }

    @Test func `unlinking a provider leaves the others and the sessions`() throws {
        let linked = account { $0.identities = [identity("oidc.a"), identity("oidc.b")] }
        let changed = try apply(linked) { $0.unlinked = ["oidc.a", "oidc.unknown"] }
        #expect(changed.identities == [identity("oidc.b")])
    }

    private func needsFreshSignIn(_ account: Account, _ configure: (inout AccountChange) -> Void) throws -> Bool {
        var change = AccountChange()
        configure(&change)
        return change.needsFreshSignIn(for: account, changed: try change.applied(to: account, at: now))
    }

    @Test func `whatever changes a way to sign in takes a fresh sign-in, removals too`() throws {
        #expect(try needsFreshSignIn(account()) { $0.password = "secret" })
        #expect(try needsFreshSignIn(account()) { $0.email = "new@example.com" })
        #expect(try needsFreshSignIn(account()) { $0.removed = [.password] })
        #expect(try needsFreshSignIn(account()) { $0.removed = [.email] })
        #expect(try needsFreshSignIn(account()) { $0.unlinked = ["password"] })
        let federated = account {
            $0.passwordUpdatedAt = nil
            $0.identities = [identity("oidc.a")]
        }
        #expect(try needsFreshSignIn(federated) { $0.password = "a first password" })
        #expect(try needsFreshSignIn(federated) { $0.unlinked = ["oidc.a"] }, "nothing would be left to sign in with")
        #expect(try !needsFreshSignIn(account { $0.identities = [identity("oidc.a")] }) { $0.unlinked = ["oidc.a"] })
        #expect(try !needsFreshSignIn(account()) { $0.displayName = .set("Ada") })
    }
}
