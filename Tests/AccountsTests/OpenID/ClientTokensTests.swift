@testable import Accounts
import Crypto
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct ClientTokensTests {
    private func verified(_ token: String, as kind: TokenKind = .ownIDToken, _ clients: ClientFixture) throws -> JWT {
        try UnverifiedJWT.parse(token, as: kind).verified(with: clients.fixture.keys.published.keys, algorithms: [.rs256])
    }

    @Test func `signs an ID token with the names and types of OpenID Connect`() async throws {
        let clients = try await ClientFixture()
        let (browser, session) = try await clients.granted(scopes: ["openid", "profile", "email"])
        let subject = ClientTokens.Subject(browser.account, session, of: clients.app, by: nil)
        clients.fixture.time.advance(.seconds(10))
        let token = try clients.fixture.accounts.openID.tokens.idToken(
            subject, scopes: session.grant.scopes, accessToken: "abc", nonce: "n-1", in: clients.project)
        let jwt = try verified(token, clients)
        let now = clients.fixture.time.clock.now().seconds
        #expect(jwt.header["typ"] == "JWT")
        #expect(jwt.claims["iss"] == "https://auth.example.com/demo")
        #expect(jwt.claims["sub"] == .string(browser.account.id))
        #expect(jwt.claims["aud"] == "field-app")
        #expect(jwt.claims["iat"] == .integer(now))
        #expect(jwt.claims["exp"] == .integer(now + 3600))
        #expect(jwt.claims["auth_time"] == .integer(now - 10))
        #expect(jwt.claims["nonce"] == "n-1")
        #expect(jwt.claims["sid"] == .string(Base64URL.encode(browser.session.id)))
        #expect(jwt.claims["at_hash"] == .string(Base64URL.encode(Array(Digest.sha256(Array("abc".utf8)).prefix(16)))))
        // Claims of the profile are for userinfo, unless the client is configured to have them in the token.
        #expect(jwt.claims["email"] == nil && jwt.claims["name"] == nil && jwt.claims["azp"] == nil)
        var talkative = clients.app
        talkative.profileInIDToken = true
        let other = try clients.fixture.accounts.openID.tokens.idToken(
            ClientTokens.Subject(browser.account, session, of: talkative, by: nil), scopes: session.grant.scopes, accessToken: nil,
            nonce: nil, in: clients.project)
        let claims = try verified(other, clients).claims
        #expect(claims["email"] == "ada@example.com" && claims["name"] == "Ada" && claims["email_verified"] == false)
        #expect(claims["nonce"] == nil && claims["at_hash"] == nil)
        let narrow = try clients.fixture.accounts.openID.tokens.idToken(
            ClientTokens.Subject(browser.account, session, of: talkative, by: nil), scopes: ["openid", "profile"], accessToken: nil,
            nonce: nil, in: clients.project)
        let fewer = try verified(narrow, clients).claims
        #expect(fewer["name"] == "Ada" && fewer["email"] == nil && fewer["email_verified"] == nil)
    }

    @Test func `signs an access token that no app's ID token passes for, and that passes for none`() async throws {
        let clients = try await ClientFixture()
        let (browser, session) = try await clients.granted()
        let token = try clients.accessToken(session, browser.account)
        #expect(try verified(token, as: .accessToken, clients).header["typ"] == "at+jwt")
        let found = try #require(try await clients.sessions.accessToken(UTF8Text(token), in: clients.project))
        #expect(found.audiences == ["https://auth.example.com/demo/oauth2/userinfo"])
        #expect(found.scopes == ["openid", "offline_access"])
        await #expect(throws: AccountError.self) { try await clients.fixture.accounts.idTokens.account(of: token, in: clients.project) }
        let (account, app, _) = try await clients.fixture.signIn(Fixture.ada())
        let idToken = try clients.fixture.accounts.idTokens.issue(for: account, app, in: clients.project)
        #expect(try await clients.sessions.accessToken(UTF8Text(idToken), in: clients.project) == nil)
        let ours = try clients.fixture.accounts.openID.tokens.idToken(
            ClientTokens.Subject(browser.account, session, of: clients.app, by: nil), scopes: session.grant.scopes, accessToken: nil,
            nonce: nil, in: clients.project)
        #expect(try await clients.sessions.accessToken(UTF8Text(ours), in: clients.project) == nil)
        await #expect(throws: AccountError.self) { try await clients.fixture.accounts.idTokens.account(of: ours, in: clients.project) }
    }

    @Test func `refuses an access token when it has expired`() async throws {
        let clients = try await ClientFixture()
        let (browser, session) = try await clients.granted()
        let token = try clients.accessToken(session, browser.account)
        clients.fixture.time.advance(clients.app.accessTokenLifetime)
        #expect(try await clients.sessions.accessToken(UTF8Text(token), in: clients.project) == nil)
    }

    @Test func `names the API before the last slash of its scope as the audience`() {
        var client = OAuthClient(id: "app", kind: .native)
        client.apiScopes = ["https://api.example.com/orders/read", "https://api.example.com/orders/write"]
        func audiences(_ scopes: [String], _ userFlow: UserFlow? = nil) -> [String] {
            ClientTokens.audiences(of: scopes, client: client, userFlow: userFlow, userInfo: "userinfo")
        }
        #expect(audiences(["openid"]) == ["userinfo"])
        #expect(audiences(client.apiScopes) == ["https://api.example.com/orders"])
        #expect(audiences(["openid"] + client.apiScopes) == ["https://api.example.com/orders", "userinfo"])
        #expect(audiences(["openid", "app"], UserFlow(name: "b2c_1_susi", kind: .signIn)) == ["app"])
    }

    @Test func `puts the claims of a user flow into the token, with the object id as the subject`() async throws {
        var clients = try await ClientFixture()
        clients.fixture.project.openIDProvider?.directoryID = "775527ff-9a37-4307-8b3d-cc311f58d925"
        let (browser, session) = try await clients.granted()
        var userFlow = UserFlow(name: "b2c_1_susi", kind: .signUpOrSignIn)
        userFlow.claims = UserFlow.Claim.allCases
        let subject = ClientTokens.Subject(browser.account, session, of: clients.app, by: userFlow)
        let token = try clients.fixture.accounts.openID.tokens.idToken(
            subject, scopes: session.grant.scopes, accessToken: nil, nonce: nil, isNewUser: true, in: clients.project)
        let claims = try verified(token, clients).claims
        let id = browser.account.objectID(in: clients.project)
        #expect(claims["oid"] == .string(id) && claims["sub"] == .string(id))
        #expect(claims["emails"] == ["ada@example.com"] && claims["idp"] == "password" && claims["newUser"] == true)
        #expect(claims["tfp"] == "b2c_1_susi" && claims["ver"] == "1.0" && claims["tid"] == "775527ff-9a37-4307-8b3d-cc311f58d925")
        #expect(claims["given_name"] == nil)
    }

    @Test func `makes an object id that is a GUID, differs by project, and stays the same`() async throws {
        let clients = try await ClientFixture()
        var account = try await clients.signUp().account
        account.id = "Xa3fW9pQ2sT8uV1yZ0bC4dE6gH7j"
        let id = account.objectID(in: clients.project)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        var other = clients.project
        other.number += 1
        #expect(account.objectID(in: other) != id)
        #expect(id == "172aae51-8ea7-5f8a-9611-64b13c2ae626")
    }

    @Test func `writes what the person said of themselves by its scope`() async throws {
        let clients = try await ClientFixture()
        let browser = try await clients.signUp()
        try await clients.fixture.accounts.openID.profileEdits.edit(
            displayName: "Ada Lovelace", [.givenName: "Ada", .phoneNumber: "+44 1", .address: "London", .nickname: ""], in: browser,
            of: clients.project, from: clients.client)
        let account = try #require(try await clients.fixture.accounts.directory.account(browser.account.id, in: clients.project))
        func claims(_ scopes: Set<String>, _ requested: [String] = []) throws -> JSON {
            var json = JSONWriter()
            json.object { account.write(UserInfoClaims(scopes: scopes, requested: requested), to: &$0) }
            return try JSON.parse(json.bytes)
        }
        #expect(try claims(["profile"]) == ["name": "Ada Lovelace", "given_name": "Ada"])
        #expect(try claims(["phone", "address"]) == ["phone_number": "+44 1", "address": ["formatted": "London"]])
        #expect(try claims([], ["name"]) == ["name": "Ada Lovelace"])
        #expect(try claims(["openid"]) == [:])
    }
}
