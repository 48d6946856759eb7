@testable import Accounts
import Crypto
import JOSE
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import Webhooks

/// SEC-59: each kind of token and secret that there is, shown to each reader that there is. Only the reader that it was made for takes it.
@Suite struct TokenMatrixTests {
    /// The kinds, each alive and of the same project.
    private enum Kind: String, CaseIterable {
        case idToken, refreshToken, sessionCookie, browserCookie, clientIDToken, clientAccessToken, clientRefreshToken, logoutToken
        case customToken, assertion, administratorToken, firestoreToken, hookToken, hookMailToken, pendingToken, pendingCredential, appToken
    }

    /// The readers, with the kinds that they take.
    private static let readers: [(name: String, takes: Set<Kind>)] = [
        ("calls", [.idToken]), ("refresh", [.refreshToken]), ("refresh of relying parties", [.clientRefreshToken]),
        ("userinfo", [.clientAccessToken]), ("custom token sign-in", [.customToken]), ("token endpoint of service accounts", [.assertion]),
        ("administrators", [.administratorToken]), ("pages", [.browserCookie]), ("redemption", [.pendingToken]),
        ("second step", [.pendingCredential]), ("hand-over to an app", [.appToken]), ("data at Firebase", [.idToken]),
        ("making of cookies", [.idToken]), ("back end with ID tokens", [.idToken]), ("back end with cookies", [.sessionCookie]),
        ("hook", [.hookToken, .hookMailToken]),
    ]

    private static let hook = BlockingHook(Webhook(url: "https://hooks.example.com/sign-in", secrets: []))

    @Test func `SEC-59 tokens of one purpose are taken for no other`() async throws {
        let stage = try await Stage()
        let tokens = try await stage.tokens()
        #expect(tokens.count == Kind.allCases.count)
        for reader in Self.readers {
            // Those that are refused come first, since a reader may use up what it takes.
            for kind in Kind.allCases.sorted(by: { !reader.takes.contains($0) && reader.takes.contains($1) }) {
                let text = try #require(tokens[kind])
                let isTaken = try await stage.takes(text, reader.name)
                #expect(isTaken == reader.takes.contains(kind), "\(reader.name): \(kind.rawValue)")
            }
        }
    }

    private struct Stage {
        let clients: ClientFixture
        let browser: BrowserSession
        let granted: ClientSession
        let app: BrowserSession
        let firestore: FirestoreAccess

        init() async throws {
            clients = try await ClientFixture()
            (browser, granted) = try await clients.granted()
            app = try await clients.signIn()
            firestore = try Fixture.firestoreAccess()
        }

        var fixture: Fixture { clients.fixture }
        var accounts: Accounts { clients.fixture.accounts }
        var project: ProjectSettings { clients.project }

        func tokens() async throws -> [Kind: String] {
            let now = fixture.time.clock.now()
            let idToken = try accounts.idTokens.issue(for: app.account, app.session, in: project)
            let subject = ClientTokens.Subject(browser.account, granted, of: clients.app, by: nil)
            let message = OutgoingLogout(
                clientID: granted.grant.clientID, issuer: granted.grant.issuer, subject: browser.account.id, sid: granted.grant.sid)
            let key = try await serviceAccount()
            let tokens = accounts.administration.accessTokens
            let assertion = try key.assertion(at: now)
            let questions = HookTokens(clock: fixture.time.clock, signingKeys: fixture.keys, publicURL: "https://auth.example.com")
            let signIn = HookedSignIn(account: app.account, method: "password", secondFactor: nil, credential: nil)
            let about = HookQuestion(.beforeSignIn, id: "1", from: Fixture.here, about: .signIn(signIn))
            let mail = HookQuestion(.beforeSendEmail, id: "2", from: Fixture.here, about: .mail(.signIn, to: "ada@example.com"))
            let request = AuthorizationRequest(
                clientID: project.id, redirectURI: project.redirectURLs[0], scopes: [], issuer: "https://auth.example.com/demo")
            return [
                .idToken: idToken,
                .refreshToken: accounts.sessions.refreshToken(for: app.session, in: project),
                .sessionCookie: try await accounts.administration.sessionCookies.create(
                    for: UTF8Text(idToken), life: .seconds(600), by: fixture.operator),
                .browserCookie: accounts.openID.browserSessions.cookie(for: browser.session, in: project),
                .clientIDToken: try accounts.openID.tokens.idToken(
                    subject, scopes: ["openid"], accessToken: nil, nonce: nil, in: project),
                .clientAccessToken: try accounts.openID.tokens.accessToken(
                    subject, scopes: ["openid"], userInfo: "https://auth.example.com/demo/openid/userinfo", in: project),
                .clientRefreshToken: clients.sessions.refreshToken(for: granted, in: project),
                .logoutToken: try accounts.openID.tokens.logoutToken(for: message),
                .customToken: try key.customToken(at: now),
                .assertion: assertion,
                .administratorToken: try await tokens.issue(
                    for: tokens.assertion(UTF8Text(assertion), scope: nil), in: project, from: Fixture.here),
                .firestoreToken: try await accounts.firestoreTokens.token(
                    forIDToken: idToken, of: firestore, in: project, from: Fixture.here),
                .hookToken: try questions.token(for: about, to: TokenMatrixTests.hook, in: project),
                .hookMailToken: try questions.token(for: mail, to: TokenMatrixTests.hook, in: project),
                .pendingToken: accounts.signIn.pendingTokens.issue([1], about: nil, proof: nil, in: project),
                .pendingCredential: try await pendingCredential(),
                .appToken: AppToken(
                    code: try await clients.requests.grant(request, authorization: nil, to: browser, scopes: [], in: project)
                ).text,
            ]
        }

