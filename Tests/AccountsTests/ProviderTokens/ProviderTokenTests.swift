@testable import Accounts
import Crypto
import Identity
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing

/// Tokens that sign-ins store, and what ends them.
@Suite struct ProviderTokenTests {
    private let first = ProviderTokens(
        accessToken: "access-1", accessTokenSecret: "secret-1", expires: Instant(seconds: 2_000_000_000),
        renewal: ProviderTokens.Renewal(refreshToken: "refresh-1", clientID: "client-1", tenant: "contoso.example"))

    @Test func `a sign-in keeps the tokens of its provider, sealed`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada(), tokens: first).account
        #expect(try await fixture.tokens(of: account) == first)
        #expect(try await fixture.tokens(of: account, "oidc.a") == nil)
        let row = try #require(
            try await fixture.database.query("SELECT access_token || refresh_token || account_id::bytea FROM provider_tokens").first)
        let text = String(decoding: try row.value(as: [UInt8].self), as: UTF8.self)
        #expect(text.contains(account.id), "the whole row is read")
        for secret in ["access-1", "secret-1", "refresh-1", "client-1", "contoso"] { #expect(!text.contains(secret)) }
    }

    @Test func `a sign-in without tokens keeps none, and leaves those that are there`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada()).account
        #expect(try await fixture.tokens(of: account) == nil)
        _ = try await fixture.signIn(Fixture.ada(), tokens: first)
        _ = try await fixture.signIn(Fixture.ada())
        #expect(try await fixture.tokens(of: account) == first)
    }

    @Test func `a later sign-in replaces the access token, and the refresh token only by another`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada(), tokens: first).account
        _ = try await fixture.signIn(Fixture.ada(), tokens: ProviderTokens(accessToken: "access-2"))
        #expect(try await fixture.tokens(of: account) == ProviderTokens(accessToken: "access-2", renewal: first.renewal))
        let other = ProviderTokens(
            accessToken: "access-3", renewal: ProviderTokens.Renewal(refreshToken: "refresh-3", clientID: "client-3"))
        _ = try await fixture.signIn(Fixture.ada(), tokens: other)
        #expect(try await fixture.tokens(of: account) == other, "with the client that it belongs to")
    }

    @Test func `tokens end with their identity, and those of the account's other identities stay`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signIn(Fixture.ada(), tokens: first)
        let linked = try await fixture.signIn(
            Fixture.ada("oidc.a", subject: "a"), .link(fixture.token(account, session)), tokens: first)
        #expect(try await fixture.countTokens() == 2)
        let act = AuditedAct(by: .person, on: account.id, from: nil, at: fixture.time.clock.now())
        _ = try await fixture.database.write(act.unlink(where: "provider_id = 'oidc.a'", in: fixture.project))
        #expect(try await fixture.tokens(of: linked.account, "oidc.a") == nil)
        #expect(try await fixture.tokens(of: account) == first)
        try await fixture.accounts.deletion.delete(account.id, by: fixture.operator)
        #expect(try await fixture.countTokens() == 0)
    }

    @Test func `SEC-02 the owner of an address who takes an account over gets no token of the person before`() async throws {
        let fixture = try await Fixture()
        let maker = try await fixture.signIn(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com"), tokens: first).account
        #expect(try await fixture.countTokens() == 1)
        let owner = try await fixture.signIn(Fixture.ada("oidc.strict", email: "ada@example.com", authoritative: true)).account
        #expect(owner.id == maker.id)
        #expect(try await fixture.countTokens() == 0)
    }

    @Test func `a sign-in that only asks for confirmation stores nothing`() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.signIn(Fixture.ada("oidc.a", email: "ada@example.com"))
        await #expect(throws: Unexpected.self) {
            try await fixture.signIn(Fixture.ada("oidc.b", email: "ada@example.com"), tokens: first)
        }
        #expect(try await fixture.countTokens() == 0)
    }

    @Test func `the account is named when it does not exist, and is known when it is disabled`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada(), tokens: first).account
        #expect(try await fixture.store.tokens(of: fixture.owner(account))?.isOfDisabled == false)
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true")
        #expect(try await fixture.store.tokens(of: fixture.owner(account))?.isOfDisabled == true)
        let stranger = ProviderTokens.Owner(projectID: "demo", accountID: "nobody", providerID: "oidc.acme")
        await #expect { _ = try await fixture.store.tokens(of: stranger) } throws: {
            if case AccountError.accountNotFound = $0 { true } else { false }
        }
    }

    @Test func `a value in another row or column does not open`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada(), tokens: first).account
        let other = try await fixture.signIn(Fixture.ada(subject: "eve"), tokens: first).account
        for column in ["access_token", "refresh_token"] {
            _ = try await fixture.database.write(
                """
                UPDATE provider_tokens SET \(SQL(unsafe: column)) =
                    (SELECT \(SQL(unsafe: column)) FROM provider_tokens WHERE account_id = \(account.id))
                WHERE account_id = \(other.id)
                """)
            await expectSealBroken(fixture, other)
            _ = try await fixture.signIn(Fixture.ada(subject: "eve"), tokens: first)
        }
        #expect(try await fixture.tokens(of: other) == first)
        _ = try await fixture.database.write("UPDATE provider_tokens SET access_token = refresh_token")
        await expectSealBroken(fixture, account)
    }

    private func expectSealBroken(_ fixture: Fixture, _ account: Account) async {
        await #expect { _ = try await fixture.tokens(of: account) } throws: {
            if case AccountError.sealBroken = $0 { true } else { false }
        }
    }

    @Test func `a changed master key moves them, and says what it cannot move`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada(), tokens: first).account
        let without = try await fixture.signIn(Fixture.ada(subject: "eve"), tokens: ProviderTokens(accessToken: "access-2")).account
        let new = Array<UInt8>(101...132)
        let both = MasterKey(bytes: new, others: [Array(1...32)])
        let reseal = Reseal(database: fixture.database, masterKey: both, clock: fixture.time.clock)
        #expect(try await reseal.run().rows(.providerTokens) == 2)
        #expect(try await reseal.run().rows(.providerTokens) == 0)
        let alone = ProviderTokenStore(database: fixture.database, masterKey: MasterKey(bytes: new), clock: fixture.time.clock)
        #expect(try await alone.tokens(of: fixture.owner(account))?.tokens == first)
        #expect(try await alone.tokens(of: fixture.owner(without))?.tokens.accessToken == "access-2")
        let neither = Reseal(database: fixture.database, masterKey: MasterKey(bytes: Array(51...82)), clock: fixture.time.clock)
        #expect(try await neither.run().unreadable == 2)
    }

    @Test func `a provider that keeps none any more loses them, and a project that is not configured keeps all`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada(), tokens: first).account
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "a"), tokens: first)
        var elsewhere = fixture
        elsewhere.project.id = "other"
        elsewhere.project.storageID = "other"
        _ = try await elsewhere.signIn(Fixture.ada(), tokens: first)
        let cleanup = Cleanup(database: fixture.database, clock: fixture.time.clock, retention: Retention(audit: .seconds(86400)))
        try await cleanup.deleteProviderTokens(except: ["demo": ["oidc.acme", "oidc.a"]])
        #expect(try await fixture.countTokens() == 3)
        try await cleanup.deleteProviderTokens(except: ["demo": ["oidc.acme"]])
        #expect(try await fixture.countTokens() == 2)
        #expect(try await fixture.tokens(of: account) == first)
        try await cleanup.deleteProviderTokens(except: ["demo": []])
        #expect(try await fixture.countTokens() == 1)
    }

    @Test func `each giving is recorded, with the command that did it`() async throws {
        let fixture = try await Fixture()
        let account = try await fixture.signIn(Fixture.ada(), tokens: first).account
        try await fixture.store.recordGiving(of: fixture.owner(account), by: .command("provider-tokens get"))
        let events = try await AuditEvents(database: fixture.database).list(of: account.id, limit: 10, in: "demo")
        #expect(events.map(\.action) == ["account.created", "providerTokens.given"])
        #expect(events[1].actor == "provider-tokens get" && events[1].providerID == "oidc.acme" && events[1].details == "{}")
    }
}
