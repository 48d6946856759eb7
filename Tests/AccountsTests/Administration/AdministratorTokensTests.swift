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

/// Access tokens of service accounts, and what ends them.
@Suite struct AdministratorTokensTests {
    private static let client = Session.ClientInfo(userAgent: "test", address: "127.0.0.1")

    private struct Bearer {
        let fixture: Fixture
        let rules: ServiceAccounts
        let email: ServiceAccountEmail
        let keyID: String
        let token: UTF8Text

        func administrator(
            _ right: Administrator.Right = .readUsers, in project: ProjectSettings? = nil
        ) async throws(AccountError) -> Administrator {
            try await fixture.accounts.administration.accessTokens.administrator(
                bearing: token, for: right, in: project ?? fixture.project, from: AdministratorTokensTests.client)
        }

        /// Whether the token is refused as one that nobody issued.
        func isRefused() async -> Bool {
            do { _ = try await administrator() } catch { if case .accessTokenRefused = error { return true } }
            return false
        }
    }

    private func bearer(rights: Set<Administrator.Right>? = nil) async throws -> Bearer {
        let fixture = try await Fixture()
        let rules = ServiceAccounts(database: fixture.database, clock: fixture.time.clock)
        let email = try #require(ServiceAccountEmail("backend", in: "demo"))
        let file = try await rules.createKey(for: email, rights: rights, publicURL: "https://auth.example.com")
        let key = FakeKey(file.keyID, .rs256, file.key)
        let now = fixture.time.clock.now().seconds
        let claims: JSON = [
            "iss": .string(email.text), "aud": "https://auth.example.com/token", "iat": .integer(now), "exp": .integer(now + 60),
            "scope": "https://www.googleapis.com/auth/cloud-platform",
        ]
        let tokens = fixture.accounts.administration.accessTokens
        let assertion = try tokens.assertion(UTF8Text(try key.sign(claims)), scope: nil)
        let token = try await tokens.issue(for: assertion, in: fixture.project, from: Self.client)
        return Bearer(fixture: fixture, rules: rules, email: email, keyID: file.keyID, token: UTF8Text(token))
    }

    @Test func `makes an administrator of the account's rights, in one round trip`() async throws {
        let bearer = try await bearer(rights: [.readUsers])
        let before = bearer.fixture.database.roundTrips
        let administrator = try await bearer.administrator()
        #expect(bearer.fixture.database.roundTrips == before + 1)
        #expect(administrator.rights == [.readUsers] && administrator.project.id == "demo")
        #expect(administrator.actor == .administrator("backend@demo.iam.gserviceaccount.com"))
    }

    @Test func `ends after an hour`() async throws {
        let bearer = try await bearer()
        bearer.fixture.time.advance(.seconds(AdministratorTokens.lifetime - 1))
        _ = try await bearer.administrator()
        bearer.fixture.time.advance(.seconds(1))
        #expect(await bearer.isRefused())
        #expect(bearer.fixture.accounts.administration.accessTokens.token(bearer.token)?.serviceAccount == nil)
    }

    @Test func `ends with its key, and with no other key of the account`() async throws {
        let bearer = try await bearer()
        let other = try await bearer.rules.createKey(for: bearer.email, publicURL: "https://auth.example.com")
        _ = try await bearer.rules.revoke(.key(id: other.keyID), in: "demo")
        _ = try await bearer.administrator()
        _ = try await bearer.rules.revoke(.key(id: bearer.keyID), in: "demo")
        #expect(await bearer.isRefused())
    }