        private struct Key {
            let key: FakeKey
            let email: String

            func assertion(at now: Instant) throws -> String {
                try sign(for: "https://auth.example.com/token", at: now)
            }

            func customToken(at now: Instant) throws -> String { try sign(for: CustomToken.audience, at: now) }

            private func sign(for audience: String, at now: Instant) throws -> String {
                let claims: JSON = [
                    "iss": .string(email), "sub": .string(email), "aud": .string(audience), "iat": .integer(now.seconds),
                    "exp": .integer(now.seconds + 600), "uid": "grace", "scope": "https://www.googleapis.com/auth/firebase",
                ]
                return try key.sign(claims)
            }
        }

        private func serviceAccount() async throws -> Key {
            let rules = ServiceAccounts(database: fixture.database, clock: fixture.time.clock)
            let email = try #require(ServiceAccountEmail("backend", in: "demo"))
            let file = try await rules.createKey(for: email, rights: nil, publicURL: "https://auth.example.com")
            return Key(key: FakeKey(file.keyID, .rs256, file.key), email: email.text)
        }

        /// That of a sign-in which waits for a second factor, stored as the end of a sign-in stores it.
        private func pendingCredential() async throws -> String {
            let now = fixture.time.clock.now()
            let credential = PendingCredential.random()
            let authentication = Authentication(account: app.account, signInProvider: SignInProvider.password, time: now)
            _ = try await fixture.database.write(
                PendingSignIns.insertion(of: authentication, credential, method: "password", kind: .app, in: project, at: now))
            return credential.text
        }

        func takes(_ text: String, _ reader: String) async throws -> Bool {
            let token = UTF8Text(text)
            let (openID, administration) = (accounts.openID, accounts.administration)
            return switch reader {
            case "calls": await isTaken { try await accounts.idTokens.account(of: text, in: project) }
            case "refresh": await isTaken { try await accounts.sessions.refresh(text, in: project) }
            case "refresh of relying parties": await isTaken { try await clients.refresh(text) }
            case "userinfo": try await openID.sessions.accessToken(token, in: project) != nil
            case "custom token sign-in":
                await isTaken { try await accounts.signIn.customTokens.signIn(customToken: token, in: project, from: Fixture.here) }
            case "token endpoint of service accounts":
                await isTaken {
                    try await administration.accessTokens.issue(
                        for: administration.accessTokens.assertion(token, scope: nil), in: project, from: Fixture.here)
                }
            case "administrators":
                await isTaken {
                    guard let token = administration.accessTokens.token(token) else { throw AccountError.accessTokenRefused }
                    return try await administration.accessTokens.administrator(
                        bearing: token, for: .readUsers, in: project, from: Fixture.here)
                }
            case "pages": try await openID.browserSessions.find(token, in: project) != nil
            case "redemption": await isTaken { try await accounts.signIn.pendingTokens.redeem(text, in: project) }
            case "second step":
                await isTaken {
                    guard let credential = PendingCredential(token) else { throw AccountError.secondFactor(.pendingUnknown) }
                    return try await PendingSignIns(
                        storage: Storage(database: fixture.database), clock: fixture.time.clock,
                        secrets: FactorSecrets(keys: fixture.masterKey.factorSecrets)
                    ).find(credential, in: project)
                }
            case "hand-over to an app":
                await isTaken {
                    guard let token = AppToken(token) else { throw AccountError.grantRefused }
                    return try await openID.requests.signIn(with: token, in: project, from: Fixture.here)
                }
            case "data at Firebase":
                await isTaken {
                    try await accounts.firestoreTokens.token(forIDToken: text, of: firestore, in: project, from: Fixture.here)
                }
            case "making of cookies":
                await isTaken { try await administration.sessionCookies.create(for: token, life: .seconds(600), by: fixture.operator) }
            case "back end with ID tokens":
                isVerified(
                    text, fixture.keys.published, issuer: project.issuer(publicURL: "https://auth.example.com"), audience: project.id)
            case "back end with cookies":
                isVerified(
                    text, fixture.keys.publishedForSessionCookies, issuer: "https://session.firebase.google.com/demo", audience: project.id)
            default:
                isVerified(
                    text, fixture.keys.published, issuer: project.issuer(publicURL: "https://auth.example.com"),
                    audience: TokenMatrixTests.hook.audience)
            }
        }

        private func isTaken(_ work: () async throws -> some Any) async -> Bool {
            do { _ = try await work() } catch { return false }
            return true
        }

        /// The check of a library of others: signature, type, issuer, audience.
        private func isVerified(_ text: String, _ keys: SigningKeys.Published, issuer: String, audience: String) -> Bool {
            guard let verified = try? UnverifiedJWT.parse(text, as: .ownIDToken).verified(with: keys.keys, algorithms: [.rs256]) else {
                return false
            }
            return verified.claims["iss"] == .string(issuer) && verified.claims["aud"] == .string(audience)
        }
    }
}
