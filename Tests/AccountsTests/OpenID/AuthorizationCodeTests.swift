@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct AuthorizationCodeTests {
    @Test func `trades a code for a session with the person, the time and the scopes of the browser's session`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        clients.fixture.time.advance(.seconds(30))
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        let redeemed = try await clients.redeem(code)
        #expect(redeemed.account.id == browser.account.id)
        #expect(redeemed.session.session.authTime == browser.session.authTime)
        #expect(redeemed.session.session.signInProvider == "password")
        #expect(redeemed.session.grant.scopes == ["openid"])
        #expect(redeemed.request == clients.request())
    }

    @Test func `refuses a code of another client, redirect URI, user flow or verifier, and keeps it for its own client`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        #expect(await clients.isRefused { try await clients.redeem(code, by: clients.site) })
        #expect(await clients.isRefused { try await clients.redeem(code, redirectURI: "com.example.app://oauth/other") })
        #expect(await clients.isRefused { try await clients.redeem(code, userFlow: "b2c_1_susi") })
        #expect(await clients.isRefused { try await clients.redeem(code, verifier: nil) })
        #expect(await clients.isRefused { try await clients.redeem(code, verifier: ClientFixture.verifier.replacing("d", with: "e")) })
        let forged = String(code.dropLast(2)) + (code.hasSuffix("AA") ? "BB" : "AA")
        #expect(await clients.isRefused { try await clients.redeem(forged) })
        _ = try await clients.redeem(code)
    }

    @Test func `refuses a verifier for a request without a challenge, which an attacker may have taken away`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let request = clients.request(of: clients.site, challenged: false)
        let code = try await clients.requests.grant(request, authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        #expect(await clients.isRefused { try await clients.redeem(code, by: clients.site) })
        _ = try await clients.redeem(code, by: clients.site, verifier: nil)
    }

    @Test func `takes a code without a redirect URI only where the request had none, and says so`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let redeem = { (code: String) in
            let proof = AuthorizationRequests.Proof(
                clientID: "field-app", redirectURI: nil, verifier: ClientFixture.verifier, userFlow: nil)
            return try await clients.requests.redeem(
                UTF8Text(code), proof, for: clients.app, in: clients.project, from: clients.client)
        }
        let named = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        await expectRefusal("redirectURIMissing") { _ = try await redeem(named) }
        _ = try await clients.redeem(named)
        var request = clients.request()
        request.omitsRedirectURI = true
        let nameless = try await clients.requests.grant(request, authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        #expect(await clients.isRefused { try await clients.redeem(nameless, redirectURI: "com.example.app://oauth/other") })
        #expect(try await redeem(nameless).account.id == browser.account.id)
    }

    @Test func `refuses a code a minute after it was given`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        clients.fixture.time.advance(.seconds(60))
        #expect(await clients.isRefused { try await clients.redeem(code) })
    }

    @Test func `ends the session of a code that comes a second time, and records it`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid", "offline_access"], in: clients.project)
        let session = try await clients.redeem(code).session
        clients.fixture.time.advance(.seconds(90))
        #expect(await clients.isRefused { try await clients.redeem(code) })
        let token = clients.sessions.refreshToken(for: session, in: clients.project)
        #expect(await clients.isRefused { try await clients.refresh(token) })
        let events = try await AuditEvents(database: clients.fixture.database).list(limit: 10, in: clients.project.id)
        #expect(events.map(\.action) == ["account.created", "clientSession.stolen"])
    }

    @Test func `lets one of two redemptions at the same time succeed, and ends what it made`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        let sessions = await withTaskGroup(of: ClientSession?.self) { group in
            for _ in 0..<8 { group.addTask { try? await clients.redeem(code).session } }
            var sessions: [ClientSession] = []
            for await session in group { if let session { sessions.append(session) } }
            return sessions
        }
        #expect(sessions.count == 1)
        let token = try #require(sessions.first.map { clients.sessions.refreshToken(for: $0, in: clients.project) })
        #expect(await clients.isRefused { try await clients.refresh(token) })
    }

    @Test func `refuses a code when the browser's session has ended since`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        try await clients.fixture.accounts.openID.browserSessions.end(browser, in: clients.project)
        #expect(await clients.isRefused { try await clients.redeem(code) })
    }

    @Test func `calls a person new whose account was made for the request, and only at that request`() async throws {
        let clients = try await ClientFixture()
        let (authorization, _) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        clients.fixture.time.advance(.seconds(5))
        let browser = try await clients.signUp()
        let first = try await clients.requests.grant(
            authorization.request, authorization: authorization, to: browser, scopes: ["openid"], in: clients.project)
        #expect(try await clients.redeem(first).isNewUser)
        clients.fixture.time.advance(.seconds(5))
        let next = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        #expect(try await !clients.redeem(next).isNewUser)
    }

    @Test func `gives no code in a session that has ended`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        try await clients.fixture.accounts.administration.accounts.revokeSessions(of: browser.account.id, by: clients.fixture.operator)
        await #expect {
            try await clients.requests.grant(clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        } throws: { if case AccountError.conflict = $0 { true } else { false } }
    }

    @Test(arguments: [true, false])
    func `SEC-50 ends what a redemption makes while the sessions are being ended`(bySigningOut: Bool) async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        let database = clients.fixture.database
        let other = try clients.fixture.otherProcess()
        for statement in [
            "CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$",
            "CREATE TRIGGER pause BEFORE INSERT ON sessions FOR EACH ROW WHEN (NEW.kind = 'client') EXECUTE FUNCTION pause()",
        ] { _ = try await database.write(SQL(unsafe: statement)) }
        let (redeeming, ending) = try await database.transaction { gate in
            _ = try await gate.query("SELECT pg_advisory_xact_lock(1)")
            let redeeming = Task { try await clients.redeem(code) }
            try await eventually { try await database.countWaitsForLocks() == 1 }
            let ending = Task {
                if bySigningOut {
                    try await other.openID.browserSessions.end(browser, in: clients.project)
                } else {
                    try await other.administration.accounts.revokeSessions(of: browser.account.id, by: clients.fixture.operator)
                }
            }
            // The ending waits for the redemption, or passes it; the redemption goes on after either.
            try await eventually {
                let ended = try await database.query("SELECT 1 FROM sessions WHERE ended_at IS NOT NULL")
                return try await database.countWaitsForLocks() == 2 || !ended.isEmpty
            }
            return (redeeming, ending)
        }
        try await ending.value
        let token = clients.sessions.refreshToken(for: try await redeeming.value.session, in: clients.project)
        #expect(await clients.isRefused { try await clients.refresh(token) })
    }

    @Test func `grants in one round trip and redeems in two`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let database = clients.fixture.database
        let before = database.roundTrips
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        let between = database.roundTrips
        _ = try await clients.redeem(code)
        #expect((between - before, database.roundTrips - between) == (1, 2))
    }
}
