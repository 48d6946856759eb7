@testable import Accounts
import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import WebAuthn

@Suite struct PasskeyTests {
    private static let ada = "ada@example.com"

    @Test func `adds a passkey, and signs in with it as with two factors`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        let options = try await fixture.startEnrolment(idToken)
        #expect(options.user.name == Self.ada && options.user.handle.count == 24 && options.excluded.isEmpty)
        let authenticator = try fixture.authenticator(answering: options)
        let enrolled = try await fixture.finishEnrolment(idToken, try authenticator.registration(), name: "laptop")
        #expect(enrolled.session.signInProvider == "password")
        #expect(enrolled.session.secondFactor == nil)
        #expect(enrolled.account.passkeys.map(\.name) == ["laptop"])

        fixture.time.advance(.seconds(60))
        let (signedIn, session) = try await fixture.signIn(with: authenticator)
        #expect(signedIn.id == account.id)
        #expect(session.signInProvider == "passkey")
        #expect(session.secondFactor?.kind == "passkey" && session.secondFactor?.id?.utf8.count == 28)
        let stored = try #require(try await fixture.stored(account.id))
        #expect(stored.lastLoginAt == fixture.time.clock.now())
        #expect(stored.userHandle == options.user.handle)
        #expect(stored.passkeys == [AccountPasskey(credentialID: authenticator.credentialID, name: "laptop")])
        let listed = try #require(try await fixture.registrations.list(of: stored, in: fixture.project).first)
        #expect(listed.lastUsedAt == fixture.time.clock.now() && listed.isBackupEligible && listed.flaggedAt == nil)
        #expect(try await fixture.auditActions(of: account) == ["account.created", "passkey.added"])
    }

    @Test func `excludes the passkeys that are there, and keeps the user handle`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (_, _, idToken) = try await fixture.signUp(Self.ada)
        let first = try await fixture.startEnrolment(idToken)
        let authenticator = try await fixture.enrol(idToken).authenticator
        let second = try await fixture.startEnrolment(idToken)
        #expect(second.user.handle == first.user.handle)
        #expect(second.excluded.map(\.id) == [authenticator.credentialID])
    }

    @Test func `needs the section, a recent sign-in and room for one more`() async throws {
        var fixture = try await Fixture.forPasskeys()
        let (_, _, idToken) = try await fixture.signUp(Self.ada)
        fixture.project.passkeys?.limit = 1
        let limited = fixture
        let late = try limited.authenticator(answering: try await limited.startEnrolment(idToken)).registration()
        try await limited.enrol(idToken)
        await expectRefusal("passkeyLimitReached") { try await limited.startEnrolment(idToken) }
        await expectRefusal("passkeyLimitReached") { try await limited.finishEnrolment(idToken, late) }
        limited.time.advance(.seconds(301))
        await expectRefusal("signInTooOld") { try await limited.startEnrolment(idToken) }
        await expectRefusal("signInTooOld") { try await limited.finishEnrolment(idToken, late) }
        fixture.project.passkeys = nil
        let off = fixture
        await expectRefusal("passkeysNotEnabled") { try await off.startEnrolment(idToken) }
        await expectRefusal("passkeysNotEnabled") { try await off.finishEnrolment(idToken, late) }
        await expectRefusal("passkeysNotEnabled") { try await off.startSignIn() }
        await expectRefusal("passkeysNotEnabled") { try await off.finishSignIn(late) }
    }

    @Test func `a conditional registration needs the project's consent, and no presence`() async throws {
        var fixture = try await Fixture.forPasskeys()
        let (_, _, idToken) = try await fixture.signUp(Self.ada)
        let strict = fixture
        await expectRefusal("passkeysNotEnabled") {
            try await strict.registrations.start(idToken, conditional: true, in: strict.project, from: Fixture.here)
        }
        fixture.project.passkeys?.conditionalRegistration = true
        let options = try await fixture.registrations.start(idToken, conditional: true, in: fixture.project, from: Fixture.here)
        var authenticator = try fixture.authenticator(answering: options)
        authenticator.flags = 0x5C
        _ = try await fixture.finishEnrolment(idToken, try authenticator.registration())
    }

    @Test func `makes an anonymous account permanent`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, session) = try await fixture.signUpAnonymously()
        let (authenticator, enrolled, fresh) = try await fixture.enrol(try fixture.idToken(account, session))
        #expect(!enrolled.isAnonymous && enrolled.signInProviders == ["passkey"])
        #expect(fresh.signInProvider == "passkey")
        #expect(try await fixture.signIn(with: authenticator).account.id == account.id)
    }

    @Test func `gives a passkey of the person another name, and records it once`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (_, _, idToken) = try await fixture.signUp(Self.ada)
        let mine = try await fixture.enrol(idToken, name: "laptop").authenticator.credentialID
        let (_, _, foreign) = try await fixture.signUp("eve@example.com")
        let theirs = try await fixture.enrol(foreign, name: "theirs").authenticator.credentialID
        let browser = Session.ClientInfo(userAgent: "browser", address: "192.0.2.7", kind: .browser)
        let (ada, outcome) = try await fixture.accounts.signIn.passwords.signIn(
            email: Self.ada, password: "first password", in: fixture.project, from: browser)
        for (id, name) in [(mine, "work"), (theirs, "stolen"), ([1, 2], "unknown")] {
            let account = try #require(try await fixture.stored(ada.id))
            let session = BrowserSession(session: try outcome.session, account: account)
            try await fixture.registrations.rename(id, to: name, in: session, of: fixture.project, from: browser)
        }
        let now = try #require(try await fixture.stored(ada.id))
        try await fixture.registrations.rename(
            mine, to: "work", in: BrowserSession(session: try outcome.session, account: now), of: fixture.project, from: browser)
        #expect(now.passkeys.map(\.name) == ["work"])
        let names = try await fixture.database.query("SELECT name FROM passkeys ORDER BY name").map { try $0.value(as: String.self) }
        #expect(names == ["theirs", "work"])
        #expect(try await fixture.auditActions(of: ada).filter { $0 == "passkey.renamed" }.count == 1)
        let ended = BrowserSession(session: try outcome.session, account: now)
        _ = try await fixture.database.write("UPDATE sessions SET ended_at = now()")
        await expectRefusal("conflict") {
            try await fixture.registrations.rename(mine, to: "late", in: ended, of: fixture.project, from: browser)
        }
    }

    @Test func `removes passkeys, with the sessions that they signed in`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        let lost = try await fixture.enrol(idToken).authenticator
        let kept = try await fixture.enrol(idToken).authenticator
        let (_, thief) = try await fixture.signIn(with: lost)
        let (_, other) = try await fixture.signIn(with: kept)
        var change = AccountChange()
        change.removedPasskeys = [lost.credentialID, [1, 2, 3]]
        let (changed, session) = try await fixture.update(idToken, change)
        #expect(changed.passkeys.map(\.credentialID) == [kept.credentialID])
        #expect(session != nil)
        #expect(try await !fixture.refreshes(thief))
        #expect(try await fixture.refreshes(other))
        #expect(try await fixture.caller(idToken).0.id == account.id)
        await expectRefusal("noSuchPasskey") { try await fixture.signIn(with: lost) }
        #expect(try await fixture.auditActions(of: account).suffix(2) == ["passkey.removed", "sessions.ended"])
        fixture.time.advance(.seconds(301))
        await expectRefusal("signInTooOld") { [change] in try await fixture.update(idToken, change) }
    }

    @Test func `an unknown passkey is removed already`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (_, _, idToken) = try await fixture.signUp(Self.ada)
        var change = AccountChange()
        change.removedPasskeys = [[1, 2, 3]]
        #expect(try await fixture.update(idToken, change).1 != nil)
    }

    @Test func `tells the owner of a passkey that is added or removed`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, first) = try await fixture.signUp(Self.ada)
        try await fixture.apply(try await fixture.verifyCode(first, Self.ada))
        let (_, session) = try await fixture.signIn(Self.ada)
        let idToken = try fixture.idToken(account, session)
        let authenticator = try await fixture.enrol(idToken).authenticator
        fixture.time.advance(.seconds(1))
        var change = AccountChange()
        change.removedPasskeys = [authenticator.credentialID]
        _ = try await fixture.update(idToken, change)
        let mails = try await fixture.notices()
        #expect(mails.map(\.kind) == [.passkeyAdded, .passkeyRemoved])
        #expect(mails.allSatisfy { $0.to == Self.ada && !$0.link.isEmpty })
    }

    @Test func `a mail that gives the account back removes the passkeys that were added since`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, first) = try await fixture.signUp(Self.ada)
        try await fixture.apply(try await fixture.verifyCode(first, Self.ada))
        let (_, session) = try await fixture.signIn(Self.ada)
        let authenticator = try await fixture.enrol(try fixture.idToken(account, session)).authenticator
        let mail = try #require(try await fixture.notices().last)
        try await fixture.apply(try fixture.code(in: mail))
        #expect(try await fixture.stored(account.id)?.passkeys.isEmpty == true)
        await expectRefusal("noSuchPasskey") { try await fixture.signIn(with: authenticator) }
    }

    @Test func `a disabled account is refused after the signature`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        let authenticator = try await fixture.enrol(idToken).authenticator
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(account.id)")
        await expectRefusal("accountDisabled") { try await fixture.signIn(with: authenticator) }
        await expectRefusal("passkeyRefused(WebAuthn.RefusedCheck.relyingParty)") {
            try await fixture.signIn(with: authenticator) { $0.rpID = "example.org" }
        }
    }

    @Test func `counts as one factor where the project says so`() async throws {
        var fixture = try await Fixture.forPasskeys()
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        let authenticator = try await fixture.enrol(idToken).authenticator
        fixture.project.passkeys?.countAsSecondFactor = false
        let strict = fixture
        #expect(try await strict.signIn(with: authenticator).session.secondFactor == nil)
        _ = try await strict.database.write(
            "UPDATE accounts SET second_factors = '[{\"mfaEnrollmentId\":\"1\"}]' WHERE account_id = \(account.id)")
        await #expect(throws: Unexpected.self) { try await strict.signIn(with: authenticator) }
        strict.time.advance(.seconds(1))
        var counting = strict
        counting.project.passkeys?.countAsSecondFactor = true
        #expect(try await counting.signIn(with: authenticator).account.id == account.id)
    }

    @Test func `a second factor is one of the account's own, once, and for the pending sign-in that it was asked for`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        var authenticator = try await fixture.enrol(idToken).authenticator
        let (_, _, otherToken) = try await fixture.signUp("bob@example.com")
        let other = try await fixture.enrol(otherToken).authenticator
        _ = try await fixture.database.write(
            "UPDATE accounts SET second_factors = '[{\"mfaEnrollmentId\":\"1\"}]' WHERE account_id = \(account.id)")
        let rules = fixture.accounts.passkeys.secondFactors
        let (first, second) = (try await pending(fixture), try await pending(fixture))
        let options = try await rules.start(first, in: fixture.project)
        #expect(options.allowed.map(\.id) == [authenticator.credentialID])
        authenticator.answer(options.challenge, "webauthn.get")
        authenticator.flags = 0x19
        authenticator.userHandle = nil
        let response = try authenticator.assertion()
        func signIn(_ credential: PendingCredential, _ response: JSON) async throws -> Session {
            try await rules.signIn(credential, response, language: "en", in: fixture.project, from: Fixture.here).1.session
        }
        var stranger = authenticator
        stranger.credentialID = other.credentialID
        await expectRefusal("noSuchPasskey") { [stranger] in try await signIn(first, try stranger.assertion()) }
        await expectRefusal("passkeyChallengeRefused") { try await signIn(second, response) }
        await expectRefusal("passkeyChallengeRefused") { try await fixture.finishSignIn(response) }
        let session = try await signIn(first, response)
        #expect(session.signInProvider == "password" && session.secondFactor?.kind == "passkey")
        await expectRefusal("secondFactor(Accounts.SecondFactorError.pendingUnknown)") { try await signIn(first, response) }
        let late = try await pending(fixture)
        _ = try await fixture.database.write("DELETE FROM passkeys")
        await expectRefusal("noSuchPasskey") { try await rules.start(late, in: fixture.project) }
    }

    /// A sign-in with the right password, which waits for a second factor.
    private func pending(_ fixture: Fixture) async throws -> PendingCredential {
        let (_, outcome) = try await fixture.accounts.signIn.passwords.signIn(
            email: Self.ada, password: "first password", in: fixture.project, from: Fixture.here)
        guard case .pending(let pending) = outcome else { throw Unexpected.session }
        return pending.credential
    }
}
