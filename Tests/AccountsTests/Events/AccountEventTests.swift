@testable import Accounts
import Runtime
import Testing

@Suite struct AccountEventTests {
    private func account(_ identities: [(String, String)] = [], password: Int64? = nil) -> Account {
        var account = Account(id: "id", at: Instant(seconds: 1))
        account.email = "ada@example.com"
        account.identities = identities.map { LinkedIdentity(providerID: $0.0, subject: $0.1) }
        account.passwordUpdatedAt = password.map { Instant(seconds: $0) }
        return account
    }

    private func linked(_ provider: String, _ subject: String) -> AccountEvent {
        AccountEvent(.providerLinked, providerID: provider, subject: subject)
    }

    private func unlinked(_ provider: String, _ subject: String) -> AccountEvent {
        AccountEvent(.providerUnlinked, providerID: provider, subject: subject)
    }

    @Test func `each provider, each password, links in mails and the address are events when they come, go or are others`() {
        let plain = account()
        let both = account([("a", "1"), ("b", "2")], password: 5)
        #expect(plain.events(to: plain).isEmpty && both.events(to: both).isEmpty)
        #expect(plain.events(to: both) == [linked("a", "1"), linked("b", "2"), AccountEvent(.passwordAdded)])
        #expect(both.events(to: plain) == [unlinked("a", "1"), unlinked("b", "2"), AccountEvent(.passwordRemoved)])
        #expect(both.events(to: account([("a", "1"), ("b", "2")], password: 6)) == [AccountEvent(.passwordChanged)])
        #expect(both.events(to: account([("a", "9"), ("b", "2")], password: 5)) == [unlinked("a", "1"), linked("a", "9")])
        var other = both
        other.displayName = "Ada"
        other.emailLinkSignIn = true
        other.move(to: "new@example.com")
        #expect(both.events(to: other) == [AccountEvent(.emailLinkAdded), AccountEvent(.emailChanged)])
        #expect(other.events(to: both).map(\.action) == [.emailLinkRemoved, .emailChanged])
        var first = plain
        first.email = nil
        #expect(first.events(to: plain).isEmpty, "an account's first address is told by no mail")
    }

    @Test func `a subject of other bytes that look the same is another identity`() {
        let one = account([("a", "\u{E9}")])
        #expect(one.events(to: account([("a", "e\u{301}")])).map(\.action) == [.providerUnlinked, .providerLinked])
    }

    @Test(arguments: AuditEvent.Action.allCases)
    func `a mail tells the owner of changed ways to sign in and of another address, and of nothing else`(action: AuditEvent.Action) {
        let event = AccountEvent(action, providerID: "oidc.a")
        let kinds: [AuditEvent.Action: OutgoingMail.Kind] = [
            .providerLinked: .signInMethodAdded, .passwordAdded: .signInMethodAdded, .providerUnlinked: .signInMethodRemoved,
            .passwordRemoved: .signInMethodRemoved, .passwordChanged: .passwordChanged, .emailChanged: .recoverEmail,
            .secondFactorAdded: .secondFactorAdded, .secondFactorRemoved: .secondFactorRemoved,
            .secondFactorWarningMailed: .secondFactorRefused, .recoveryCodesMade: .recoveryCodesMade, .recoveryCodeUsed: .recoveryCodeUsed,
            .phoneNumberAdded: .signInMethodAdded, .phoneNumberChanged: .signInMethodAdded, .phoneNumberRemoved: .signInMethodRemoved,
            .passkeyAdded: .passkeyAdded, .passkeyRemoved: .passkeyRemoved, .passkeySuspected: .passkeySuspected,
            .phoneNumberUsedAgain: .phoneSignIn,
        ]
        #expect(OutgoingMail.Kind(telling: event) == kinds[action])
        #expect(event.isOfSignInMethod == (kinds[action] != nil && action != .emailChanged && !event.isOfSecondFactors))
    }
}
