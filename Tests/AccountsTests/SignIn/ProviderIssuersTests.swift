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

    @Test func `asks all projects in one round trip, and writes only for those where something changes`() async throws {
        let fixture = try await Fixture()
        let issuers = ProviderIssuers(database: fixture.database)
        let entries = (1...50).map { ProviderIssuers.Entry(projectID: "project-\($0)", providerID: "oidc.acme", issuer: "https://a") }
        try await issuers.pin(entries)
        let before = fixture.database.roundTrips
        try await issuers.pin(entries)
        #expect(fixture.database.roundTrips == before + 1)
        let moved = ProviderIssuers.Entry(projectID: "project-7", providerID: "oidc.acme", issuer: "https://b")
        try await issuers.pin(entries.filter { $0.projectID != moved.projectID } + [moved])
        #expect(fixture.database.roundTrips == before + 3)
        let rows = try await fixture.database.query("SELECT project_id FROM provider_issuers WHERE issuer = 'https://b'")
        #expect(try rows.map { try $0.value(as: String.self) } == ["project-7"])
    }

    @Test func `tells which provider of which project keeps an issuer, and pins the others`() async throws {
        let fixture = try await Fixture()
        let issuers = ProviderIssuers(database: fixture.database)
        _ = try await fixture.signIn(Fixture.ada())
        let other = ProviderIssuers.Entry(projectID: "another", providerID: "oidc.acme", issuer: "https://evil")
        let entries = [other, entry("https://evil"), entry("https://b", "oidc.b")]
        #expect(try await issuers.pin(entries) == [entry(Fixture.issuer)])
        #expect(try await issuers.conflicts(with: entries) == [entry(Fixture.issuer)])
        let rows = try await fixture.database.query(
            "SELECT project_id || ' ' || provider_id FROM provider_issuers WHERE issuer IN ('https://evil', 'https://b') ORDER BY 1")
        #expect(try rows.map { try $0.value(as: String.self) } == ["another oidc.acme", "demo oidc.b"])
    }

    @Test func `SEC-01 refuses every sign-in under another issuer than the pinned one`() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.signIn(Fixture.ada())
        var impostor = Fixture.ada()
        impostor.issuer = "https://evil"
        await #expect { try await fixture.signIn(impostor) } throws: { if case AccountError.conflict = $0 { true } else { false } }
        impostor.subject = "new"
        await #expect { try await fixture.signIn(impostor) } throws: { if case AccountError.conflict = $0 { true } else { false } }
        let rows = try await fixture.database.query("SELECT (SELECT count(*) FROM accounts) + (SELECT count(*) FROM sessions)")
        #expect(try rows.first?.value(as: Int64.self) == 2)
    }
}
