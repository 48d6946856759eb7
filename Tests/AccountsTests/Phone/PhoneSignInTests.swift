import Identity
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts

/// Sign-ins by phone: each row of the table of answers.
@Suite struct PhoneSignInTests {
    private func error(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch { return String("\(error)".prefix { $0 != "(" }) }
    }

    @Test func `makes an account with the number, and finds it again`() async throws {
        let fixture = try await PhoneFixture()
        let first = try await fixture.signIn()
        #expect(first.isNew && first.account.phoneNumber == PhoneFixture.ada)
        #expect(first.session.signInProvider == "phone")
        #expect(!first.account.isAnonymous)
        fixture.base.time.advance(.seconds(60))
        let second = try await fixture.signIn()
        #expect(!second.isNew && second.account.id == first.account.id)
        #expect(second.account.lastLoginAt == fixture.base.time.clock.now())
        #expect(try await fixture.count("sms_codes") == 0)
    }

    @Test func `signs in once with a code, however many ask at the same time`() async throws {
        let fixture = try await PhoneFixture()
        let (session, digits) = try await fixture.send()
        var answers: [String: Int] = [:]
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    do throws(AccountError) {
                        _ = try await fixture.signIn(by: .code(digits, session: UTF8Text(session)))
                        return "in"
                    } catch { return String("\(error)".prefix { $0 != "(" }) }
                }
            }
            for await answer in group { answers[answer, default: 0] += 1 }
        }
        #expect(answers["in"] == 1, "\(answers)")
        #expect(answers["codeSessionUnknown"] == 4, "\(answers)")
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.count("sessions") == 1)
    }

    @Test func `signs in again only where there is an account`() async throws {
        let fixture = try await PhoneFixture()
        #expect(await error { _ = try await fixture.signIn(makesAccounts: false) } == "accountNotFound")
        _ = try await fixture.signIn()
        #expect(await error { _ = try await fixture.signIn(makesAccounts: false) } == "none")
    }

    @Test func `makes no account where apps may not`() async throws {
        var fixture = try await PhoneFixture()
        let (session, digits) = try await fixture.send()
        fixture.base.project.signIn.signUp = false
        #expect(await error { _ = try await fixture.signIn(by: .code(digits, session: UTF8Text(session))) } == "adminOnly")
        #expect(try await fixture.count("accounts") == 0)
    }

    @Test func `lets no disabled account in, and no account with second factors`() async throws {
        let fixture = try await PhoneFixture()
        let made = try await fixture.signIn()
        _ = try await fixture.base.database.write(
            "UPDATE accounts SET second_factors = '[{\"mfaEnrollmentId\":\"1\",\"phoneInfo\":\"+4930999999\"}]' WHERE account_id = \(made.account.id)"
        )
        #expect(await error { _ = try await fixture.signIn() } == "phoneBesideSecondFactor")
        _ = try await fixture.base.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(made.account.id)")
        #expect(await error { _ = try await fixture.signIn() } == "accountDisabled")
        #expect(try await fixture.count("sessions") == 1)
    }

    @Test func `gives an account the number, and another one in its place`() async throws {
        let fixture = try await PhoneFixture()
        let ada = try await fixture.base.signIn(Fixture.ada(email: "ada@example.com", authoritative: true))
        let linked = try await fixture.signIn(linkingTo: fixture.idToken(ada.account, ada.session))
        #expect(!linked.isNew && linked.account.id == ada.account.id)
        #expect(linked.account.phoneNumber == PhoneFixture.ada && !linked.account.phoneLinkedUnproven)
        #expect(linked.account.signInProviders == ["oidc.acme", "phone"])
        let byPhone = try await fixture.signIn()
        #expect(byPhone.account.id == ada.account.id)
        let updated = try await fixture.signIn(PhoneFixture.bob, linkingTo: fixture.idToken(linked.account, linked.session))
        #expect(updated.account.phoneNumber == PhoneFixture.bob)
        // The sessions of the former number's person end.
        let ended = try await fixture.count("sessions", where: "ended_at IS NOT NULL AND sign_in_provider = 'phone'")
        #expect(ended == 1)
        #expect(try await fixture.signIn(PhoneFixture.ada).isNew)
        let events = try await fixture.base.database.query("SELECT action FROM audit_events WHERE action LIKE 'phone%' ORDER BY event_id")
        #expect(try events.map { try $0.value(as: String.self) } == ["phoneNumber.added", "phoneNumber.changed"])
        let mails = try await fixture.base.outbox.recent(in: fixture.project)
        #expect(mails.map(\.kind) == [.signInMethodAdded, .signInMethodAdded])
        #expect(mails.allSatisfy { $0.providerID == "phone" && $0.to == "ada@example.com" })
    }

    @Test func `tells the owner when a number signs in to an account that was idle for half a year`() async throws {
        let fixture = try await PhoneFixture()
        let ada = try await fixture.base.signIn(Fixture.ada(email: "ada@example.com", authoritative: true))
        _ = try await fixture.signIn(linkingTo: fixture.idToken(ada.account, ada.session))
        fixture.base.time.advance(.seconds(180 * 86400))
        _ = try await fixture.signIn()
        let early = try await fixture.base.outbox.recent(in: fixture.project)
        #expect(!early.contains { $0.kind == .phoneSignIn }, "a second too early")
        fixture.base.time.advance(.seconds(180 * 86400 + 1))
        _ = try await fixture.signIn()
        _ = try await fixture.signIn()
        let told = try await fixture.base.outbox.recent(in: fixture.project).filter { $0.kind == .phoneSignIn }
        #expect(told.count == 1 && told[0].to == "ada@example.com" && told[0].happenedAt != nil && !told[0].link.isEmpty)
        let events = try await fixture.base.database.query("SELECT action FROM audit_events WHERE action LIKE 'phone%' ORDER BY event_id")
        #expect(try events.map { try $0.value(as: String.self) } == ["phoneNumber.added", "phoneNumber.usedAgain"])
    }

    @Test func `gives no account a number without a recent sign-in`() async throws {
        let fixture = try await PhoneFixture()
        let ada = try await fixture.base.signIn(Fixture.ada())
        fixture.base.time.advance(.seconds(3000))
        let token = try fixture.idToken(ada.account, ada.session)
        #expect(await error { _ = try await fixture.signIn(linkingTo: token) } == "signInTooOld")
        #expect(try await fixture.account(ada.account.id)?.phoneNumber == nil)
    }

    @Test func `makes an anonymous account permanent`() async throws {
        let fixture = try await PhoneFixture()
        let (guest, outcome) = try await fixture.base.accounts.signIn.signUps.signUpAnonymously(in: fixture.project, from: fixture.client)
        let linked = try await fixture.signIn(linkingTo: fixture.idToken(guest, outcome.session))
        #expect(linked.account.id == guest.id && !linked.account.isAnonymous)
        #expect(linked.session.signInProvider == "phone")
    }

    @Test func `hands the holder of another account's number a proof that signs in to it once`() async throws {
        let fixture = try await PhoneFixture()
        let holder = try await fixture.signIn()
        let bob = try await fixture.base.signIn(Fixture.ada(subject: "bob"))
        let token = try fixture.idToken(bob.account, bob.session)
        let (session, digits) = try await fixture.send()
        guard
            case .taken(let number, let proof, let lifetime) = try await fixture.signIn(
                by: .code(digits, session: UTF8Text(session)), linkingTo: token)
        else { throw Unexpected.session }
        #expect(number == PhoneFixture.ada && lifetime == .seconds(3600))
        #expect(await error { _ = try await fixture.signIn(by: .code(digits, session: UTF8Text(session))) } == "codeSessionUnknown")
        #expect(await error { _ = try await fixture.signIn(by: .temporary(proof, number: PhoneFixture.bob)) } == "invalidPhoneProof")
        #expect(await error { _ = try await fixture.signIn(by: .temporary("x", number: PhoneFixture.ada)) } == "invalidPhoneProof")
        #expect(
            await error { _ = try await fixture.signIn(by: .temporary(proof, number: PhoneFixture.ada), linkingTo: token) }
                == "phoneNumberTaken")
        guard case .signedIn(let account, _, false) = try await fixture.signIn(by: .temporary(proof, number: PhoneFixture.ada)) else {
            throw Unexpected.session
        }
        #expect(account.id == holder.account.id)
        #expect(await error { _ = try await fixture.signIn(by: .temporary(proof, number: PhoneFixture.ada)) } == "invalidPhoneProof")
    }

    @Test func `takes no proof that is too old, or of another project`() async throws {
        let fixture = try await PhoneFixture()
        _ = try await fixture.signIn()
        let bob = try await fixture.base.signIn(Fixture.ada(subject: "bob"))
        let (session, digits) = try await fixture.send()
        let result = try await fixture.signIn(
            by: .code(digits, session: UTF8Text(session)), linkingTo: fixture.idToken(bob.account, bob.session))
        guard case .taken(let number, let proof, _) = result else { throw Unexpected.session }
        var other = fixture.project
        (other.id, other.storageID) = ("other", "other")
        #expect(
            await error {
                _ = try await fixture.base.accounts.signIn.phones.signIn(
                    by: .temporary(proof, number: number), language: "en", in: other, from: fixture.client)
            } == "invalidPhoneProof")
        fixture.base.time.advance(.seconds(3600))
        #expect(await error { _ = try await fixture.signIn(by: .temporary(proof, number: number)) } == "invalidPhoneProof")
    }

    @Test func `unlinks the number, and ends the sessions that it signed in`() async throws {
        let fixture = try await PhoneFixture()
        let ada = try await fixture.base.signIn(Fixture.ada())
        let linked = try await fixture.signIn(linkingTo: fixture.idToken(ada.account, ada.session))
        _ = try await fixture.signIn()
        var change = AccountChange()
        change.unlinked = ["phone"]
        let (changed, _) = try await fixture.base.accounts.changes.update(
            fixture.idToken(linked.account, ada.session), change, language: "en", in: fixture.project, from: fixture.client)
        #expect(changed.phoneNumber == nil && changed.signInProviders == ["oidc.acme"])
        #expect(try await fixture.count("sessions", where: "ended_at IS NULL") == 1)
        #expect(try await fixture.signIn().isNew)
    }

    @Test func `SEC-28 a number that was linked on an unproven address falls when its owner sets a password`() async throws {
        let fixture = try await PhoneFixture()
        var project = fixture.project
        project.signIn.password = true
        let (squatter, outcome) = try await fixture.base.accounts.signIn.signUps.signUp(
            email: "ada@example.com", password: "correct horse", displayName: nil, in: project, from: fixture.client)
        let linked = try await fixture.signIn(linkingTo: fixture.idToken(squatter, outcome.session))
        #expect(linked.account.phoneLinkedUnproven)
        // The mailbox confirms the address; whoever linked the number is still in.
        try await fixture.base.accounts.codeMails.sendPasswordReset(
            to: "ada@example.com", MailOptions(language: "en"), in: project, from: fixture.client)
        let mail = try #require(try await fixture.base.outbox.recent(in: project).first { $0.kind == .resetPassword })
        let code = try #require(mail.link.split(separator: "&").first { $0.hasPrefix("oobCode=") }).dropFirst("oobCode=".count)
        _ = try await fixture.base.accounts.codes.resetPassword(
            String(code), to: "another horse", language: "en", in: project, from: fixture.client)
        #expect(try await fixture.account(squatter.id)?.phoneNumber == nil)
        #expect(try await fixture.signIn().isNew)
    }
}
