@testable import Accounts
import Postgres
import ProjectSettings
import TestKit
import Testing
import Text

/// Hooks before messages and mails.
@Suite struct MessageHookTests {
    private let hooks = FakeHooks()

    @Test func `a hook is asked before a code goes to a phone, and its refusal costs nothing`() async throws {
        var phones = try await PhoneFixture(hooks: hooks)
        phones.base.project = phones.base.project.asking(.beforeSendSms)
        phones.base.project.phone.testNumbers = ["+4930123459": "123456"]
        _ = try await phones.send()
        #expect(hooks.events == [.beforeSendSms])
        guard case .message(.signIn, to: PhoneFixture.ada) = try #require(hooks.questions.first).subject else { throw Unexpected.session }
        hooks.refuse(.beforeSendSms)
        let counters = try await rows("sms_counters", phones)
        for _ in 0..<20 { await expectRefusal(FakeHooks.refused) { try await phones.send() } }
        #expect(try await rows("sms_codes", phones) == 1)
        #expect(try await rows("sms_counters", phones) == counters)
        // Nothing is sent to a test number.
        _ = try await phones.send(to: "+4930123459")
    }

    @Test func `SEC-15 the hook about mails is asked alike for known and unknown addresses`() async throws {
        var fixture = try await Fixture.forCodes()
        let known = try await fixture.signUp("ada@example.com")
        #expect(known.account.email != nil)
        try await send(fixture)
        // Without a hook, a decoy stays in the database.
        #expect(try await fixture.outbox.claim(10, in: "demo").mails.map(\.payload.to) == ["ada@example.com"])
        fixture.project = fixture.project.asking(.beforeSendEmail)
        try await send(fixture)
        let due = try await fixture.outbox.claim(10, in: "demo").mails.map(\.payload)
        #expect(due.compactMap(\.hooked?.email).sorted() == ["ada@example.com", "nobody@example.com"])
        #expect(due.allSatisfy { $0.hooked?.kind == .passwordReset && $0.hooked?.address == "127.0.0.1" })
        // A process that knows nothing of hooks cannot send the decoy, since it has no address.
        #expect(due.filter(\.isDecoy).map(\.to) == [""] && due.filter(\.isDecoy).map(\.hooked?.email) == ["nobody@example.com"])
        #expect(try await fixture.outbox.recent(in: fixture.project).allSatisfy { !$0.isDecoy })
    }

    private func send(_ fixture: Fixture) async throws {
        for email in ["ada@example.com", "nobody@example.com"] {
            try await fixture.accounts.codeMails.sendPasswordReset(to: email, Fixture.english, in: fixture.project, from: Fixture.here)
        }
    }

    private func rows(_ table: SQL, _ phones: PhoneFixture) async throws -> Int64 {
        try await phones.base.database.query("SELECT count(*) FROM \(table)")[0].value()
    }
}
