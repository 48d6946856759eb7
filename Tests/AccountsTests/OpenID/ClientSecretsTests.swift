@testable import Accounts
import ProjectSettings
import Runtime
import Testing
import Text

@Suite struct ClientSecretsTests {
    private static func client(_ secrets: String...) -> OAuthClient {
        var client = OAuthClient(id: "site", kind: .confidential, redirectURIs: ["https://rp.example.com/callback"])
        client.secrets = secrets.map { Secret($0) }
        return client
    }

    private func isRight(_ secret: UTF8Text, _ client: OAuthClient, _ fixture: Fixture) async throws -> Bool {
        try await fixture.accounts.openID.secrets.isRight(secret, of: client, in: fixture.project, from: Fixture.here)
    }

    @Test func `every secret of a client proves it, and no other text`() async throws {
        let fixture = try await Fixture()
        let client = Self.client("one", "two")
        for secret in ["one", "two"] as [UTF8Text] { #expect(try await isRight(secret, client, fixture)) }
        for secret in ["three", ""] as [UTF8Text] { #expect(try await !isRight(secret, client, fixture)) }
        #expect(try await !isRight("", Self.client(), fixture))
    }

    @Test func `SEC-16 an address that has shown too many wrong secrets waits, also with a right one`() async throws {
        let fixture = try await Fixture.limited { $0[.clientSecret, .accountAndAddress] = Rate(2, per: .seconds(300)) }
        let client = Self.client("one")
        for _ in 1...5 { #expect(try await isRight("one", client, fixture)) }
        for _ in 1...2 { #expect(try await !isRight("wrong", client, fixture)) }
        await expectRefusal("tooManyAttempts(ProjectSettings.LimitedAction.clientSecret, by: ProjectSettings.LimitScope.accountAndAddress)")
        {
            try await isRight("one", client, fixture)
        }
    }
}