    @Test func `has the rights that the account has now`() async throws {
        let bearer = try await bearer()
        await #expect { try await bearer.administrator(.readPasswordHashes) } throws: { error in
            if case AccountError.rightMissing(.readPasswordHashes, of: _) = error { true } else { false }
        }
        #expect(try await bearer.rules.setRights([.readPasswordHashes], of: bearer.email))
        _ = try await bearer.administrator(.readPasswordHashes)
        await #expect(throws: AccountError.self) { try await bearer.administrator(.readUsers) }
        let unknown = try #require(ServiceAccountEmail("unknown", in: "demo"))
        #expect(try await !bearer.rules.setRights([], of: unknown))
    }

    @Test func `a new account has the usual rights, and an existing one keeps its own unless others are named`() async throws {
        let bearer = try await bearer()
        func rights() async throws -> Set<Administrator.Right>? { try await bearer.rules.list("demo").first?.rights }
        #expect(try await rights() == Administrator.Right.usual)
        _ = try await bearer.rules.setRights([.mintLinks], of: bearer.email)
        _ = try await bearer.rules.createKey(for: bearer.email, publicURL: "https://auth.example.com")
        #expect(try await rights() == [.mintLinks])
        _ = try await bearer.rules.createKey(for: bearer.email, rights: [.customTokens], publicURL: "https://auth.example.com")
        #expect(try await rights() == [.customTokens])
        #expect(!Administrator.Right.usual.contains(.readPasswordHashes))
    }

    @Test func `is of its own project alone`() async throws {
        let bearer = try await bearer()
        let other = ProjectSettings(id: "other", number: 8, apiKeys: ["k"], authorizedDomains: [], redirectURLs: [])
        await #expect { try await bearer.administrator(in: other) } throws: { error in
            if case AccountError.otherProjectsAdministrator = error { true } else { false }
        }
    }

    @Test func `SEC-12 no other text is a token`() async throws {
        let bearer = try await bearer()
        let right = bearer.token.asString
        let key = Array(repeating: UInt8(7), count: 32)
        let forged = AdministratorToken(serviceAccount: bearer.email, keyID: bearer.keyID, expires: 9_999_999_999).text(key: key)
        var changed = Array(right.utf8)
        changed[40] = changed[40] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        let texts = [
            "", "owner", "gatehouse_", "gatehouse_AAAA", forged, String(right.dropLast()), right + "A",
            String(decoding: changed, as: UTF8.self),
        ]
        for text in texts {
            await #expect(throws: AccountError.self, "\(text)") {
                try await bearer.fixture.accounts.administration.accessTokens.administrator(
                    bearing: UTF8Text(text), for: .readUsers, in: bearer.fixture.project, from: Self.client)
            }
        }
        _ = try await bearer.administrator()
    }

    @Test func `a former master key still counts, and one that is not listed does not`() async throws {
        let bearer = try await bearer()
        func accessTokens(_ key: MasterKey) -> AdministratorTokens {
            AdministratorTokens(
                storage: Storage(database: bearer.fixture.database), keys: key.accessTokens, clock: bearer.fixture.time.clock,
                limits: bearer.fixture.accounts.limits, tokenURI: "")
        }
        let changed = MasterKey(bytes: Array(2...33), others: [Array(1...32)])
        #expect(accessTokens(changed).token(bearer.token)?.serviceAccount == bearer.email)
        #expect(accessTokens(MasterKey(bytes: Array(2...33))).token(bearer.token) == nil)
    }

    @Test func `only an account with the right signs custom tokens`() async throws {
        let bearer = try await bearer(rights: [.readUsers, .manageUsers])
        let stored: String = try await bearer.fixture.database.query("SELECT rights[1] FROM service_accounts")[0].value()
        #expect(stored == "readUsers")
        let key = ServiceAccountKey(
            projectID: "demo", id: "rsa", rights: [.readUsers],
            key: JWK(key: try FakeKey.rsa().key.publicKey, kid: "rsa", algorithm: .rs256))
        let now = Instant(seconds: 1_800_000_000)
        let claims: JSON = [
            "iss": .string(bearer.email.text), "sub": .string(bearer.email.text), "aud": .string(CustomToken.audience),
            "iat": 1_800_000_000, "exp": 1_800_003_600, "uid": "ada",
        ]
        let token = try CustomToken.Unverified.parse(UTF8Text(try FakeKey.rsa().sign(claims)))
        #expect(throws: CustomTokenError.invalid("The service account may not sign custom tokens.")) {
            try token.verified(by: [key], for: "demo", at: now)
        }
    }
}

extension AdministratorTokens {
    /// The administrator who bears the token with this text.
    fileprivate func administrator(
        bearing text: UTF8Text, for right: Administrator.Right, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> Administrator {
        guard let token = token(text) else { throw .accessTokenRefused }
        return try await administrator(bearing: token, for: right, in: project, from: client)
    }
}
