import Postgres
import ProjectSettings
import TestKit
import Testing
import Text

@testable import Accounts

/// Links that administrators make.
@Suite(.takesTurns) struct ActionLinkTests {
    private static let ada = "ada@example.com"

    private func make(
        _ fixture: Fixture, _ kind: OutgoingMail.Kind, _ email: String = Self.ada, newEmail: String? = nil
    ) async throws -> ActionLink {
        try await fixture.accounts.codeMails.makeLink(
            kind, for: email, newEmail: newEmail, Fixture.english, by: fixture.operator)
    }

    @Test func `makes links that do what those in mails do, and mails nothing`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        let reset = try await make(fixture, .resetPassword)
        #expect(reset.link.contains("mode=resetPassword") && reset.link.contains("oobCode=\(reset.code)"))
        _ = try await fixture.accounts.codes.resetPassword(
            reset.code, to: "battery staple", language: "en", in: fixture.project, from: Fixture.here)
        #expect(try await fixture.signsIn(Self.ada, "battery staple"))
        #expect(try await fixture.enter(try await make(fixture, .signIn).code, Self.ada).account.id == account.id)
        #expect(try await fixture.apply(try await make(fixture, .verifyEmail).code).emailVerified)
        let moved = try await fixture.apply(try await make(fixture, .verifyAndChangeEmail, newEmail: "new@example.com").code)
        #expect(moved.email == "new@example.com" && moved.emailProven)
        #expect(try await fixture.enter(try await make(fixture, .signIn, "nobody@example.com").code, "nobody@example.com").isNewUser)
        let kinds: [OutgoingMail.Kind] = [.resetPassword, .signIn, .verifyEmail]
        let mails = try await fixture.outbox.claim(100, in: "demo").mails.map(\.payload.kind).filter(kinds.contains)
        #expect(mails.isEmpty)
        // A developer finds the links beside those in mails.
        let listed = try await fixture.outbox.recent(in: fixture.project).filter { kinds.contains($0.kind) }
        #expect(Set(listed.map(\.kind)) == Set(kinds) && listed.map(\.link).contains(reset.link))
        let made = try await AuditEvents(database: fixture.database).list(limit: 100, in: "demo").filter { $0.action == "link.made" }
        // The record has no addresses, so one without an account is known by its hash.
        let hash = fixture.accounts.addressHashes.hash(of: "nobody@example.com", in: "demo")
        #expect(made.count == 5 && made.filter { $0.details.contains("emailHash") }.map(\.accountID) == [nil])
        #expect(made.contains { $0.accountID == nil && $0.details.contains(hash) })
        #expect(made.allSatisfy { !$0.details.contains("@") })
        #expect(made.allSatisfy { $0.details.contains("code") && !$0.details.contains(reset.code) })
    }

    @Test func `mails in place of the person`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp(Self.ada)
        try await fixture.accounts.codeMails.sendLink(
            .resetPassword, for: Self.ada, Fixture.english, by: fixture.operator)
        let mail = try #require(try await fixture.outbox.recent(in: fixture.project).first)
        #expect(mail.kind == .resetPassword && mail.to == Self.ada)
        #expect(
            try await fixture.accounts.codes.inspect(try fixture.code(in: mail), in: fixture.project, from: Fixture.here).kind
                == .resetPassword)
    }

    @Test func `tells administrators which addresses have accounts`() async throws {
        var fixture = try await Fixture.forCodes()
        await refusals(
            [(.resetPassword, "noSuchEmail"), (.verifyEmail, "accountNotFound"), (.verifyAndChangeEmail, "accountNotFound")], fixture)
        let (account, _, _) = try await fixture.signUp(Self.ada)
        await refusals([(.verifyAndChangeEmail, "emailTaken")], fixture)
        var change = AdministratorChange()
        change.disabled = true
        _ = try await fixture.accounts.administration.accounts.update(account.id, change, by: fixture.operator)
        await refusals(
            [OutgoingMail.Kind.resetPassword, .signIn, .verifyEmail, .verifyAndChangeEmail].map { ($0, "accountDisabled") }, fixture)
        fixture.project.signIn.signUp = false
        let closed = fixture
        await expectRefusal("adminOnly") { try await make(closed, .signIn, "nobody@example.com") }
        #expect(try await fixture.count("action_codes") == 0)
    }

    private func refusals(_ table: [(OutgoingMail.Kind, String)], _ fixture: Fixture) async {
        for (kind, error) in table {
            await expectRefusal(error) { try await make(fixture, kind, newEmail: kind == .verifyAndChangeEmail ? Self.ada : nil) }
        }
    }
}
