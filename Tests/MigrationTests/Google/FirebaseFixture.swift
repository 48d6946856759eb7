import Accounts
import Crypto
import Curl
import HTTP
import JOSE
import JSON
import ProjectSettings
import Providers
import Runtime
import TestKit
import Text

@testable import Migration

/// A Firebase project that people leave, with Google's answers on a `FakeUpstream`.
struct FirebaseFixture: Sendable {
    let upstream = FakeUpstream()
    let time = TestTime()
    let key: FakeKey
    let migration: FirebaseMigration

    init() throws {
        key = try FakeKey.rsa("google-1")
        migration = try Self.migration()
        publish([key])
    }

    /// A service account whose file gives every key the same id.
    static func account(_ key: FakeKey) throws -> GoogleServiceAccount {
        let file: JSON = [
            "type": "service_account", "client_email": "m@acme-prod.iam.gserviceaccount.com", "private_key_id": "k1",
            "private_key": .string(key.key.pem), "token_uri": "https://wrong.example/token",
        ]
        return try GoogleServiceAccount(Secret(file.text()))
    }

    static func migration() throws -> FirebaseMigration {
        FirebaseMigration(
            projectID: "acme-prod", projectNumber: 100_200_300_400, serviceAccount: try account(try FakeKey.otherRSA()),
            apiKey: Secret("server key"), until: FakeIssuer.now + .seconds(86_400))
    }

    func publish(_ keys: [FakeKey]) { upstream.answer(GoogleAddress.idTokenKeys, ["keys": .array(keys.map(\.json))]) }

    var tokens: GoogleTokens { GoogleTokens(upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: time.clock) }

    var project: GoogleProject { GoogleProject(migration, upstream: upstream, access: GoogleAccess(), clock: time.clock) }

    /// The claims of a person's token, with changes; `null` removes a claim.
    static func claims(_ changes: JSON.Object = [:]) -> JSON {
        let now = FakeIssuer.now.seconds
        var claims: JSON.Object = [
            "iss": "https://securetoken.google.com/acme-prod", "aud": "acme-prod", "auth_time": .integer(now - 86_400), "user_id": "ada",
            "sub": "ada", "iat": .integer(now - 60), "exp": .integer(now + 3540), "email": "ada@example.com", "email_verified": true,
            "firebase": ["identities": ["email": ["ada@example.com"]], "sign_in_provider": "password"],
        ]
        for member in changes { claims[member.name] = member.value == .null ? .none : member.value }
        return .object(claims)
    }

    func token(_ changes: JSON.Object = [:], by other: FakeKey? = nil) throws -> UnverifiedJWT {
        try UnverifiedJWT.parse(try (other ?? key).sign(Self.claims(changes)), as: .ownIDToken)
    }
}
