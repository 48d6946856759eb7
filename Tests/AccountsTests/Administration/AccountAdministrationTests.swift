import Crypto
import Identity
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts

@Suite(.takesTurns) struct AccountAdministrationTests {
    private static let ada = "ada@example.com"

    private func update(
        _ id: String, _ fixture: Fixture, _ configure: (inout AdministratorChange) -> Void
    ) async throws -> Account {
        var change = AdministratorChange()
        configure(&change)
        return try await fixture.accounts.administration.accounts.update(id, change, by: fixture.operator)
    }

    private func create(
        _ id: String?, _ fixture: Fixture, _ configure: (inout AdministratorChange) -> Void = { _ in }
    ) async throws -> Account {
        var change = AdministratorChange()
        configure(&change)
        return try await fixture.accounts.administration.accounts.create(id, change, by: fixture.operator)
    }

    private func events(_ fixture: Fixture, _ id: String) async throws -> [String] {
        let events = try await AuditEvents(database: fixture.database).list(of: id, limit: 100, in: "demo")
        #expect(events.allSatisfy { $0.actorKind == "command" && $0.actor == "test" })
        return events.map(\.action)
    }

    @Test func `makes an account as it is described, which nobody has signed in to`() async throws {
        let fixture = try await Fixture.forCodes()
        let made = try await create("ada", fixture) {
            $0.own.email = Self.ada
            $0.own.password = "correct horse"
            $0.own.displayName = .set("Ada")
            $0.emailVerified = true
            $0.phoneNumber = .set("+441234567890")
            $0.customAttributes = .set(#"{"admin":true}"#)
        }
        #expect(try await fixture.stored("ada") == made)
        #expect(made.emailVerified && !made.emailProven && made.lastLoginAt == nil)
        #expect(try await events(fixture, "ada") == ["account.created", "password.added"])
        #expect(try await fixture.signsIn(Self.ada, "correct horse"))
        #expect(try await create(nil, fixture).id.utf8.count == 28)
    }

    @Test func `makes no second account of an id, an address, a number or an identity`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await create("ada", fixture) {
            $0.own.email = Self.ada
            $0.phoneNumber = .set("+441234567890")
            $0.linked = LinkedIdentity(providerID: "oidc.a", subject: "ada")
        }
        await expectRefusal("accountIDTaken") { try await create("ada", fixture) }
        await expectRefusal("emailTaken") { try await create(nil, fixture) { $0.own.email = Self.ada } }
        await expectRefusal("phoneNumberTaken") { try await create(nil, fixture) { $0.phoneNumber = .set("+441234567890") } }
        let identity = LinkedIdentity(providerID: "oidc.a", subject: "ada")
        await expectRefusal("identityTaken") { try await create(nil, fixture) { $0.linked = identity } }
        _ = try await create("eve", fixture)
        await expectRefusal("emailTaken") { try await update("eve", fixture) { $0.own.email = Self.ada } }
        await expectRefusal("phoneNumberTaken") { try await update("eve", fixture) { $0.phoneNumber = .set("+441234567890") } }
        await expectRefusal("identityTaken") { try await update("eve", fixture) { $0.linked = identity } }
        await expectRefusal("addressNeeded") { try await update("eve", fixture) { $0.own.password = "correct horse" } }
        await expectRefusal("accountNotFound") { try await update("nobody", fixture) { $0.disabled = true } }
        #expect(try await fixture.count("accounts") == 2)
        #expect(try await events(fixture, "eve") == ["account.created"])
    }

    @Test func `an account of a verified address is claimed by whoever proves it, whatever phone number it has`() async throws {
        let fixture = try await Fixture.forCodes()
        let made = try await create("ada", fixture) {
            $0.own.email = Self.ada
            $0.emailVerified = true
            $0.phoneNumber = .set("+441234567890")
        }
        let (account, _, isNew) = try await fixture.signIn(Fixture.ada("oidc.strict", email: Self.ada, authoritative: true))
        #expect(!isNew && account.id == made.id && account.phoneNumber == "+441234567890")
    }

