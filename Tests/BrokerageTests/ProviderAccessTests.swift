import Accounts
import Curl
import HTTP
import Identity
import JSON
import Postgres
import Runtime
import TestKit
import Testing
import Text

@testable import Brokerage
@testable import Providers

/// A person whose sign-in with `oidc.test` gave tokens, and a back end that asks for them at a time that only the test moves.
private struct SignedIn {
    let fixture: Fixture
    let time = TestTime()
    let provider: ProviderSettings
    let owner: ProviderTokens.Owner

    var issuer: FakeIssuer { fixture.issuer }
    var database: Database { fixture.database }

    init(expiresIn: Int? = 3600, refreshToken: String? = "refresh-1", keeps: Bool = true, posted: Bool = false) async throws {
        fixture = try await Fixture()
        provider = fixture.issuer.settings { $0.keepsTokens = keeps }
        var result = ProviderResult(
            identity: ProviderIdentity(providerID: "oidc.test", issuer: fixture.issuer.issuer, subject: "subject-1"),
            accessToken: "access-1")
        result.refreshToken = refreshToken
        result.expiresIn = expiresIn
        result.grant = posted ? nil : TokenGrant(clientID: "client-1")
        // As after a pending token, which carries the result as JSON.
        result = try JSON(encoding: result).decode(ProviderResult.self)
        let outcome = try await fixture.broker(provider).signIn(
            with: ProvenSignIn(result: result), .signIn(mayCreate: true), language: "en",
            from: Session.ClientInfo(userAgent: "test", address: "192.0.2.1"))
        guard case .signedIn(let account, _, _, _) = outcome else { throw BrokerageError.unknownFlow }
        owner = ProviderTokens.Owner(projectID: "demo", accountID: account.id, providerID: "oidc.test")
    }

    func ask() async throws(BrokerageError) -> ProviderAccess.Outcome {
        let store = ProviderTokenStore(database: database, masterKey: MasterKey(bytes: Array(1...32)), clock: time.clock)
        let access = ProviderAccess(
            store: store, upstream: issuer.upstream, metadata: MetadataCache(earlier: { .zero }), clock: time.clock)
        return try await access.tokens(of: owner, at: provider, for: .command("test"))
    }

    /// The access token that a back end gets; `nil` when it gets none.
    func accessToken() async throws -> String? { if case .tokens(let tokens) = try await ask() { tokens.accessToken } else { nil } }

    /// Lets the token endpoint renew. A provider that rotates takes each refresh token once.
    func renews(rotating: Bool = true, expiresIn: Int = 3600) -> Counter {
        let asked = Counter()
        issuer.upstream.answer(issuer.tokenURL) { request in
            asked.increment()
            let number = asked.value
            guard Form(request.body ?? [])?["refresh_token"] == (rotating ? "refresh-\(number)" : "refresh-1") else {
                return OutboundResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8))
            }
            // Other callers come meanwhile.
            try? await Task.sleep(for: .milliseconds(50))
            var answer: JSON.Object = ["access_token": .string("access-\(number + 1)"), "expires_in": .integer(Int64(expiresIn))]
            if rotating { answer["refresh_token"] = .string("refresh-\(number + 1)") }
            return OutboundResponse(body: JSON.object(answer).bytes())
        }
        return asked
    }

    func given() async throws -> Int {
        try await AuditEvents(database: database).list(limit: 100, in: "demo").count { $0.action == "providerTokens.given" }
    }
}

@Suite struct ProviderAccessTests {
    @Test func `a token that is still good is given as it is, with a record`() async throws {
        let person = try await SignedIn()
        let asked = person.renews()
        person.time.advance(.seconds(3600 - 61))
        #expect(try await person.accessToken() == "access-1")
        #expect(asked.value == 0)
        #expect(try await person.given() == 1)
    }

    @Test func `a token that has ended is renewed once for all who ask, and the rotated refresh token is kept`() async throws {
        let person = try await SignedIn()
        let asked = person.renews()
        person.time.advance(.seconds(3600 - 60))
        let tokens = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<5 { group.addTask { try await person.accessToken() } }
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "access-2", count: 5))
        #expect(asked.value == 1)
        person.time.advance(.seconds(3600))
        #expect(try await person.accessToken() == "access-3")
        #expect(asked.value == 2)
    }

    @Test func `a provider whose tokens last for seconds is asked once for each caller`() async throws {
        let person = try await SignedIn(expiresIn: 30)
        let asked = person.renews(expiresIn: 30)
        #expect(try await person.accessToken() == "access-2")
        #expect(asked.value == 1)
    }

    @Test func `a refresh token that stays good is used again`() async throws {
        let person = try await SignedIn()
        let asked = person.renews(rotating: false)
        for access in ["access-2", "access-3"] {
            person.time.advance(.seconds(3600))
            #expect(try await person.accessToken() == access)
        }
        #expect(asked.value == 2)
    }

    @Test func `a refusal ends the tokens, with the reason`() async throws {
        let person = try await SignedIn()
        person.time.advance(.seconds(3600))
        person.issuer.upstream.answer(person.issuer.tokenURL, ["error": "invalid_grant"], status: 400)
        #expect(
            try await person.ask()
                == .ended(
                    reason: "The provider refused the refresh token (invalid_grant). token endpoint: status 400, error invalid_grant"))
        #expect(try await person.ask() == .none)
        #expect(try await person.given() == 0)
    }

    @Test func `an outage and a fault of the operator keep everything, and the next caller asks at once`() async throws {
        let person = try await SignedIn()
        person.time.advance(.seconds(3600))
        person.issuer.upstream.fail(person.issuer.tokenURL, .timedOut)
        for _ in 0..<2 { #expect(await refusal { try await person.ask() }?.name == "outage") }
        person.issuer.upstream.answer(person.issuer.tokenURL, ["error": "invalid_client"], status: 401)
        #expect(await refusal { try await person.ask() }?.name == "misconfigured")
        _ = person.renews()
        #expect(try await person.accessToken() == "access-2")
    }

    @Test func `without a refresh token, the end of the access token is the end, and its stored token stays`() async throws {
        let person = try await SignedIn(refreshToken: nil)
        #expect(try await person.accessToken() == "access-1")
        person.time.advance(.seconds(3600))
        for _ in 0..<2 { #expect(try await person.ask() == .ended(reason: "The provider gave no refresh token.")) }
    }

    @Test func `a token whose end is not known is given`() async throws {
        let person = try await SignedIn(expiresIn: nil)
        person.time.advance(.seconds(1_000_000))
        #expect(try await person.accessToken() == "access-1")
    }

    @Test func `a disabled account gets nothing, and its refresh token is not used`() async throws {
        let person = try await SignedIn()
        let asked = person.renews()
        person.time.advance(.seconds(3600))
        _ = try await person.database.write("UPDATE accounts SET disabled = true")
        #expect(try await person.ask() == .accountDisabled)
        #expect(asked.value == 0)
        #expect(try await person.given() == 0)
    }

    @Test func `nothing is kept where the entry does not say so, and nothing that an app posted`() async throws {
        #expect(try await SignedIn(keeps: false).ask() == .none)
        #expect(try await SignedIn(posted: true).ask() == .none)
    }
}
