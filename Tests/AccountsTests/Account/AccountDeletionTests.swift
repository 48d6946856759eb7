import ProjectSettings
import TestKit
import Testing

@testable import Accounts

@Suite(.takesTurns) struct AccountDeletionTests {
    @Test func `an account whose sessions were ended since it was read is not deleted`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp("ada@example.com")
        let deletion = fixture.accounts.deletion.deletion(of: account.id, only: account.sessionsStand, in: fixture.project)
        try await fixture.sessions.revokeAll(of: account.id, in: fixture.project.id)
        await #expect { try await Storage(database: fixture.database).write(all: [deletion]) } throws: {
            if case AccountError.overtaken = $0 { true } else { false }
        }
        #expect(try await fixture.stored(account.id) != nil)
    }
}
