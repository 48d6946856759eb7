@testable import Accounts
import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct ClientSessionTests {
    private func refreshable() async throws -> (ClientFixture, browser: BrowserSession, token: String) {
        let clients = try await ClientFixture()
        let (browser, session) = try await clients.granted()
        return (clients, browser, clients.sessions.refreshToken(for: session, in: clients.project))
    }

    private func actions(_ clients: ClientFixture) async throws -> [String] {
        try await AuditEvents(database: clients.fixture.database).list(limit: 10, in: clients.project.id).map(\.action)
            .filter { $0 != "account.created" }
    }

    @Test func `gives a lost answer again for thirty seconds, as long as nobody used it`() async throws {
        let (clients, _, first) = try await refreshable()
        let second = try await clients.refresh(first)
        clients.fixture.time.advance(.seconds(29))
        #expect(try await clients.refresh(first) == second)
        #expect(try await clients.refresh(first) == second)
        _ = try await clients.refresh(second)
    }

    @Test func `ends the session when a used token comes back after thirty seconds`() async throws {
        let (clients, _, first) = try await refreshable()
        let second = try await clients.refresh(first)
        clients.fixture.time.advance(.seconds(30))
        #expect(await clients.isRefused { try await clients.refresh(first) })
        #expect(await clients.isRefused { try await clients.refresh(second) })
        #expect(try await actions(clients) == ["clientSession.stolen"])
    }

    @Test func `ends the session when a token comes back whose successor was used`() async throws {
        let (clients, _, first) = try await refreshable()
        let second = try await clients.refresh(first)
        let third = try await clients.refresh(second)
        #expect(await clients.isRefused { try await clients.refresh(first) })
        #expect(await clients.isRefused { try await clients.refresh(third) })
        #expect(try await actions(clients) == ["clientSession.stolen"])
    }

    @Test func `gives one successor to a hundred refreshes at once`() async throws {
        let (clients, _, first) = try await refreshable()
        let successors = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await clients.refresh(first) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(successors.count == 1)
    }

    @Test func `refuses another client, another user flow and wider scopes, and the token still works afterwards`() async throws {
        let (clients, _, first) = try await refreshable()
        #expect(await clients.isRefused { try await clients.refresh(first, by: clients.site) })
        #expect(await clients.isRefused { try await clients.refresh(first, userFlow: "b2c_1_susi") })
        await #expect { try await clients.refresh(first, scopes: ["openid", "email"]) } throws: {
            if case AccountError.scopeTooWide = $0 { true } else { false }
        }
        _ = try await clients.refresh(first, scopes: ["openid"])
    }

    @Test func `ends after the client's idle time and after its whole lifetime`() async throws {
        let (clients, _, token) = try await refreshable()
        clients.fixture.time.advance(clients.app.refreshIdle - .seconds(1))
        let second = try await clients.refresh(token)
        clients.fixture.time.advance(clients.app.refreshIdle)
        #expect(await clients.isRefused { try await clients.refresh(second) })
        let (_, other) = try await clients.granted2()
        var next = clients.sessions.refreshToken(for: other, in: clients.project)
        var age = Duration.zero
        while age + clients.app.refreshIdle / 2 < clients.app.refreshLifetime {
            clients.fixture.time.advance(clients.app.refreshIdle / 2)
            age += clients.app.refreshIdle / 2
            next = try await clients.refresh(next)
        }
        clients.fixture.time.advance(clients.app.refreshIdle / 2)
        #expect(await clients.isRefused { try await clients.refresh(next) })
    }

    @Test func `takes no token of one kind for a token of another`() async throws {
        let (clients, browser, token) = try await refreshable()
        let cookie = clients.fixture.accounts.openID.browserSessions.cookie(for: browser.session, in: clients.project)
        let (_, app, _) = try await clients.fixture.signIn(Fixture.ada())
        let appToken = clients.fixture.sessions.refreshToken(for: app, in: clients.project)
        let pages = clients.fixture.accounts.openID.browserSessions
        for foreign in [cookie, appToken] { #expect(await clients.isRefused { try await clients.refresh(foreign) }) }
        for foreign in [token, appToken] { #expect(try await pages.find(UTF8Text(foreign), in: clients.project) == nil) }
        for foreign in [token, cookie] {
            await #expect { try await clients.fixture.sessions.refresh(foreign, in: clients.project) } throws: {
                if case AccountError.sessionEnded = $0 { true } else { false }
            }
        }
        #expect(try await pages.find(UTF8Text(cookie), in: clients.project)?.account.id == browser.account.id)
    }

    @Test func `ends with everything that ends the account's sessions`() async throws {
        let (clients, browser, token) = try await refreshable()
        clients.fixture.time.advance(.seconds(1))
        try await clients.fixture.accounts.administration.accounts.revokeSessions(of: browser.account.id, by: clients.fixture.operator)
        #expect(await clients.isRefused { try await clients.refresh(token) })
        let cookie = clients.fixture.accounts.openID.browserSessions.cookie(for: browser.session, in: clients.project)
        #expect(try await clients.fixture.accounts.openID.browserSessions.find(UTF8Text(cookie), in: clients.project) == nil)
    }

    @Test func `ends with the browser's session, except what was granted for use without the person`() async throws {
        let (clients, browser, offline) = try await refreshable()
        let code = try await clients.requests.grant(
            clients.request(scopes: ["openid"]), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        let online = clients.sessions.refreshToken(for: try await clients.redeem(code).session, in: clients.project)
        try await clients.fixture.accounts.openID.browserSessions.end(browser, in: clients.project)
        #expect(await clients.isRefused { try await clients.refresh(online) })
        _ = try await clients.refresh(offline)
    }

    @Test func `SEC-50 an older time of validity ends what went on later from a session of before it`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        clients.fixture.time.advance(.seconds(7200))
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid", "offline_access"], in: clients.project)
        let token = clients.sessions.refreshToken(for: try await clients.redeem(code).session, in: clients.project)
        clients.fixture.time.advance(.seconds(1800))
        var change = AdministratorChange()
        change.validSince = Instant(seconds: clients.fixture.time.clock.now().seconds - 3600)
        _ = try await clients.fixture.accounts.administration.accounts.update(browser.account.id, change, by: clients.fixture.operator)
        #expect(await clients.isRefused { try await clients.refresh(token) })
    }

    @Test func `moves what was granted to the session of a person who signs in again, and ends another person's`() async throws {
        let (clients, browser, token) = try await refreshable()
        let pages = clients.fixture.accounts.openID.browserSessions
        let again = try await clients.signIn()
        try await pages.replace(browser, by: again.session, in: clients.project)
        let former = pages.cookie(for: browser.session, in: clients.project)
        #expect(try await pages.find(UTF8Text(former), in: clients.project) == nil)
        let next = try await clients.refresh(token)
        let other = try await clients.signUp("grace@example.com")
        try await pages.replace(again, by: other.session, in: clients.project)
        // It was granted for use without the person.
        _ = try await clients.refresh(next)
    }

    @Test func `a repeat of a lost answer with a scope too many, or at another user flow, ends nothing`() async throws {
        let (clients, _, first) = try await refreshable()
        let second = try await clients.refresh(first)
        await #expect { try await clients.refresh(first, scopes: ["openid", "email"]) } throws: {
            if case AccountError.scopeTooWide = $0 { true } else { false }
        }
        await #expect { try await clients.refresh(first, userFlow: "b2c_1_susi") } throws: {
            if case AccountError.grantOfOtherFlow = $0 { true } else { false }
        }
        _ = try await clients.refresh(second)
        #expect(try await actions(clients).isEmpty)
    }

    @Test func `revokes by either token, for its own client alone`() async throws {
        let (clients, browser, token) = try await refreshable()
        try await clients.sessions.revoke(UTF8Text(token), of: "site", in: clients.project)
        let next = try await clients.refresh(token)
        try await clients.sessions.revoke(UTF8Text(next), of: "field-app", in: clients.project)
        #expect(await clients.isRefused { try await clients.refresh(next) })
        let code = try await clients.requests.grant(
            clients.request(), authorization: nil, to: browser, scopes: ["openid"], in: clients.project)
        let session = try await clients.redeem(code).session
        let access = try clients.accessToken(session, browser.account)
        #expect(try await clients.sessions.accessToken(UTF8Text(access), in: clients.project)?.account.id == browser.account.id)
        try await clients.sessions.revoke(UTF8Text(access), of: "field-app", in: clients.project)
        #expect(try await clients.sessions.accessToken(UTF8Text(access), in: clients.project) == nil)
    }

    @Test func `a token of a user flow, or of a client, is worth nothing once that is removed`() async throws {
        var clients = try await ClientFixture()
        clients.fixture.project.openIDProvider?.userFlows = [UserFlow(name: "b2c_1_susi", kind: .signUpOrSignIn)]
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            clients.request(userFlow: "b2c_1_susi"), authorization: nil, to: browser, scopes: ["openid", "offline_access"],
            in: clients.project)
        let session = try await clients.redeem(code, userFlow: "b2c_1_susi").session
        let access = UTF8Text(try clients.accessToken(session, browser.account))
        let token = UTF8Text(clients.sessions.refreshToken(for: session, in: clients.project))
        func lives() async throws -> [Bool] {
            [
                try await clients.sessions.accessToken(access, in: clients.project) != nil,
                try await clients.sessions.refreshable(token, in: clients.project) != nil,
            ]
        }
        #expect(try await lives() == [true, true])
        clients.fixture.project.openIDProvider?.userFlows = []
        #expect(try await lives() == [false, false])
        clients.fixture.project.openIDProvider?.userFlows = [UserFlow(name: "b2c_1_susi", kind: .signIn)]
        #expect(try await lives() == [true, true])
        let site = clients.site
        clients.fixture.project.openIDProvider?.clients = [site]
        #expect(try await lives() == [false, false])
    }

    @Test func `an account has a hundred open grants at a client, and the oldest ends for one more`() async throws {
        let (clients, browser, oldest) = try await refreshable()
        let scopes = ["openid", "offline_access"]
        func grant(to client: OAuthClient) async throws -> String {
            clients.fixture.time.advance(.milliseconds(1))
            let code = try await clients.requests.grant(
                clients.request(of: client), authorization: nil, to: browser, scopes: scopes, in: clients.project)
            return clients.sessions.refreshToken(for: try await clients.redeem(code, by: client).session, in: clients.project)
        }
        let elsewhere = try await grant(to: clients.site)
        var second = ""
        for number in 2...ClientSessions.mostGrants {
            let token = try await grant(to: clients.app)
            if number == 2 { second = token }
        }
        let renewed = try await clients.refresh(oldest)
        let newest = try await grant(to: clients.app)
        #expect(await clients.isRefused { try await clients.refresh(renewed) })
        for token in [second, newest] { _ = try await clients.refresh(token) }
        _ = try await clients.refresh(elsewhere, by: clients.site)
        let reasons = try await clients.fixture.database.query("SELECT end_reason FROM sessions WHERE ended_at IS NOT NULL")
        #expect(try reasons.map { try $0.value(as: String.self) } == ["too many grants"])
    }

    @Test func `deletes what has expired`() async throws {
        let (clients, _, _) = try await refreshable()
        let cleanup = Cleanup(
            database: clients.fixture.database, clock: clients.fixture.time.clock, retention: Retention(audit: .seconds(86400 * 400)))
        func count() async throws -> [Int] {
            var counts: [Int] = []
            for table in ["sessions", "authorization_requests"] {
                counts.append(try await clients.fixture.database.query("SELECT count(*) FROM \(SQL(unsafe: table))").first?.value() ?? -1)
            }
            return counts
        }
        try await cleanup.run()
        #expect(try await count() == [2, 1])
        clients.fixture.time.advance(.seconds(2 * 86400))
        try await cleanup.run()
        #expect(try await count() == [1, 0])
        clients.fixture.time.advance(.seconds(90 * 86400))
        try await cleanup.run()
        #expect(try await count() == [0, 0])
    }
}

extension ClientFixture {
    /// Another person's grant.
    fileprivate func granted2() async throws -> (BrowserSession, ClientSession) {
        let browser = try await signUp("grace@example.com")
        let scopes = ["openid", "offline_access"]
        let code = try await requests.grant(request(scopes: scopes), authorization: nil, to: browser, scopes: scopes, in: project)
        return (browser, try await redeem(code).session)
    }

    func accessToken(_ session: ClientSession, _ account: Account) throws -> String {
        try fixture.accounts.openID.tokens.accessToken(
            ClientTokens.Subject(account, session, of: app, by: nil), scopes: session.grant.scopes,
            userInfo: "https://auth.example.com/demo/oauth2/userinfo", in: project)
    }
}
