@testable import Accounts
import Identity
import Postgres
import Testing
import Text

@Suite struct ProviderIssuersTests {
    private func entry(_ issuer: String, _ provider: String = "oidc.acme") -> ProviderIssuers.Entry {
        ProviderIssuers.Entry(projectID: "demo", providerID: provider, issuer: issuer)
    }

    @Test func `lets an issuer change as long as no account was stored under it`() async throws {
        let issuers = ProviderIssuers(database: try await Fixture().database)
        #expect(try await issuers.conflicts(with: [entry("https://a"), entry("https://b", "oidc.b")]) == [])
        try await issuers.pin([entry("https://a"), entry("https://b", "oidc.b")])
        #expect(try await issuers.conflicts(with: [entry("https://c")]) == [])
    }

    @Test func `tells of an issuer that would make other people of those who signed in, and keeps the old one`() async throws {
        let fixture = try await Fixture()
        let issuers = ProviderIssuers(database: fixture.database)
        _ = try await fixture.signIn(Fixture.ada())
        #expect(try await issuers.conflicts(with: [entry("https://evil")]) == [entry(Fixture.issuer)])
        try await issuers.pin([entry("https://evil")])
        #expect(try await issuers.conflicts(with: [entry(Fixture.issuer)]) == [])
        #expect(try await issuers.conflicts(with: []) == [])
    }

    @Test func `SEC-01 refuses every sign-in under another issuer than the pinned one`() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.signIn(Fixture.ada())
        var impostor = Fixture.ada()
        impostor.issuer = "https://evil"
        await #expect { try await fixture.signIn(impostor) } throws: { if case AccountError.overtaken = $0 { true } else { false } }
        impostor.subject = "new"
        await #expect { try await fixture.signIn(impostor) } throws: { if case AccountError.overtaken = $0 { true } else { false } }
        let rows = try await fixture.database.query("SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM sessions)")
        #expect(try rows.first?.value(as: Int64.self) == 2)
    }
}
