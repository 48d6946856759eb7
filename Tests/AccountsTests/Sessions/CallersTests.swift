@testable import Accounts
@testable import Postgres
import TestKit
import Testing

/// Tests that callers who come in one turn of the loop, whose accounts one statement finds, get the answers that each would get alone.
@Suite struct CallersTests {
    /// Has the accounts of the tokens found in one turn of the loop: the account's id, or the name of the refusal.
    private func find(_ idTokens: [String], _ fixture: Fixture, _ database: isolated Database) async -> [String] {
        let tasks = idTokens.map { idToken in
            Task { () -> String in
                _ = database
                do { return try await fixture.caller(idToken).0.id } catch { return "\(error)" }
            }
        }
        var answers: [String] = []
        for task in tasks { answers.append(await task.value) }
        return answers
    }

    @Test func `SEC-50 finds of several callers each one's own account and session`() async throws {
        let fixture = try await Fixture.forCodes()
        let (ada, adaSession, adaToken) = try await fixture.signUp("ada@example.com")
        let (eve, eveSession, eveToken) = try await fixture.signUp("eve@example.com")
        let (bob, _, bobToken) = try await fixture.signUp("bob@example.com")
        let (dan, _, danToken) = try await fixture.signUp("dan@example.com")
        let linked = try await fixture.signIn(Fixture.ada("oidc.a", subject: "of eve"), .link(fixture.token(eve, eveSession)))
        #expect(linked.account.id == eve.id)
        // A token of Ada's that names Eve's session, and one of a version that named none.
        let foreign = try fixture.idToken(ada, eveSession)
        let unnamed = try fixture.unnamed(adaToken)
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true WHERE account_id = \(bob.id)")
        _ = try await fixture.database.write("DELETE FROM accounts WHERE account_id = \(dan.id)")
        let tokens = [adaToken, eveToken, foreign, bobToken, danToken, unnamed, adaToken]
        let expected = [ada.id, eve.id, "sessionEnded", "accountDisabled", "accountNotFound", ada.id, ada.id]
        #expect(await find(tokens, fixture, fixture.database) == expected)
        for (token, answer) in zip(tokens, expected) { #expect(await find([token], fixture, fixture.database) == [answer]) }

        _ = try await fixture.database.write("UPDATE sessions SET ended_at = now() WHERE session_id = \(adaSession.id)")
        #expect(await find([eveToken, adaToken], fixture, fixture.database) == [eve.id, "sessionEnded"])
        #expect(try await batches(fixture) == 2)
    }

    @Test func `finds several accounts by index, one by one`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.database.write(
            """
            INSERT INTO accounts (project_id, account_id, email_verified, valid_since, created_at)
            SELECT 'demo', 'filler ' || n, false, date_trunc('second', now()), now() FROM generate_series(1, 20000) n
            """)
        _ = try await fixture.database.write("ANALYZE accounts")
        let keys: SQL = "(0, 'demo', 'filler 7', NULL::bytea), (1, 'demo', 'filler 8', NULL)"
        let plan = try await fixture.database.query("EXPLAIN \(IDToken.callers(KeyedReads.Keys(rows: keys, limit: "LIMIT 1")))")
        let text = try plan.map { try $0.value(as: String.self) }.joined(separator: "\n")
        #expect(text.contains("accounts_pkey"))
        #expect(!text.contains("Seq Scan on accounts"))
    }

    /// The number of statements for several callers that the connection for reads knows.
    private func batches(_ fixture: Fixture) async throws -> Int {
        try await fixture.database.query("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%LIMIT 1) a'")[0].value()
    }
}
