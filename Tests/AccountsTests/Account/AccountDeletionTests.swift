import Postgres
import TestKit
import Testing

@testable import Accounts

@Suite(.takesTurns) struct AccountDeletionTests {
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
