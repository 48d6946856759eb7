@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Tests which owners get a mail when the ways to sign in to their account change (SEC-73).
@Suite struct OwnerNoticeTests {
    private static let ada = "ada@example.com"

    /// An account with a password and a confirmed address.
    private func proven(_ fixture: Fixture) async throws -> (account: Account, session: Session, idToken: String) {
        let (account, session, idToken) = try await fixture.signUp(Self.ada)
        try await fixture.apply(try await fixture.verifyCode(idToken, Self.ada))
        return (try #require(try await fixture.stored(account.id)), session, idToken)
    }

    /// What the mails report, each as its kind and the provider.
    private func told(_ mails: [OutgoingMail]) -> [String] {
        mails.map { mail in ([mail.kind.rawValue] + [mail.providerID].compactMap(\.self)).joined(separator: " ") }
    }

    @Test func `SEC-73 tells the proven address of every way in that is added, changed or removed`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await proven(fixture)
        fixture.time.advance(.seconds(1))
        let linked = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(account, session)))
        fixture.time.advance(.seconds(1))
        var change = AccountChange()
        change.password = "second password"
        let (_, fresh) = try await fixture.update(try fixture.idToken(linked.account, linked.session), change, language: "de")
        fixture.time.advance(.seconds(1))
        change = AccountChange()
        change.unlinked = ["oidc.a", "password", "oidc.never"]
        let stored = try #require(try await fixture.stored(account.id))
        _ = try await fixture.update(try fixture.idToken(stored, try #require(fresh)), change)
        let mails = try await fixture.notices()
        #expect(told(mails).prefix(2) == ["signInMethodAdded oidc.a", "passwordChanged"])
        #expect(Set(told(mails).dropFirst(2)) == ["signInMethodRemoved oidc.a", "signInMethodRemoved"])
        #expect(mails.count == 4)
        #expect(mails.allSatisfy { $0.to == Self.ada && $0.newEmail == Self.ada })
        #expect(mails.map(\.language) == ["en", "de", "en", "en"])
        #expect(mails.last?.happenedAt == fixture.time.clock.now().seconds)
    }

    @Test func `SEC-73 tells the address that was proven before, whatever address comes with the password`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.emailEnumerationProtection = false
        let (account, session, _) = try await fixture.signIn(Fixture.ada("oidc.a", email: Self.ada, authoritative: true))
        _ = try await fixture.linkPassword(try fixture.idToken(account, session), email: "thief@example.com", password: "thief's own")
        let mails = try await fixture.outbox.recent(in: fixture.project)
        #expect(mails.allSatisfy { $0.to == Self.ada && $0.newEmail == "thief@example.com" && $0.language == "de" })
        #expect(Set(mails.map(\.kind)) == [.recoverEmail, .signInMethodAdded])
        #expect(told(try await fixture.notices()) == ["signInMethodAdded"])
    }

    @Test func `SEC-73 tells nothing to an address that was not proven`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.ada)
        // The identity also proves the address, which was not proven before.
        let linked = try await fixture.signIn(
            Fixture.ada("oidc.a", email: Self.ada, authoritative: true), .link(fixture.token(account, session)))
        #expect(linked.account.emailProven)
        #expect(try await fixture.outbox.recent(in: fixture.project).isEmpty)

        let (other, stolen, _) = try await fixture.signUp("bob@example.com")
        let bob = try await fixture.signIn(Fixture.ada("oidc.a", subject: "bob"), .link(fixture.token(other, stolen)))
        var change = AccountChange()
        change.password = "second password"
        change.unlinked = ["oidc.a"]
        _ = try await fixture.update(try fixture.idToken(bob.account, bob.session), change)
        #expect(try await fixture.count("action_codes") == 0)
        #expect(try await fixture.count("deliveries") == 0)
    }

    @Test func `SEC-73 sends no mail for anonymous and new accounts, for a takeover, and for sign-ins that change nothing`() async throws {
        let fixture = try await Fixture.forCodes()
        let (guest, session) = try await fixture.signUpAnonymously()
        _ = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(guest, session)))
        let (second, own) = try await fixture.signUpAnonymously()
        _ = try await fixture.linkPassword(try fixture.idToken(second, own), email: "second@example.com", password: "first password")
        for _ in 0..<2 {
            _ = try await fixture.signIn(Fixture.ada("oidc.strict", subject: "s", email: "new@example.com", authoritative: true))
        }
        _ = try await fixture.signUp("taken@example.com")
        let owner = Fixture.ada("oidc.strict", subject: "t", email: "taken@example.com", authoritative: true)
        #expect(try await !fixture.signIn(owner).account.hasPassword)
        #expect(try await fixture.count("deliveries") == 0)
    }

    @Test func `SEC-73 tells of a provider that joins by the proven address, and of a password that a mail has reset`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await proven(fixture)
        fixture.time.advance(.seconds(1))
        let joined = try await fixture.signIn(Fixture.ada("oidc.strict", email: Self.ada, authoritative: true))
        #expect(joined.account.id == account.id)
        let code = try await fixture.resetCode(Self.ada)
        fixture.time.advance(.seconds(1))
        _ = try await fixture.accounts.codes.resetPassword(
            code, to: "second password", language: "de", in: fixture.project, from: Fixture.here)
        #expect(told(try await fixture.notices()) == ["signInMethodAdded oidc.strict", "passwordChanged"])
        #expect(try await fixture.notices().map(\.language) == ["en", "de"])
        // A link in a mail is not another way in than the mailbox.
        _ = try await fixture.enter(try await fixture.linkCode(Self.ada), Self.ada)
        #expect(try await fixture.notices().count == 2)
    }

    @Test func `SEC-73 the mail takes the account back from a thief who linked an identity, and tells the thief nothing`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await proven(fixture)
        let thief = try await fixture.signIn(Fixture.ada("oidc.a", subject: "thief"), .link(fixture.token(account, session)))
        let code = try fixture.code(in: try #require(try await fixture.notices().first))
        let seen = try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here)
        #expect(seen.kind == .recoverEmail && seen.email == Self.ada && seen.keepsEmail)
        fixture.time.advance(.seconds(5))
        let back = try await fixture.apply(code)
        #expect(back.initialEmail == nil, "the address never was another")
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.identities.isEmpty && !stored.hasPassword && stored.email == Self.ada && stored.emailProven)
        #expect(try await !fixture.refreshes(thief.session))
        #expect(try await fixture.notices().count == 1)
        await expectRefusal("invalidActionCode") { try await fixture.apply(code) }
    }

    @Test func `SEC-73 a thief who moves the account after the mail loses it by the mail all the same`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await proven(fixture)
        let linked = try await fixture.signIn(Fixture.ada("oidc.a", subject: "thief"), .link(fixture.token(account, session)))
        let code = try fixture.code(in: try #require(try await fixture.notices().first))
        try await fixture.apply(try await fixture.changeCode(try fixture.idToken(linked.account, linked.session), to: "thief@example.com"))
        #expect(try await fixture.stored(account.id)?.email == "thief@example.com")
        fixture.time.advance(.seconds(1))
        try await fixture.apply(code)
        #expect(try await fixture.stored(account.id)?.email == Self.ada)
    }

    @Test func `SEC-73 refuses the change that would be one mail too many, and leaves the owner the reset`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.limits[.changeSignInMethods, .mailbox] = Rate(1, per: .seconds(86400))
        let (account, session, idToken) = try await proven(fixture)
        var unlink = AccountChange()
        unlink.unlinked = ["oidc.a"]
        _ = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(account, session)))
        _ = try await fixture.update(idToken, unlink)
        let limited = fixture
        await expectRefusal("tooManyAttempts(ProjectSettings.LimitedAction.changeSignInMethods, by: ProjectSettings.LimitScope.mailbox)") {
            try await limited.signIn(Fixture.ada("oidc.a"), .link(limited.token(account, session)))
        }
        #expect(try await fixture.stored(account.id)?.identities.isEmpty == true)
        #expect(try await fixture.notices().count == 2)
        let code = try await fixture.resetCode(Self.ada)
        _ = try await fixture.accounts.codes.resetPassword(
            code, to: "second password", language: "en", in: fixture.project, from: Fixture.here)
        #expect(try await fixture.notices().count == 3)
    }

    @Test func `SEC-73 of two requests that unlink one provider each, a stale session's second does not take the last`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signIn(Fixture.ada("oidc.a"))
        let linked = try await fixture.signIn(Fixture.ada("oidc.b"), .link(fixture.token(account, session)))
        fixture.time.advance(fixture.project.signIn.recentLogin + .seconds(1))
        let idToken = try fixture.idToken(linked.account, linked.session)
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for provider in ["oidc.a", "oidc.b"] {
                var unlink = AccountChange()
                unlink.unlinked = [UTF8Text(provider)]
                group.addTask { [unlink] in (try? await fixture.update(idToken, unlink)) != nil }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 1)
        #expect(try await fixture.stored(account.id)?.identities.count == 1)
    }

    @Test func `SEC-73 a link that is rolled back sends no mail`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await proven(fixture)
        let mails = try await fixture.count("deliveries")
        // No issuer is pinned for this provider, so the last statement of the link finds nothing to do.
        await expectRefusal("conflict") {
            try await fixture.signIn(Fixture.ada("oidc.unpinned"), .link(fixture.token(account, session)))
        }
        #expect(try await fixture.count("deliveries") == mails)
        #expect(try await fixture.count("action_codes") == 0)
    }

    @Test func `a link asks the database once more when its owner is told, and not otherwise`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp("bob@example.com")
        var before = fixture.database.roundTrips
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "bob"), .link(fixture.token(account, session)))
        #expect(fixture.database.roundTrips - before == 2)
        let (ada, own, _) = try await proven(fixture)
        before = fixture.database.roundTrips
        _ = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(ada, own)))
        #expect(fixture.database.roundTrips - before == 3)
    }
}
