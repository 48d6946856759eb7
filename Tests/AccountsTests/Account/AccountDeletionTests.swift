import Postgres
import TestKit
import Testing

@testable import Accounts

@Suite(.takesTurns) struct AccountDeletionTests {
    private static let ada = "ada@example.com"

    /// Has every kind of mail with a code wait for an account, and one for another person. Notices have none, and are sent: their reader should
    /// learn what happened, all the more when the account is gone.
    private func askForMails(_ fixture: Fixture) async throws -> String {
        let (account, _, idToken) = try await fixture.signUp(Self.ada)
        _ = try await fixture.signUp("bob@example.com")
        _ = try await fixture.resetCode(Self.ada)
        _ = try await fixture.linkCode(Self.ada)
        _ = try await fixture.verifyCode(idToken, Self.ada)
        _ = try await fixture.changeCode(idToken, to: "new@example.com")
        _ = try await fixture.resetCode("bob@example.com")
        #expect(try await fixture.outbox.recent(in: fixture.project).count == 5)
        return account.id
    }

    private func recipients(_ fixture: Fixture) async throws -> Set<String> {
        Set(try await fixture.outbox.recent(in: fixture.project).map(\.to))
    }

    @Test(arguments: [false, true]) func `takes the account's waiting mails with it, and no other's`(byList: Bool) async throws {
        let fixture = try await Fixture.forCodes()
        let id = try await askForMails(fixture)
        if byList {
            let stay = try await fixture.accounts.deletion.deleteAll(of: [id], enabledToo: true, by: fixture.operator)
            #expect(stay.isEmpty)
        } else {
            try await fixture.accounts.deletion.delete(id, by: fixture.operator)
        }
        #expect(try await recipients(fixture) == ["bob@example.com"])
        #expect(try await fixture.outbox.claim(10, in: "demo").mails.map(\.payload.to) == ["bob@example.com"])
    }

    @Test func `takes the digits along that wait at a page, and leaves no claims of a custom token`() async throws {
        let clients = try await ClientFixture()
        let person = try await clients.signUp()
        for email in ["ada@example.com", "bob@example.com"] {
            let (kept, _) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
            try await clients.requests.sendEmailCode(
                to: email, for: kept, .signUp, language: "en", in: clients.project, from: clients.client)
        }
        let fixture = clients.fixture
        _ = try await fixture.database.write("UPDATE sessions SET developer_claims = '{}'")
        try await fixture.accounts.deletion.delete(person.account.id, by: fixture.operator)
        #expect(try await fixture.outbox.recent(in: clients.project).map(\.to) == ["bob@example.com"])
        let sessions = try await fixture.database.query(
            "SELECT 1 FROM sessions WHERE address IS NOT NULL OR user_agent IS NOT NULL OR developer_claims IS NOT NULL")
        #expect(sessions.isEmpty)
        #expect(try await fixture.count("sessions") > 0)
    }

    @Test func `an account whose sessions were ended since it was read is not deleted`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("ada@example.com")
        let (ending, begun) = AsyncStream.makeStream(of: Void.self)
        let end = Task {
            try await fixture.database.transaction { transaction in
                _ = try await transaction.query("UPDATE accounts SET valid_since = valid_since + interval '1 second' RETURNING account_id")
                begun.yield()
                // Wait until the deletion has read the account and waits for its lock.
                while try await fixture.database.query(
                    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
                ).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            }
        }
        for await _ in ending { break }
        await expectRefusal("sessionEnded") {
            try await fixture.accounts.deletion.delete(forIDToken: idToken, in: fixture.project, from: Fixture.here)
        }
        try await end.value
        #expect(try await fixture.stored(account.id) != nil)
    }
}
