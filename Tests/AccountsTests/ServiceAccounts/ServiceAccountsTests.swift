@testable import Accounts
import Crypto
import JSON
import Postgres
import TestKit
import Testing
import Text

@Suite struct ServiceAccountsTests {
    private let url = "https://auth.example.com"

    private func accounts(_ fixture: Fixture) -> ServiceAccounts { ServiceAccounts(database: fixture.database, clock: fixture.time.clock) }

    private func email(_ name: String, in project: String = "demo") throws -> ServiceAccountEmail {
        try #require(ServiceAccountEmail(name, in: project))
    }

    @Test func `makes a file in Google's form, of which the database keeps the public half alone`() async throws {
        let fixture = try await Fixture()
        let file = try await accounts(fixture).createKey(for: email("backend"), publicURL: url)
        let json = try JSON.parse(file.text)
        #expect(
            json.object?.map(\.name) == [
                "type", "project_id", "private_key_id", "private_key", "client_email", "client_id", "auth_uri", "token_uri",
                "universe_domain",
            ])
        #expect(json["type"] == "service_account")
        #expect(json["project_id"] == "demo")
        #expect(json["client_email"] == "backend@demo.iam.gserviceaccount.com")
        #expect(json["token_uri"] == "https://auth.example.com/token")
        #expect(json["client_id"]?.string?.utf8.count == 21)
        #expect(json["private_key_id"] == .string(file.keyID))
        let pem = try #require(json["private_key"]?.string?.asString)
        let der = try #require(Base64.decode(pem.split(separator: "\n").dropFirst().dropLast().joined()))
        let key = try PrivateKey(der: der)
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n") && pem.hasSuffix("-----END PRIVATE KEY-----\n"))

        let stored: String = try await fixture.database.query("SELECT public_key FROM service_account_keys")[0].value()
        let jwk = try JSON.parse(stored)
        guard case .rsa(let modulus, _) = key.publicKey.components else {
            Issue.record("no RSA key")
            return
        }
        #expect(jwk["n"] == .string(Base64URL.encode(modulus)))
        #expect(Set(jwk.object?.map(\.name) ?? []) == ["kty", "use", "alg", "kid", "n", "e"])
    }

    @Test func `records what is done to service accounts, and nothing where nothing was done`() async throws {
        let fixture = try await Fixture()
        let accounts = accounts(fixture)
        let file = try await accounts.createKey(for: email("backend"), publicURL: url)
        fixture.time.advance(.seconds(1))
        #expect(try await accounts.setRights([.readUsers], of: email("backend")))
        #expect(try await !accounts.setRights([.readUsers], of: email("nobody")))
        fixture.time.advance(.seconds(1))
        #expect(try await accounts.revoke(.key(id: file.keyID), in: "demo") == [file.keyID])
        #expect(try await accounts.revoke(.key(id: file.keyID), in: "demo").isEmpty)
        let events = try await AuditEvents(database: fixture.database).list(limit: 10, in: "demo")
        #expect(events.map(\.action) == ["serviceAccount.keyMade", "serviceAccount.rightsSet", "serviceAccount.keyRevoked"])
        #expect(events.map(\.actor) == ["create", "set-rights", "revoke"].map { "service-accounts \($0)" })
        #expect(events.allSatisfy { $0.details.contains(#""serviceAccount": "backend@demo.iam.gserviceaccount.com""#) })
        #expect(events[1].details.contains(#""rights": "readUsers""#))
        #expect([events[0], events[2]].allSatisfy { $0.details.contains(file.keyID) })
    }

    @Test func `gives an account further keys, and lists all`() async throws {
        let fixture = try await Fixture()
        let first = try await accounts(fixture).createKey(for: email("backend"), publicURL: url)
        fixture.time.advance(.seconds(1))
        let second = try await accounts(fixture).createKey(for: email("backend"), publicURL: url)
        #expect(first.clientID == second.clientID)
        #expect(try await accounts(fixture).list("demo").map(\.keyID) == [first.keyID, second.keyID])
        #expect(try await accounts(fixture).list("other").isEmpty)
    }

    @Test func `revokes one key, or all of an account, of its project alone`() async throws {
        let fixture = try await Fixture()
        let rules = accounts(fixture)
        let one = try await rules.createKey(for: email("one"), publicURL: url)
        let two = try await rules.createKey(for: email("two"), publicURL: url)
        let three = try await rules.createKey(for: email("two"), publicURL: url)
        #expect(try await rules.revoke(.key(id: one.keyID), in: "other") == [])
        #expect(try await rules.revoke(.key(id: one.keyID), in: "demo") == [one.keyID])
        #expect(try await rules.revoke(.key(id: one.keyID), in: "demo") == [])
        #expect(try await Set(rules.revoke(.account(email("two")), in: "demo")) == [two.keyID, three.keyID])
        #expect(try await rules.list("demo").allSatisfy { $0.revokedAt != nil })
    }

    @Test func `gives ten live keys and no more`() async throws {
        let fixture = try await Fixture()
        let rules = accounts(fixture)
        let first = try await rules.createKey(for: email("backend"), publicURL: url)
        _ = try await fixture.database.write(
            """
            INSERT INTO service_account_keys (project_id, email, key_id, public_key, created_at)
            SELECT project_id, email, key_id || n, public_key, created_at FROM service_account_keys, generate_series(2, 10) n
            """)
        await #expect(throws: ServiceAccountError.tooManyKeys) { try await rules.createKey(for: email("backend"), publicURL: url) }
        _ = try await rules.revoke(.key(id: first.keyID), in: "demo")
        _ = try await rules.createKey(for: email("backend"), publicURL: url)
    }

    @Test func `takes a name or the whole address`() throws {
        let address = "backend-1@demo.iam.gserviceaccount.com"
        #expect(ServiceAccountEmail("backend-1", in: "demo")?.text == address)
        #expect(ServiceAccountEmail(address, in: "demo")?.text == address)
        for name in [
            "", "Backend", "1a", "a-", "-a", "a_b", "a@b", "ä", String(repeating: "a", count: 31), "a@other.iam.gserviceaccount.com",
        ] { #expect(ServiceAccountEmail(name, in: "demo") == nil, "\(name)") }
    }
}
