@testable import Accounts
import Testing

@Suite struct ProviderIssuersTests {
    private func entry(_ issuer: String, _ provider: String = "oidc.acme") -> ProviderIssuers.Entry {
        ProviderIssuers.Entry(projectID: "demo", providerID: provider, issuer: issuer)
    }

    @Test func `lets an issuer change as long as nobody signed in under it`() async throws {
        let issuers = ProviderIssuers(database: try await Fixture().database)
        #expect(try await issuers.conflicts(with: [entry("https://a"), entry("https://b", "oidc.b")]) == [])
        #expect(try await issuers.conflicts(with: [entry("https://c")]) == [])
    }

    @Test func `tells of an issuer that would make other people of those who signed in`() async throws {
        let fixture = try await Fixture()
        let issuers = ProviderIssuers(database: fixture.database)
        #expect(try await issuers.conflicts(with: [entry("https://a")]) == [])
        _ = try await fixture.signIn(Fixture.ada())
        #expect(try await issuers.conflicts(with: [entry("https://evil")]) == [entry("https://a")])
        #expect(try await issuers.conflicts(with: [entry("https://a")]) == [])
        #expect(try await issuers.conflicts(with: []) == [])
    }
}