    @Test func `SEC-02 a phone number goes with its maker when the owner of the address comes`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, _) = try await fixture.signUp(Self.ada)
        _ = try await update(account.id, fixture) { $0.phoneNumber = .set("+441234567890") }
        let (owned, _, _) = try await fixture.signIn(Fixture.ada("oidc.strict", email: Self.ada, authoritative: true))
        #expect(owned.id == account.id && owned.phoneNumber == nil)
        #expect(try await fixture.stored(account.id)?.phoneNumber == nil)
    }

    /// Each change that ends every session, by its name.
    private static let endings: [(String, @Sendable (inout AdministratorChange) -> Void)] = [
        ("disabled", { $0.disabled = true }), ("password", { $0.own.password = "battery staple" }),
        ("email", { $0.own.email = "new@example.com" }), ("no email", { $0.own.removed = [.email] }),
        ("revoked", { $0.validSince = Instant(seconds: 1 << 40) }),
    ]

    @Test(arguments: 0..<5) func `SEC-50 ends sessions of all kinds, their tokens, and codes`(index: Int) async throws {
        let (name, change) = Self.endings[index]
        var clients = try await ClientFixture()
        clients.fixture.project.signIn.password = true
        clients.fixture.project.signIn.emailLink = true
        let fixture = clients.fixture
        let (browser, granted) = try await clients.granted()
        let cookie = fixture.accounts.openID.browserSessions.cookie(for: browser.session, in: fixture.project)
        let access = clients.sessions.refreshToken(for: granted, in: fixture.project)
        let (account, session) = try await fixture.signIn(Self.ada, password: "correct horse")
        let idToken = try fixture.idToken(account, session)
        let code = try await fixture.resetCode(Self.ada)
        _ = try await fixture.caller(idToken)

        let changed = try await update(account.id, fixture, change)
        #expect(try await fixture.stored(account.id) == changed, "\(name)")
        #expect(changed.validSince <= fixture.time.clock.now(), "a clock that is ahead must not lock people out")
        #expect(try await fixture.database.query("SELECT 1 FROM sessions WHERE ended_at IS NULL").isEmpty, "\(name)")
        await expectRefusal(name == "disabled" ? "accountDisabled" : "sessionEnded") { try await fixture.caller(idToken) }
        #expect(try await fixture.accounts.openID.browserSessions.find(UTF8Text(cookie), in: fixture.project) == nil)
        #expect(await clients.isRefused { try await clients.refresh(access) }, "\(name)")
        await expectRefusal("invalidActionCode") { try await fixture.accounts.codes.inspect(code, in: fixture.project, from: Fixture.here) }
    }

    @Test func `SEC-50 an account that changed since it was read undoes what began before`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.ada)
        let read = try #require(try await fixture.stored(account.id))
        _ = try await update(account.id, fixture) { $0.disabled = true }
        _ = try await update(account.id, fixture) { $0.disabled = false }
        var late = read
        late.displayName = "late"
        await #expect(throws: PostgresError.self) {
            try await fixture.database.write(late.update(from: read, passwordHash: nil, in: fixture.project))
        }
        #expect(try await !fixture.refreshes(session))
        #expect(try await fixture.stored(account.id)?.displayName == nil)
    }

    @Test func `an address that an administrator takes away is not taken back by an older mail`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, _, idToken) = try await fixture.signUp("eve@example.com")
        try await fixture.apply(try await fixture.changeCode(idToken, to: Self.ada))
        let mail = try #require(try await fixture.outbox.recent(in: fixture.project).first { $0.kind == .recoverEmail })
        _ = try await update(account.id, fixture) { $0.own.email = "owner@example.com" }
        await expectRefusal("invalidActionCode") { try await fixture.apply(try fixture.code(in: mail)) }
    }

    @Test func `unlinks, and ends the sessions that came by it alone`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.ada)
        let linked = try await fixture.signIn(Fixture.ada("oidc.a"), .link(fixture.token(account, session)))
        let changed = try await update(account.id, fixture) { $0.own.unlinked = ["oidc.a", "oidc.none"] }
        #expect(changed.identities.isEmpty)
        #expect(try await fixture.stored(account.id) == changed)
        #expect(try await fixture.refreshes(session))
        #expect(try await fixture.database.query("SELECT 1 FROM sessions WHERE sign_in_provider = 'oidc.a' AND ended_at IS NULL").isEmpty)
        _ = linked
    }

    @Test func `links an identity, again with what is new, and another in its place`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await create("ada", fixture)
        var identity = LinkedIdentity(providerID: "oidc.a", subject: "ada", email: Self.ada)
        for name in ["Ada", "Countess"] {
            identity.displayName = name
            let changed = try await update("ada", fixture) { $0.linked = identity }
            #expect(try await fixture.stored("ada") == changed)
        }
        identity.subject = "lovelace"
        let changed = try await update("ada", fixture) { $0.linked = identity }
        #expect(try await fixture.stored("ada")?.identities == [identity] && changed.identities == [identity])
        #expect(
            try await events(fixture, "ada")
                == ["account.created", "provider.linked", "profile.changed", "provider.unlinked", "provider.linked"])
        let (account, _, isNew) = try await fixture.signIn(Fixture.ada("oidc.a", subject: "lovelace"))
        #expect(account.id == "ada" && !isNew)
    }

    @Test func `loses none of many changes at once`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await create("ada", fixture)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await update("ada", fixture) { $0.customAttributes = .set(#"{"a":1}"#) } }
            group.addTask { _ = try await update("ada", fixture) { $0.own.displayName = .set("Ada") } }
            group.addTask { _ = try await update("ada", fixture) { $0.phoneNumber = .set("+441234567890") } }
            group.addTask { _ = try await update("ada", fixture) { $0.own.email = Self.ada } }
            try await group.waitForAll()
        }
        let stored = try #require(try await fixture.stored("ada"))
        #expect(stored.customAttributes == #"{"a":1}"# && stored.displayName == "Ada")
        #expect(stored.phoneNumber == "+441234567890" && stored.email == Self.ada)
    }

    @Test func `makes sixty changes of one account at once, one after the other`() async throws {
        let fixture = try await Fixture.forCodes()
        _ = try await create("ada", fixture)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...60 {
                group.addTask { _ = try await update("ada", fixture) { $0.customAttributes = .set(#"{"a":\#(number)}"#) } }
            }
            try await group.waitForAll()
        }
        let changes = try await events(fixture, "ada").filter { $0 == "claims.changed" }
        #expect(changes.count == 60)
    }

    @Test func `an older time of validity ends the sessions that began before it`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, old, _) = try await fixture.signUp(Self.ada)
        fixture.time.advance(.seconds(7200))
        let (_, young) = try await fixture.signIn(Self.ada)
        fixture.time.advance(.seconds(1800))
        let start = Instant(seconds: fixture.time.clock.now().seconds - 3600)
        let changed = try await update(account.id, fixture) { $0.validSince = start }
        #expect(changed.validSince == start)
        #expect(try await fixture.refreshes(young))
        #expect(try await !fixture.refreshes(old))
        #expect(try await update(account.id, fixture) { $0.validSince = Instant(seconds: 1) }.validSince == start, "it never goes back")
    }

    @Test func `claims reach the next ID token, and the phone number does`() async throws {
        let fixture = try await Fixture.forCodes()
        let (account, session, _) = try await fixture.signUp(Self.ada)
        _ = try await update(account.id, fixture) {
            $0.customAttributes = .set(#"{"admin":true}"#)
            $0.phoneNumber = .set("+441234567890")
        }
        let (refreshed, next) = try await fixture.sessions.refresh(
            fixture.sessions.refreshToken(for: session, in: fixture.project), in: fixture.project)
        let payload = try fixture.idToken(refreshed, next).split(separator: ".")[1]
        let claims = try JSON.parse(try #require(Base64URL.decodeStrict(payload)))
        #expect(claims["admin"] == true && claims["phone_number"] == "+441234567890")
        #expect(claims["firebase"]?["identities"]?["phone"] == ["+441234567890"])
    }
}
