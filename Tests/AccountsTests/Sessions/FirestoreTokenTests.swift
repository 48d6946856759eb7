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

/// The custom tokens by which people get at their data at Firebase.
@Suite struct FirestoreTokenTests {
    private func token(_ idToken: String, _ claims: [UTF8Text] = [], _ fixture: Fixture) async throws -> JSON {
        let text = try await fixture.accounts.firestoreTokens.token(
            forIDToken: idToken, of: try Fixture.firestoreAccess(claims), in: fixture.project, from: Fixture.here)
        return try UnverifiedJWT.parse(text, as: .customToken).claims
    }

    @Test func `has the form of Firebase's, and five minutes`() throws {
        let now = Instant(seconds: 1_800_000_000)
        let subject = FirestoreTokens.Subject(accountID: "ada", signInProvider: "password")
        let token = try UnverifiedJWT.parse(try FirestoreTokens.sign(subject, of: try Fixture.firestoreAccess(), at: now), as: .customToken)
        #expect(token.header == ["alg": "RS256", "kid": "key of signer", "typ": "JWT"])
        #expect(
            token.claims == [
                "iss": "signer@acme-prod.iam.gserviceaccount.com", "sub": "signer@acme-prod.iam.gserviceaccount.com",
                "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
                "iat": 1_800_000_000, "exp": 1_800_000_300, "uid": "ada",
            ])
        let key = JWK(key: try FakeKey.rsa().key.publicKey, kid: "key of signer", algorithm: .rs256)
        _ = try token.verified(with: JWKSet([key]), algorithms: [.rs256])
    }

    private static let person = FirestoreTokens.Subject(
        accountID: "ada", customClaims: ["role": "editor", "team": 7, "secret": "s", "gh_mfa": "totp", "gh_provider": "false"],
        signInProvider: "oidc.acme", developerClaims: ["role": "reader"])

    @Test(
        arguments: [
            ([], nil, nil), (["absent", "gh_mfa"], nil, nil), (["team"], nil, ["team": 7]), (["role"], nil, ["role": "reader"]),
            (["gh_provider"], nil, ["gh_provider": "oidc.acme"]),
            (["team", "gh_mfa", "gh_provider"], "phone", ["team": 7, "gh_mfa": "phone", "gh_provider": "oidc.acme"]),
        ] as [([UTF8Text], String?, JSON?)])
    func `has the claims that are allowed, and no other`(allowed: [UTF8Text], factor: String?, claims: JSON?) throws {
        var subject = Self.person
        subject.secondFactor = factor
        let text = try FirestoreTokens.sign(subject, of: try Fixture.firestoreAccess(allowed), at: Instant(seconds: 1_800_000_000))
        #expect(try UnverifiedJWT.parse(text, as: .customToken).claims["claims"] == claims)
    }

    @Test func `refuses claims that Google would refuse for their size`() throws {
        var subject = Self.person
        subject.customClaims["long"] = .string(String(repeating: "x", count: 985))
        let now = Instant(seconds: 1_800_000_000)
        _ = try FirestoreTokens.sign(subject, of: try Fixture.firestoreAccess(["long"]), at: now)
        #expect(throws: AccountError.self) {
            try FirestoreTokens.sign(subject, of: try Fixture.firestoreAccess(["long", "team"]), at: now)
        }
    }

    @Test func `has what the account and the session have now, in one round trip`() async throws {
        let firebase = try await FirebaseFixture()
        let fixture = firebase.fixture
        _ = try await firebase.imported("ada") { $0.customAttributes = #"{"role":"editor","team":7}"# }
        let (account, session) = try await firebase.open(
            firebase.session("ada", signedIn: .seconds(60), secondFactor: SecondFactorProof(kind: "phone", id: nil), claims: ["team": 8]),
            for: "a refresh token of Google's")
        let idToken = try fixture.idToken(account, session)
        _ = try await fixture.database.write(
            "UPDATE accounts SET custom_attributes = '{\"role\":\"reader\"}' WHERE project_id = \(project: fixture.project)")
        let before = fixture.database.roundTrips
        let claims = try await token(idToken, ["role", "team", "gh_mfa", "gh_provider"], fixture)["claims"]
        #expect(fixture.database.roundTrips == before + 1)
        #expect(claims == ["role": "reader", "team": 8, "gh_mfa": "phone", "gh_provider": "password"])
    }

    @Test func `SEC-59 Google's ID token gets none, while it counts for other calls`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        let googles = try firebase.token("ada", signedIn: .zero)
        _ = try await firebase.fixture.caller(googles)
        #expect(await refusal { _ = try await token(googles, [], firebase.fixture) } == "invalidIDToken")
    }

    @Test func `SEC-59 makes no session here, also where a back end has the same key`() async throws {
        var fixture = try await Fixture()
        fixture.project.signIn.password = true
        try await fixture.loadSigningKeys()
        let idToken = try await fixture.signUp("ada@example.com").idToken
        let access = try Fixture.firestoreAccess()
        let (email, kid, now) = (access.signer.email, access.signer.keyID, fixture.time.clock.now())
        let jwk = JWK(key: try FakeKey.rsa().key.publicKey, kid: UTF8Text(kid), algorithm: .rs256).json.text()
        _ = try await fixture.database.write("INSERT INTO service_accounts VALUES ('demo', \(email), '1', \(now))")
        _ = try await fixture.database.write("INSERT INTO service_account_keys VALUES ('demo', \(email), \(kid), \(jwk), \(now))")
        let token = try await fixture.accounts.firestoreTokens.token(
            forIDToken: idToken, of: access, in: fixture.project, from: Fixture.here)
        func signIn(_ project: ProjectSettings) async throws {
            _ = try await fixture.accounts.signIn.customTokens.signIn(customToken: UTF8Text(token), in: project, from: Fixture.here)
        }
        // For a project that does not have this data, the token is a back end's like any other.
        try await signIn(fixture.project)
        fixture.project.firestore = access
        let project = fixture.project
        #expect(await refusal { try await signIn(project) }?.hasPrefix("customToken(Accounts.CustomTokenError.invalid") == true)
    }

    @Test func `an account that is disabled or deleted gets none, nor does a session that has ended`() async throws {
        var fixture = try await Fixture()
        fixture.project.signIn.password = true
        try await fixture.loadSigningKeys()
        let (account, _, idToken) = try await fixture.signUp("ada@example.com")
        #expect(try await token(idToken, [], fixture)["uid"]?.string == UTF8Text(account.id))
        let endings: [(SQL, String)] = [
            ("UPDATE sessions SET ended_at = now(), end_reason = 'test' WHERE project_id = 'demo'", "sessionEnded"),
            ("UPDATE accounts SET disabled = true WHERE project_id = 'demo'", "accountDisabled"),
            ("DELETE FROM accounts WHERE project_id = 'demo'", "accountNotFound"),
        ]
        for (ending, reason) in endings {
            _ = try await fixture.database.write(ending)
            #expect(await refusal { _ = try await token(idToken, [], fixture) } == reason)
        }
    }

    @Test func `an account gets thirty in ten minutes`() async throws {
        var fixture = try await Fixture()
        fixture.project.signIn.password = true
        try await fixture.loadSigningKeys()
        let idToken = try await fixture.signUp("ada@example.com").idToken
        for _ in 1...30 { _ = try await token(idToken, [], fixture) }
        let refusal = await refusal { _ = try await token(idToken, [], fixture) }
        #expect(refusal?.hasPrefix("tooManyAttempts") == true)
        fixture.time.advance(.seconds(20))
        _ = try await token(idToken, [], fixture)
    }
}

extension Fixture {
    /// A Firebase project that has people's data, whose two keys are `FakeKey.rsa`.
    static func firestoreAccess(_ claims: [UTF8Text] = []) throws -> FirestoreAccess {
        func account(_ name: String) throws -> GoogleServiceAccount {
            let file: JSON = [
                "type": "service_account", "client_email": .string("\(name)@acme-prod.iam.gserviceaccount.com"),
                "private_key_id": .string("key of \(name)"), "private_key": .string(try FakeKey.rsa().key.pem),
            ]
            return try GoogleServiceAccount(Secret(file.text()))
        }
        var access = FirestoreAccess(projectID: "acme-prod", signer: try account("signer"), administrator: try account("administrator"))
        access.claims = claims
        return access
    }
}
