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

@Suite struct CustomTokenSignInTests {
    private let issuer = "backend@demo.iam.gserviceaccount.com"

    /// A database that knows the public half of `FakeKey.rsa("k1")` as a key of the project's account.
    private func fixture() async throws -> Fixture {
        let fixture = try await Fixture()
        try await fixture.loadSigningKeys()
        let jwk = JWK(key: try FakeKey.rsa().key.publicKey, kid: "k1", algorithm: .rs256).json.text()
        _ = try await fixture.database.write(
            "INSERT INTO service_accounts VALUES ('demo', \(issuer), '1', \(fixture.time.clock.now()))")
        _ = try await fixture.database.write(
            "INSERT INTO service_account_keys VALUES ('demo', \(issuer), 'k1', \(jwk), \(fixture.time.clock.now()))")
        return fixture
    }

    private func token(_ fixture: Fixture, uid: String = "ada", claims: JSON? = nil, kid: String? = "k1") throws -> String {
        let now = fixture.time.clock.now().seconds
        var body: JSON.Object = [
            "iss": .string(issuer), "sub": .string(issuer), "aud": .string(CustomToken.audience), "iat": .integer(now),
            "exp": .integer(now + 3600), "uid": .string(uid),
        ]
        body["claims"] = claims
        return try FakeKey.rsa().sign(.object(body), header: ["kid": kid.map(JSON.string) ?? .null])
    }

    private func signIn(_ token: String, _ fixture: Fixture) async throws -> (account: Account, session: Session, isNew: Bool) {
        let answer = try await fixture.accounts.signIn.customTokens.signIn(
            customToken: UTF8Text(token), in: fixture.project, from: Fixture.here)
        return (answer.0, try answer.1.session, answer.isNewUser)
    }

    private func claims(_ account: Account, _ session: Session, _ fixture: Fixture) throws -> JSON {
        try UnverifiedJWT.parse(fixture.accounts.idTokens.issue(for: account, session, in: fixture.project), as: .ownIDToken).claims
    }

    private func rows(_ fixture: Fixture) async throws -> [Int] {
        var row = try await fixture.database.query(
            "SELECT (SELECT count(*) FROM accounts), (SELECT count(*) FROM sessions), (SELECT count(*) FROM spent_tokens)")[0].reader()
        return [try row.next(), try row.next(), try row.next()]
    }

    @Test func `refuses one of several that sign in at the same moment, and undoes none of the others`() async throws {
        let fixture = try await fixture()
        _ = try await signIn(token(fixture, uid: "disabled"), fixture)
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true")
        let tokens = try ["ada", "ada", "disabled", "grace", "ada"].map { try token(fixture, uid: $0) }
        let areNew = await withTaskGroup(of: (String, Bool)?.self) { group in
            for token in tokens {
                group.addTask(executorPreference: fixture.database.loop) {
                    (try? await signIn(token, fixture)).map { ($0.account.id, $0.isNew) }
                }
            }
            return await group.reduce(into: [String: [Bool]]()) { found, next in
                if let (id, isNew) = next { found[id, default: []].append(isNew) }
            }
        }
        #expect(areNew["ada"]?.count(where: { $0 }) == 1 && areNew["ada"]?.count == 3)
        #expect(areNew["grace"] == [true])
        #expect(areNew["disabled"] == nil)
        #expect(try await rows(fixture) == [3, 5, 0])
    }

    @Test func `makes the account with the very id, then finds it`() async throws {
        let fixture = try await fixture()
        let first = try await signIn(token(fixture), fixture)
        #expect(first.isNew && first.account.id == "ada" && first.account.customAuth && !first.account.isAnonymous)
        #expect(first.account.email == nil && first.account.lastLoginAt == fixture.time.clock.now())
        fixture.time.advance(.seconds(10))
        let second = try await signIn(token(fixture, kid: nil), fixture)
        #expect(!second.isNew && second.account.id == "ada" && second.account.createdAt == first.account.createdAt)
        #expect(second.account.lastLoginAt == fixture.time.clock.now())
        #expect(second.session.id != first.session.id)
        #expect(second.session.signInProvider == "custom" && second.session.authTime == fixture.time.clock.now())
    }

