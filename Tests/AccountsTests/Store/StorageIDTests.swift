@testable import Accounts
import Crypto
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// A project whose rows have another name than its tokens.
@Suite struct StorageIDTests {
    @Test func `rows have the storage id, and tokens the id`() async throws {
        var clients = try await ClientFixture()
        clients.fixture.project.storageID = "rows"
        clients.fixture.project.signIn.password = true
        clients.fixture.project.signIn.emailLink = true
        clients.fixture.project.sessions.idle = .seconds(86400)
        let fixture = clients.fixture
        try await ProviderIssuers(database: fixture.database).pin([
            ProviderIssuers.Entry(projectID: "rows", providerID: "oidc.acme", issuer: Fixture.issuer)
        ])

        // Every way of a session: made, refreshed, found by its tokens, ended.
        let (account, session, idToken) = try await fixture.signUp("ada@example.com")
        let claims = try JSON.parse(try #require(Base64URL.decodeStrict(String(idToken.split(separator: ".")[1]))))
        #expect(claims["aud"]?.string == "demo")
        #expect(try await fixture.caller(idToken).0.id == account.id)
        #expect(try await fixture.refreshes(session))
        #expect(try await fixture.signsIn("ada@example.com", "first password"))
        #expect(try await fixture.signsIn("ada@example.com", "another password") == false)
        _ = try await fixture.apply(try await fixture.verifyCode(idToken, "ada@example.com"))
        _ = try await fixture.enter(try await fixture.linkCode("ada@example.com"), "ada@example.com")
        #expect(try await fixture.outbox.claim(10, in: "rows").mails.count == 2)

        // A provider, with a flow, a pending token and tokens that are kept.
        let linked = try await fixture.signIn(Fixture.ada(), tokens: ProviderTokens(accessToken: "access")).account
        #expect(
            try await fixture.store.tokens(of: .init(projectID: "rows", accountID: linked.id, providerID: "oidc.acme"))?.tokens.accessToken
                == "access")
        let (flow, code) = try await fixture.answeredFlow([4, 5])
        _ = try await fixture.flows.redeem(
            flowID: flow.id, code, sessionID: "s", page: "https://app.example.com/cb", isHandler: false, in: fixture.project)
        let pending = fixture.pendingTokens.issue([1], about: nil, proof: nil, in: fixture.project)
        #expect(try await fixture.pendingTokens.redeem(pending, in: fixture.project).answer == [1])

        // Background work finds the rows.
        let deletion = fixture.accounts.deletion
        try await deletion.delete(linked.id, by: fixture.operator)
        _ = try await fixture.answeredFlow([])
        _ = try await fixture.signIn(Fixture.ada(subject: "eve"))
        let rows = Table.all.filter { $0.isOfProjects && !["service_accounts", "service_account_keys", "consents"].contains($0.name) }
        for table in rows {
            let projects = try await fixture.database.query("SELECT DISTINCT project_id FROM \(table.sql)").map {
                try $0.value(as: String.self)
            }
            let expected = table.name == "provider_issuers" ? ["demo", "other", "rows"] : ["rows"]
            #expect(Set(projects).isSubset(of: expected), "\(table.name)")
        }
        fixture.time.advance(.seconds(100_000))
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(3600)))
        try await cleanup.endIdleSessions(of: [fixture.project])
        try await cleanup.run(for: [fixture.project])
        #expect(try await fixture.count("sign_in_flows") == 0)
        #expect(try await fixture.count("audit_events") == 0)
        #expect(try await fixture.count("sessions WHERE ended_at IS NULL") == 0)
        try await deletion.deleteAll(by: fixture.operator)
        #expect(try await fixture.count("accounts") == 0)
    }
}
