@testable import Accounts
import Crypto
import ProjectSettings
import Runtime
import TestKit
import Text

/// A project that is an OpenID provider with two clients, and a person at its pages.
struct ClientFixture {
    var fixture: Fixture
    let app = OAuthClient(id: "field-app", kind: .native, redirectURIs: ["com.example.app://oauth/redirect"])
    let site = OAuthClient(id: "site", kind: .confidential, redirectURIs: ["https://rp.example.com/callback"])
    let client = Session.ClientInfo(userAgent: "browser", address: "192.0.2.7", kind: .browser)
    static let verifier: UTF8Text = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    init() async throws {
        fixture = try await Fixture()
        var provider = ProjectSettings.OpenIDProvider()
        provider.clients = [app, site]
        fixture.project.openIDProvider = provider
        try await fixture.loadSigningKeys()
    }

    var project: ProjectSettings { fixture.project }
    var requests: AuthorizationRequests { fixture.accounts.openID.requests }
    var sessions: ClientSessions { fixture.accounts.openID.sessions }

    func signUp(_ email: String = "ada@example.com") async throws -> BrowserSession {
        let (account, outcome) = try await fixture.accounts.signIn.signUps.signUp(
            email: email, password: "correct horse", displayName: "Ada", in: project, from: client)
        return BrowserSession(session: try outcome.session, account: account)
    }

    /// A second sign-in, with the password of `signUp`.
    func signIn(_ email: String = "ada@example.com") async throws -> BrowserSession {
        let (account, outcome) = try await fixture.accounts.signIn.passwords.signIn(
            email: email, password: "correct horse", in: project, from: client)
        return BrowserSession(session: try outcome.session, account: account)
    }

    func request(
        of client: OAuthClient? = nil, scopes: [String] = ["openid", "offline_access"], challenged: Bool = true, userFlow: String? = nil
    ) -> AuthorizationRequest {
        let client = client ?? app
        var request = AuthorizationRequest(
            clientID: client.id, redirectURI: client.redirectURIs[0], scopes: scopes, issuer: "https://auth.example.com/demo")
        if challenged { request.codeChallenge = Base64URL.encode(Digest.sha256(Array(Self.verifier.utf8))) }
        request.userFlow = userFlow
        return request
    }

    func redeem(
        _ code: String, by client: OAuthClient? = nil, redirectURI: UTF8Text? = nil, verifier: UTF8Text? = Self.verifier,
        userFlow: String? = nil
    ) async throws -> RedeemedCode {
        let client = client ?? app
        return try await requests.redeem(
            UTF8Text(code),
            AuthorizationRequests.Proof(
                clientID: client.id, redirectURI: redirectURI ?? UTF8Text(client.redirectURIs[0]), verifier: verifier, userFlow: userFlow),
            for: client, in: project, from: self.client)
    }

    /// A person who signed in, and what the app got for it.
    func granted(scopes: [String] = ["openid", "offline_access"]) async throws -> (BrowserSession, ClientSession) {
        let browser = try await signUp()
        let code = try await requests.grant(request(scopes: scopes), authorization: nil, to: browser, scopes: scopes, in: project)
        return (browser, try await redeem(code).session)
    }

    func refresh(
        _ token: String, by client: OAuthClient? = nil, scopes: [String]? = nil, userFlow: String? = nil
    ) async throws -> String {
        let (_, session) = try await sessions.refresh(
            UTF8Text(token), scopes: scopes, for: client ?? app, userFlow: userFlow, in: project, from: self.client)
        return sessions.refreshToken(for: session, in: project)
    }

    func isRefused(_ work: () async throws -> some Any) async -> Bool {
        do { _ = try await work() } catch AccountError.grantRefused, AccountError.grantOfOtherFlow { return true } catch {}
        return false
    }
}
