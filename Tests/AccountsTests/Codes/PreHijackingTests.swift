@testable import Accounts
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// The attacks of "Pre-hijacked accounts" that need no mistake of a provider: the attacker makes an account with the victim's address
/// first, and waits. <https://arxiv.org/abs/2205.10174>
@Suite struct PreHijackingTests {
    /// How the victim gets into the account: by a password reset, or by a link in a mail.
    enum Arrival: CaseIterable, Sendable { case reset, link }

    private func arrive(_ arrival: Arrival, _ fixture: Fixture) async throws -> Session {
        let email = "victim@example.com"
        fixture.time.advance(.seconds(5))
        switch arrival {
        case .reset:
            _ = try await fixture.accounts.codes.resetPassword(
                try await fixture.resetCode(email), to: "the victim's own", language: "en", in: fixture.project, from: Fixture.here)
            return try await fixture.signIn(email, password: "the victim's own").session
        case .link: return try await fixture.enter(try await fixture.linkCode(email), email).session
        }
    }

    @Test(arguments: Arrival.allCases)
    func `SEC-02 classic merge: the password that an attacker set for the victim's address is removed`(arrival: Arrival) async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp("victim@example.com", password: "the attacker's")
        let session = try await arrive(arrival, fixture)
        #expect(try await !fixture.signsIn("victim@example.com", "the attacker's"))
        #expect(try await fixture.refreshes(session))
    }

    @Test(arguments: Arrival.allCases)
    func `keeps what an administrator wrote until a person has signed in, but no way to sign in`(arrival: Arrival) async throws {
        let fixture = try await Fixture.forCodes()
        for isUsed in [false, true] {
            var change = AdministratorChange()
            change.own.email = "victim@example.com"
            change.own.password = "the administrator's"
            change.own.displayName = .set("Ada")
            change.own.photoURL = .set("https://example.com/ada.png")
            change.phoneNumber = .set("+441234567890")
            let made = try await fixture.accounts.administration.accounts.create(nil, change, by: fixture.operator)
            if isUsed { #expect(try await fixture.signsIn("victim@example.com", "the administrator's")) }
            _ = try await arrive(arrival, fixture)
            let account = try #require(try await fixture.stored(made.id))
            #expect(account.displayName == (isUsed ? nil : "Ada"))
            // A link takes over, and nobody has proven the number.
            #expect(account.phoneNumber == (isUsed || arrival == .link ? nil : "+441234567890"))
            #expect(account.photoURL == (isUsed ? nil : "https://example.com/ada.png") && account.emailProven)
            #expect(try await !fixture.signsIn("victim@example.com", "the administrator's"))
            let events = try await AuditEvents(database: fixture.database).list(of: made.id, limit: 100, in: "demo").map(\.action)
            #expect(events.contains("account.takenOver") == isUsed)
            try await fixture.accounts.deletion.delete(made.id, by: fixture.operator)
        }
    }

    @Test(arguments: Arrival.allCases)
    func `SEC-02 unexpired session: what the attacker holds open closes`(arrival: Arrival) async throws {
        let fixture = try await Fixture.forCodes()
        let (_, attacker, idToken) = try await fixture.signUp("victim@example.com", password: "the attacker's")
        let session = try await arrive(arrival, fixture)
        #expect(try await !fixture.refreshes(attacker))
        await expectRefusal("sessionEnded") { try await fixture.accounts.idTokens.account(of: idToken, in: fixture.project) }
        #expect(try await fixture.refreshes(session))
    }

    @Test(arguments: Arrival.allCases)
    func `SEC-02 trojan identifier: an identity that the attacker linked opens the account no more`(arrival: Arrival) async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp("victim@example.com", password: "the attacker's")
        let trojan = Fixture.ada("oidc.a", subject: "attacker")
        _ = try await fixture.signIn(trojan, .link(fixture.token(account)))
        _ = try await arrive(arrival, fixture)
        let (other, _, isNew) = try await fixture.signIn(trojan)
        #expect(isNew && other.id != account.id)
    }

    @Test func `SEC-02 trojan identifier: linked first and given the victim's address later, it is dead all the same`() async throws {
        let fixture = try await Fixture.forCodes()
        let trojan = Fixture.ada("oidc.a", subject: "attacker")
        let (account, session, _) = try await fixture.signIn(trojan)
        _ = try await fixture.linkPassword(try fixture.idToken(account, session), email: "victim@example.com", password: "the attacker's")
        _ = try await arrive(.reset, fixture)
        let (other, _, isNew) = try await fixture.signIn(trojan)
        #expect(isNew && other.id != account.id)
    }

    @Test(arguments: Arrival.allCases)
    func `SEC-02 unexpired e-mail change: the link that waits in the attacker's mailbox is dead`(arrival: Arrival) async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("victim@example.com", password: "the attacker's")
        let change = try await fixture.changeCode(idToken, to: "attacker@example.com")
        let session = try await arrive(arrival, fixture)
        await expectRefusal("invalidActionCode") { try await fixture.apply(change) }
        #expect(try await fixture.stored(account.id)?.email == "victim@example.com")
        #expect(try await fixture.refreshes(session))
    }

    @Test(arguments: Arrival.allCases)
    func `SEC-02 a way back to the address that the attacker had before is dead`(arrival: Arrival) async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.emailEnumerationProtection = false
        let (account, session, _) = try await fixture.signUp("attacker@example.com", password: "the attacker's")
        var change = AccountChange()
        change.email = "victim@example.com"
        _ = try await fixture.update(try fixture.idToken(account, session), change, language: "en")
        let back = try await fixture.code(.recoverEmail, to: "attacker@example.com")
        let open = fixture
        _ = try await arrive(arrival, open)
        await expectRefusal("invalidActionCode") { try await open.apply(back) }
        #expect(try await open.stored(account.id)?.email == "victim@example.com")
    }

    @Test func `SEC-02 a way back to an address that was never proven brings no password and no identity along`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.emailEnumerationProtection = false
        let (account, session, _) = try await fixture.signUp("victim@example.com", password: "the attacker's")
        let trojan = Fixture.ada("oidc.a", subject: "attacker")
        _ = try await fixture.signIn(trojan, .link(fixture.token(account)))
        fixture.time.advance(.seconds(5))
        var change = AccountChange()
        change.email = "attacker@example.com"
        _ = try await fixture.update(try fixture.idToken(account, session), change, language: "en")
        try await fixture.apply(try await fixture.code(.recoverEmail, to: "victim@example.com"))
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.email == "victim@example.com" && !stored.hasPassword && stored.identities.isEmpty)
    }

    @Test func `SEC-02 a provider's proof of the address ends the attacker's codes too`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("victim@example.com", password: "the attacker's")
        let change = try await fixture.changeCode(idToken, to: "attacker@example.com")
        let (own, _, _) = try await fixture.signIn(Fixture.ada(subject: "victim", email: "victim@example.com", authoritative: true))
        #expect(own.id == account.id)
        await expectRefusal("invalidActionCode") { try await fixture.apply(change) }
        #expect(try await !fixture.signsIn("victim@example.com", "the attacker's"))
    }
}