    @Test func `signs in to an account that came another way, and keeps all it has`() async throws {
        let fixture = try await fixture()
        let known = try await fixture.signIn(Fixture.ada(email: "ada@example.com", authoritative: true))
        let found = try await signIn(token(fixture, uid: known.account.id), fixture)
        #expect(!found.isNew && found.account.email == "ada@example.com" && found.account.customAuth)
        #expect(found.account.identities.map(\.providerID) == ["oidc.acme"])
    }

    @Test func `makes one account of fifty sign-ins at once`() async throws {
        let fixture = try await fixture()
        let text = try token(fixture)
        let new = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { try await signIn(text, fixture).isNew } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(new == 1)
        #expect(try await rows(fixture) == [1, 50, 0])
    }

    @Test func `takes two round trips`() async throws {
        let fixture = try await fixture()
        let text = try token(fixture)
        let before = fixture.database.roundTrips
        _ = try await signIn(text, fixture)
        #expect(fixture.database.roundTrips - before == 2)
    }

    @Test func `SEC-16 refuses an address that shows too many, whichever key signed them`() async throws {
        var limited = try await fixture()
        limited.project.limits[.customToken, .address] = Rate(2, per: .seconds(60))
        let fixture = limited
        let forged = try token(fixture).split(separator: ".").dropLast().joined(separator: ".") + "." + String(repeating: "A", count: 342)
        for _ in 0..<2 {
            await #expect { try await signIn(forged, fixture) } throws: {
                if case AccountError.customToken(.invalid) = $0 { true } else { false }
            }
        }
        for text in [forged, try token(fixture)] {
            await #expect { try await signIn(text, fixture) } throws: {
                if case AccountError.tooManyAttempts(.customToken, by: .address) = $0 { true } else { false }
            }
        }
        #expect(try await rows(fixture) == [0, 0, 0])
        fixture.time.advance(.seconds(60))
        _ = try await signIn(token(fixture), fixture)
    }

    @Test func `refuses a disabled account, and writes nothing`() async throws {
        let fixture = try await fixture()
        _ = try await signIn(token(fixture), fixture)
        _ = try await fixture.database.write("UPDATE accounts SET disabled = true")
        let before = try await rows(fixture)
        await #expect { try await signIn(token(fixture), fixture) } throws: {
            if case AccountError.accountDisabled = $0 { true } else { false }
        }
        #expect(try await rows(fixture) == before)
    }

    @Test func `SEC-50 refuses a token of an earlier second than that in which the account's sessions were ended`() async throws {
        let fixture = try await fixture()
        let (account, session, _) = try await signIn(token(fixture), fixture)
        let idToken = try fixture.accounts.idTokens.issue(for: account, session, in: fixture.project)
        let early = try token(fixture)
        fixture.time.advance(.milliseconds(2500))
        try await fixture.accounts.administration.accounts.revokeSessions(of: account.id, by: fixture.operator)
        let before = try await rows(fixture)
        await #expect { try await signIn(early, fixture) } throws: {
            if case AccountError.customToken(.invalid(let reason)) = $0 { reason.contains("sessions") } else { false }
        }
        #expect(try await rows(fixture) == before)
        #expect(try await signIn(token(fixture), fixture).account.id == account.id, "at once, as a back end does")
        fixture.time.advance(.seconds(1))
        #expect(try await signIn(token(fixture), fixture).account.id == account.id)
        await #expect(throws: AccountError.self, "its own tokens name their session") {
            try await fixture.accounts.idTokens.account(of: idToken, in: fixture.project)
        }
    }

    @Test func `SEC-02 a token that a maker kept opens the account no more once the address's owner has it`() async throws {
        let fixture = try await fixture()
        let maker = try await fixture.signIn(Fixture.ada("oidc.lax", subject: "mallory", email: "ada@example.com"))
        let kept = try token(fixture, uid: maker.account.id)
        fixture.time.advance(.seconds(1))
        let owner = try await fixture.signIn(Fixture.ada("oidc.strict", email: "ada@example.com", authoritative: true))
        #expect(owner.account.id == maker.account.id)
        await #expect { try await signIn(kept, fixture) } throws: {
            if case AccountError.customToken(.invalid) = $0 { true } else { false }
        }
        #expect(try await fixture.accounts.directory.account(owner.account.id, in: fixture.project)?.customAuth == false)
    }

    @Test func `refuses the token of another project's account, and writes nothing`() async throws {
        var fixture = try await fixture()
        fixture.project.id = "other"
        fixture.project.storageID = "other"
        await #expect { try await signIn(token(fixture), fixture) } throws: {
            if case AccountError.customToken(.otherProject) = $0 { true } else { false }
        }
        #expect(try await rows(fixture) == [0, 0, 0])
    }

    @Test func `refuses a revoked key at once`() async throws {
        let fixture = try await fixture()
        _ = try await signIn(token(fixture), fixture)
        _ = try await ServiceAccounts(database: fixture.database, clock: fixture.time.clock).revoke(.key(id: "k1"), in: "demo")
        for kid in ["k1", nil] {
            await #expect { try await signIn(token(fixture, kid: kid), fixture) } throws: {
                if case AccountError.customToken(.invalid) = $0 { true } else { false }
            }
        }
    }

    @Test func `takes a token again, but where the project takes each once`() async throws {
        var fixture = try await fixture()
        let text = try token(fixture)
        for _ in 0..<2 { _ = try await signIn(text, fixture) }
        fixture.project.customTokens.singleUse = true
        _ = try await signIn(text, fixture)
        let before = try await rows(fixture)
        await #expect { try await signIn(text, fixture) } throws: {
            if case AccountError.customToken(.invalid("The token was used already.")) = $0 { true } else { false }
        }
        #expect(try await rows(fixture) == before && before == [1, 3, 1])
        _ = try await signIn(token(fixture, uid: "grace"), fixture)
    }

    @Test func `SEC-05 spends a token once of fifty at once`() async throws {
        var single = try await fixture()
        single.project.customTokens.singleUse = true
        let fixture = single
        let text = try token(fixture)
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { (try? await signIn(text, fixture)) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(taken == 1)
        #expect(try await rows(fixture) == [1, 1, 1])
    }

    @Test func `puts developer claims over the administrator's, and the server's own over both`() async throws {
        let fixture = try await fixture()
        _ = try await signIn(token(fixture), fixture)
        _ = try await fixture.database.write(
            """
            UPDATE accounts SET display_name = 'Ada', photo_url = 'https://a.example/a.png', email = 'ada@example.com',
                custom_attributes = '{"role":"reader","team":"a","picture":"attribute","email":"attribute@example.com"}'
            """)
        let developer: JSON = [
            "role": "admin", "level": 3, "name": "Developer", "email": "evil@example.com", "email_verified": true, "user_id": "evil",
            "phone_number": "+1", "nested": ["deep": [1, .null]],
        ]
        let (account, session, _) = try await signIn(token(fixture, claims: developer), fixture)
        let refreshToken = fixture.sessions.refreshToken(for: session, in: fixture.project)
        let refreshed = try await fixture.sessions.refresh(refreshToken, in: fixture.project)
        for (account, session) in [(account, session), refreshed] {
            let claims = try claims(account, session, fixture)
            #expect(claims["role"] == "admin" && claims["team"] == "a" && claims["level"] == 3)
            #expect(claims["nested"] == ["deep": [1, .null]])
            #expect(claims["name"] == "Developer" && claims["picture"] == "attribute")
            #expect(claims["email"] == "ada@example.com" && claims["email_verified"] == false)
            #expect(claims["user_id"] == "ada" && claims["sub"] == "ada" && claims["phone_number"] == nil)
            #expect(claims["firebase"]?["sign_in_provider"] == "custom" && claims["provider_id"] == nil)
            #expect(claims["auth_time"] == .integer(fixture.time.clock.now().seconds))
            #expect(claims["firebase"]?["identities"] == ["email": ["ada@example.com"]])
        }
    }

    @Test func `keeps developer claims to their own session`() async throws {
        let fixture = try await fixture()
        _ = try await signIn(token(fixture, claims: ["role": "admin"]), fixture)
        let (account, session, _) = try await signIn(token(fixture), fixture)
        #expect(try claims(account, session, fixture)["role"] == nil)
    }

    @Test func `an address that an account has not is in no claim`() async throws {
        let fixture = try await fixture()
        let (account, session, _) = try await signIn(
            token(fixture, claims: ["email": "evil@example.com", "email_verified": true]), fixture)
        let claims = try claims(account, session, fixture)
        #expect(claims["email"] == nil && claims["email_verified"] == nil)
        #expect(claims["firebase"]?["identities"] == [:])
    }
}
