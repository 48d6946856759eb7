@testable import Accounts
import Runtime
import TestKit
import Testing

/// The lease by which one process at a time renews tokens.
@Suite struct ProviderTokenRenewalTests {
    private let first = ProviderTokens(
        accessToken: "access-1", renewal: ProviderTokens.Renewal(refreshToken: "refresh-1", clientID: "client-1"))
    private let newer = ProviderTokens(accessToken: "access-2")

    private func stored() async throws -> (Fixture, ProviderTokens.Owner, ProviderTokenStore.Stored) {
        let fixture = try await Fixture()
        let owner = fixture.owner(try await fixture.signIn(Fixture.ada(), tokens: first).account)
        return (fixture, owner, try #require(try await fixture.store.tokens(of: owner)))
    }

    @Test func `one caller has the lease until it gives it back, or has died`() async throws {
        let (fixture, owner, stored) = try await stored()
        let store = fixture.store
        #expect(try await store.lease(stored, of: owner))
        #expect(try await !store.lease(stored, of: owner))
        fixture.time.advance(ProviderTokenStore.lease - .microseconds(1))
        #expect(try await !store.lease(stored, of: owner))
        fixture.time.advance(.microseconds(1))
        #expect(try await store.lease(stored, of: owner), "a process that died has it no longer")
        try await store.giveBack(stored, of: owner)
        #expect(try await store.lease(stored, of: owner))
    }

    @Test func `of many who want the lease at once, one gets it`() async throws {
        let (fixture, owner, stored) = try await stored()
        let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<10 { group.addTask { try await fixture.store.lease(stored, of: owner) } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(granted == 1)
    }

    @Test func `newer tokens take the place of the former, and keep the refresh token where there is no other`() async throws {
        let (fixture, owner, stored) = try await stored()
        let store = fixture.store
        #expect(try await store.lease(stored, of: owner))
        #expect(try await store.replace(stored, by: newer, of: owner))
        let replaced = try #require(try await store.tokens(of: owner))
        #expect(replaced.tokens == ProviderTokens(accessToken: "access-2", renewal: first.renewal))
        #expect(try await !store.lease(stored, of: owner), "the former tokens have been renewed")
        #expect(try await store.lease(replaced, of: owner), "and the lease has ended with them")
        let rotated = ProviderTokens(
            accessToken: "access-3", renewal: ProviderTokens.Renewal(refreshToken: "refresh-2", clientID: "client-1"))
        #expect(try await store.replace(replaced, by: rotated, of: owner))
        #expect(try await store.tokens(of: owner)?.tokens == rotated)
    }

    @Test func `what a sign-in stored meanwhile is neither replaced nor deleted`() async throws {
        let (fixture, owner, stored) = try await stored()
        #expect(try await fixture.store.lease(stored, of: owner))
        // In the same microsecond.
        let again = ProviderTokens(
            accessToken: "access-9", renewal: ProviderTokens.Renewal(refreshToken: "refresh-9", clientID: "client-1"))
        _ = try await fixture.signIn(Fixture.ada(), tokens: again)
        #expect(try await !fixture.store.replace(stored, by: newer, of: owner))
        #expect(try await !fixture.store.delete(stored, of: owner))
        #expect(try await fixture.store.tokens(of: owner)?.tokens == again)
    }

    @Test func `nothing is stored for an identity that is gone`() async throws {
        let (fixture, owner, stored) = try await stored()
        #expect(try await fixture.store.lease(stored, of: owner))
        try await fixture.accounts.deletion.delete(owner.accountID, by: fixture.operator)
        #expect(try await !fixture.store.replace(stored, by: newer, of: owner))
        #expect(try await fixture.countTokens() == 0)
    }
}
