@testable import Accounts
import Crypto
import JOSE
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Text

/// A project whose people come from Firebase, and the tokens that Google has given them. Here every RS256 signature counts for Google's: which
/// one does is not for these rules.
struct FirebaseFixture {
    struct Believing: FormerTokens {
        func idToken(_ token: UnverifiedJWT, of migration: FirebaseMigration) async throws(AccountError) -> IDToken {
            guard token.claims["aud"]?.string == UTF8Text(migration.projectID), let uid = token.claims["sub"]?.string,
                let authTime = token.claims["auth_time"]?.integer, let issued = token.claims["iat"]?.integer
            else { throw .invalidIDToken }
            return IDToken(
                google: uid.asString, issued: Instant(seconds: issued), expires: Instant(seconds: issued + 3600),
                authTime: Instant(seconds: authTime), signInProvider: token.claims["provider"]?.string?.asString ?? "password")
        }
    }

    var fixture: Fixture
    let key: FakeKey

    static let until: Duration = .seconds(40 * 86_400)

    init(_ accounts: (any FormerAccounts)? = nil) async throws {
        fixture = try await Fixture(formerTokens: Believing(), formerAccounts: accounts)
        fixture.project.signIn.password = true
        fixture.project.emailEnumerationProtection = false
        try await fixture.loadSigningKeys()
        key = try .rsa("google-1")
        fixture.project.firebaseMigration = try Self.migration(until: fixture.time.clock.now() + Self.until, key)
    }

    static func migration(until: Instant, _ key: FakeKey? = nil) throws -> FirebaseMigration {
        let file: JSON = [
            "type": "service_account", "client_email": "m@acme-prod.iam.gserviceaccount.com", "private_key_id": "k1",
            "private_key": .string(try (key ?? .rsa("google-1")).key.pem),
        ]
        return FirebaseMigration(
            projectID: "acme-prod", projectNumber: 100_200_300_400, serviceAccount: try GoogleServiceAccount(Secret(file.text())),
            apiKey: Secret("server key"), until: until)
    }

    var now: Instant { fixture.time.clock.now() }
    private var bridged: BridgedSessions { fixture.accounts.signIn.bridgedSessions }

    /// Stores an account as an import does: with its id and its times of before.
    func imported(_ id: String, _ change: (inout Account) -> Void = { _ in }) async throws -> Account {
        var account = Account(id: id, at: now - .seconds(100 * 86_400))
        account.customAuth = true
        change(&account)
        let hash = account.hasPassword ? try await fixture.passwords.hash("first password").text : nil
        _ = try await fixture.database.write(account.insert(passwordHash: hash, in: fixture.project))
        return account
    }

    /// A token that Google signed a moment ago, for a person who signed in this long ago.
    func token(_ uid: String, signedIn ago: Duration, provider: String = "password", by other: FakeKey? = nil) throws -> String {
        try (other ?? key).sign([
            "iss": "https://securetoken.google.com/acme-prod", "aud": "acme-prod", "sub": .string(uid), "provider": .string(provider),
            "auth_time": .integer((now - ago).seconds), "iat": .integer(now.seconds),
        ])
    }

    /// What Google answers for a refresh token of a person who signed in this long ago.
    func session(
        _ uid: String, signedIn ago: Duration, secondFactor: SecondFactorProof? = nil, claims: JSON.Object = [:]
    ) -> FirebaseSession {
        let token = IDToken(
            google: uid, issued: now, expires: now + .seconds(3600), authTime: now - ago, signInProvider: SignInProvider.password)
        return FirebaseSession(idToken: token, secondFactor: secondFactor, developerClaims: claims)
    }

    func find(_ token: UTF8Text, of accounts: Accounts? = nil) async throws(AccountError) -> (Account, Session)? {
        try await (accounts ?? fixture.accounts).signIn.bridgedSessions.find(token, in: fixture.project)
    }

    func open(
        _ session: FirebaseSession, for token: UTF8Text, of accounts: Accounts? = nil
    ) async throws(AccountError) -> (Account, Session) {
        try await (accounts ?? fixture.accounts).signIn.bridgedSessions.open(session, for: token, in: fixture.project, from: Fixture.here)
    }

    func refresh(_ session: Session) async throws(AccountError) -> (Account, Session) {
        try await fixture.sessions.refresh(fixture.sessions.refreshToken(for: session, in: fixture.project), in: fixture.project)
    }
}

/// The name of the error that `call` throws; `nil` when it throws none.
func refusal(_ call: () async throws -> Void) async -> String? {
    do {
        try await call()
        return nil
    } catch {
        return "\(error)"
    }
}
