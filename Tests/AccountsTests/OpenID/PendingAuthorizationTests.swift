@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct PendingAuthorizationTests {
    @Test func `finds a pending request by its number and the cookie of its browser alone`() async throws {
        let clients = try await ClientFixture()
        var request = clients.request()
        request.state = "s \"1\""
        request.prompts = [.login, .consent]
        request.claims = RequestedClaims(idToken: ["name"], userInfo: ["email"])
        let (authorization, cookie) = try await clients.requests.store(request, in: clients.project, from: clients.client)
        let found = try await clients.requests.waiting(authorization.id, cookie: UTF8Text(cookie), in: clients.project)
        #expect(found?.request == request)
        #expect(found?.createdAt == authorization.createdAt)
        #expect(try await clients.requests.waiting(authorization.id, cookie: "another", in: clients.project) == nil)
        clients.fixture.time.advance(AuthorizationRequests.timeToSignIn)
        #expect(try await clients.requests.waiting(authorization.id, cookie: UTF8Text(cookie), in: clients.project) == nil)
    }

    @Test func `answers a pending request once`() async throws {
        let clients = try await ClientFixture()
        let (authorization, cookie) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        let browser = try await clients.signUp()
        let code = try await clients.requests.grant(
            authorization.request, authorization: authorization, to: browser, scopes: ["openid"], in: clients.project)
        await #expect {
            try await clients.requests.grant(
                authorization.request, authorization: authorization, to: browser, scopes: ["openid"], in: clients.project)
        } throws: { if case AccountError.conflict = $0 { true } else { false } }
        #expect(try await clients.requests.waiting(authorization.id, cookie: UTF8Text(cookie), in: clients.project) == nil)
        _ = try await clients.redeem(code)
    }

    @Test func `gives a pushed request out once, to its client, within a minute`() async throws {
        let clients = try await ClientFixture()
        let id = try await clients.requests.push(clients.request(), of: clients.app, in: clients.project, from: clients.client)
        #expect(try await clients.requests.takePushed(id, clientID: "site", in: clients.project) == nil)
        #expect(try await clients.requests.takePushed(id, clientID: "field-app", in: clients.project) == clients.request())
        #expect(try await clients.requests.takePushed(id, clientID: "field-app", in: clients.project) == nil)
        let late = try await clients.requests.push(clients.request(), of: clients.app, in: clients.project, from: clients.client)
        clients.fixture.time.advance(.seconds(60))
        #expect(try await clients.requests.takePushed(late, clientID: "field-app", in: clients.project) == nil)
    }

    @Test func `remembers what the person chose and agreed to`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let (authorization, cookie) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        try await clients.requests.recordChoice(of: authorization, by: "somebody", in: clients.project)
        try await clients.requests.recordConsent(to: ["openid", "email"], of: authorization, by: browser, in: clients.project)
        let found = try await clients.requests.waiting(authorization.id, cookie: UTF8Text(cookie), in: clients.project)
        #expect(found?.chosenBy == "somebody" && found?.editedBy == nil)
        #expect(found?.consentedBy == browser.account.id)
        func agreed(_ scopes: [String], _ client: String = "field-app") async throws -> Bool {
            try await clients.requests.hasConsent(to: scopes, of: client, by: browser.account.id, in: clients.project)
        }
        #expect(try await agreed(["email"]))
        #expect(try await !agreed(["email", "phone"]))
        #expect(try await !agreed(["email"], "site"))
        let (next, _) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        try await clients.requests.recordConsent(to: ["phone"], of: next, by: browser, in: clients.project)
        #expect(try await agreed(["email", "phone"]))
        clients.fixture.time.advance(.seconds(1))
        try await clients.fixture.accounts.administration.accounts.revokeSessions(of: browser.account.id, by: clients.fixture.operator)
        #expect(try await !agreed(["email"]))
    }

    @Test func `SEC-50 agreeing again brings nothing back that was agreed to before an ending, and an ended session agrees to nothing`()
        async throws
    {
        let clients = try await ClientFixture()
        let before = try await clients.signUp()
        let (authorization, _) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        try await clients.requests.recordConsent(to: ["email", "offline_access"], of: authorization, by: before, in: clients.project)
        clients.fixture.time.advance(.seconds(1))
        try await clients.fixture.accounts.administration.accounts.revokeSessions(of: before.account.id, by: clients.fixture.operator)
        await expectRefusal("conflict") {
            try await clients.requests.recordConsent(to: ["phone"], of: authorization, by: before, in: clients.project)
        }
        clients.fixture.time.advance(.seconds(1))
        let after = try await clients.signIn()
        try await clients.requests.recordConsent(to: ["email"], of: authorization, by: after, in: clients.project)
        func agreed(_ scope: String) async throws -> Bool {
            try await clients.requests.hasConsent(to: [scope], of: "field-app", by: after.account.id, in: clients.project)
        }
        #expect(try await agreed("email"))
        #expect(try await !agreed("offline_access"))
        #expect(try await !agreed("phone"))
    }

    @Test func `SEC-50 an ending drops a consent that is committed while it waits, whatever the clocks say`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        let (authorization, _) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        // The ending's time is earlier than the consent's, as when it waits for the consent's commit.
        let (account, now) = (browser.account, clients.fixture.time.clock.now())
        clients.fixture.time.advance(.milliseconds(3))
        try await clients.requests.recordConsent(to: ["email"], of: authorization, by: browser, in: clients.project)
        var changed = account
        changed.endTokens(at: now)
        _ = try await Storage(database: clients.fixture.database).write(all: [
            changed.updateByAdministrator(from: account, passwordHash: nil, in: clients.project),
            account.deleteCodes(.allButRecovery, in: clients.project),
            account.endSessions(because: "revoked", in: clients.project, at: now),
        ])
        #expect(
            try await !clients.requests.hasConsent(to: ["email"], of: "field-app", by: account.id, in: clients.project))
    }

    @Test func `a pending request asks for no more than its client may have by now, and not at an address that was removed`() async throws {
        let clients = try await ClientFixture()
        var request = clients.request(scopes: ["openid", "email", "phone", "offline_access"])
        request.claims = RequestedClaims(idToken: ["email", "phone_number"], userInfo: ["phone_number"])
        var project = clients.project
        let standing = try #require(project.standing(of: request))
        #expect(standing.request.scopes == ["openid", "email", "offline_access"])
        #expect(standing.request.claims == RequestedClaims(idToken: ["email"], userInfo: []))
        project.openIDProvider?.clients[0].scopes = ["openid"]
        #expect(project.standing(of: request)?.request.scopes == ["openid"])
        project.openIDProvider?.clients[0].redirectURIs = ["com.example.app://oauth/other"]
        #expect(project.standing(of: request) == nil)
        var ofFlow = clients.request(userFlow: "b2c_1_susi")
        #expect(clients.project.standing(of: ofFlow) == nil)
        ofFlow.userFlow = nil
        ofFlow.clientID = "gone"
        #expect(clients.project.standing(of: ofFlow) == nil)
    }
}
