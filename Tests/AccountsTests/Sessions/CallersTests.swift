@testable import Accounts
@testable import Postgres
import ProjectSettings
import TestKit
import Testing

/// Tests that callers who come in one turn of the loop get the answers that each would get alone.
@Suite struct CallersTests {
    private typealias Caller = (idToken: String, fixture: Fixture)

    /// Has the accounts of callers found in one turn of the loop: the account's address, or the name of the refusal.
    private func find(_ callers: [Caller], _ database: isolated Database) async -> [String] {
        let tasks = callers.map { caller in
            Task { () -> String in
                _ = database
                do { return try await caller.fixture.caller(caller.idToken).0.email ?? "" } catch { return "\(error)" }
            }
        }
        var answers: [String] = []
        for task in tasks { answers.append(await task.value) }
        return answers
    }

    @Test func `SEC-50 finds of several callers each one's own account and session`() async throws {
        let fixture = try await Fixture.forCodes()
        let database = fixture.database
        let (ada, adaSession, adaToken) = try await fixture.signUp("ada@example.com")
        let (eve, eveSession, eveToken) = try await fixture.signUp("eve@example.com")
        let (bob, _, bobToken) = try await fixture.signUp("bob@example.com")
        let (dan, _, danToken) = try await fixture.signUp("dan@example.com")
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "of eve"), .link(fixture.token(eve, eveSession)))
        _ = try await database.write("UPDATE accounts SET disabled = true WHERE account_id = \(bob.id)")
        _ = try await database.write("DELETE FROM accounts WHERE account_id = \(dan.id)")
        // An account of another project with the ids of Ada and of her session.
        var elsewhere = fixture
        elsewhere.project.id = "other"
        elsewhere.project.storageID = "other"
        _ = try await database.write(
            """
            INSERT INTO accounts (project_id, account_id, email, email_verified, valid_since, created_at)
            SELECT 'other', account_id, 'twin@example.com', false, valid_since, created_at FROM accounts WHERE account_id = \(ada.id)
            """)
        _ = try await database.write(
            """
            INSERT INTO sessions (project_id, session_id, account_id, sign_in_provider, auth_time, rotated_at, created_at, refreshed_at)
            SELECT 'other', session_id, account_id, sign_in_provider, auth_time, rotated_at, created_at, refreshed_at
            FROM sessions WHERE session_id = \(adaSession.id)
            """)
        let twinToken = try elsewhere.idToken(try #require(try await elsewhere.stored(ada.id)), adaSession)

        let expected: [(Caller, String)] = [
            ((adaToken, fixture), "ada@example.com"), ((eveToken, fixture), "eve@example.com"),
            ((twinToken, elsewhere), "twin@example.com"),
            // A token of Ada's that names Eve's session, and one of a version that named none.
            ((try fixture.idToken(ada, eveSession), fixture), "sessionEnded"),
            ((try fixture.unnamed(adaToken), fixture), "ada@example.com"),
            ((bobToken, fixture), "accountDisabled"), ((danToken, fixture), "accountNotFound"), ((adaToken, fixture), "ada@example.com"),
        ]
        #expect(await find(expected.map(\.0), database) == expected.map(\.1))
        for (caller, answer) in expected { #expect(await find([caller], database) == [answer]) }

        _ = try await database.write("UPDATE sessions SET ended_at = now() WHERE project_id = 'other'")
        #expect(await find([(adaToken, fixture), (twinToken, elsewhere)], database) == ["ada@example.com", "sessionEnded"])
        _ = try await database.write("UPDATE sessions SET ended_at = now() WHERE session_id = \(adaSession.id)")
        #expect(await find([(eveToken, fixture), (adaToken, fixture)], database) == ["eve@example.com", "sessionEnded"])
    }
}
