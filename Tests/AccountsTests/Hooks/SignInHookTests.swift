@testable import Accounts
import Crypto
import Identity
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Hooks at the end of sign-ins: when they are asked, and what their answers change.
@Suite struct SignInHookTests {
    private let hooks = FakeHooks()

    private func fixture(_ events: [HookEvent] = [.beforeCreate, .beforeSignIn]) async throws -> Fixture {
        var fixture = try await Fixture(hooks: hooks)
        fixture.project.signIn.password = true
        fixture.project.signIn.anonymous = true
        try await fixture.loadSigningKeys()
        for event in events { fixture.project = fixture.project.asking(event) }
        return fixture
    }

    private func stored(_ id: String, _ fixture: Fixture) async throws -> Account? {
        try await fixture.accounts.directory.account(id, in: fixture.project)
    }

    private func count(_ table: SQL, _ fixture: Fixture) async throws -> Int64 {
        try await fixture.database.query("SELECT count(*) FROM \(table)")[0].value()
    }

    private func actions(_ fixture: Fixture) async throws -> [String] {
        try await AuditEvents(database: fixture.database).list(limit: 100, in: "demo").map {
            [$0.action, $0.actorKind, $0.actor].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test func `a new account asks both hooks in their order, a known one the second`() async throws {
        let fixture = try await fixture()
        let made = try await fixture.signUp("ada@example.com")
        #expect(hooks.events == [.beforeCreate, .beforeSignIn])
        let question = try #require(hooks.questions.first)
        #expect(question.account?.id == made.account.id && question.account?.email == "ada@example.com")
        #expect(question.signIn?.method == "password" && question.address == "127.0.0.1" && question.userAgent == "test")
        #expect(Set(hooks.questions.map(\.id)).count == 2)
        _ = try await fixture.signIn("ada@example.com")
        #expect(hooks.events == [.beforeCreate, .beforeSignIn, .beforeSignIn])
    }

    @Test func `answers are stored with a new account in one transaction, and stand in its tokens`() async throws {
        let fixture = try await fixture()
        hooks.answer(.beforeCreate) { answer in
            answer.displayName = .set("Ada of staff")
            answer.customClaims = .set(#"{"role":"reader","level":1}"#)
            answer.emailVerified = true
        }
        hooks.answer(.beforeSignIn) { $0.sessionClaims = #"{"desk":7,"level":2}"# }
        let made = try await fixture.signUp("ada@example.com")
        // The second one is asked about the account as the first one has made it.
        #expect(hooks.questions.last?.account?.displayName == "Ada of staff")
        let account = try #require(try await stored(made.account.id, fixture))
        #expect(account == made.account && account.displayName == "Ada of staff" && account.emailVerified)
        #expect(account.customAttributes == #"{"role":"reader","level":1}"#)
        #expect(try await actions(fixture) == ["account.created person"])
        let refreshed = try await fixture.sessions.refresh(
            fixture.sessions.refreshToken(for: made.session, in: fixture.project), in: fixture.project)
        for token in [made.idToken, try fixture.idToken(refreshed.0, refreshed.1)] {
            let claims = try claims(of: token)
            #expect(claims["name"] == "Ada of staff" && claims["role"] == "reader" && claims["desk"] == 7)
            #expect(claims["level"] == 2, "claims of the session win")
            #expect(claims["email_verified"] == true)
        }
    }

    @Test func `SEC-60 what a hook says of an address is told, and proves nothing`() async throws {
        let fixture = try await fixture()
        hooks.answer(.beforeSignIn) { $0.emailVerified = true }
        let made = try await fixture.signUp("ada@example.com")
        let account = try #require(try await stored(made.account.id, fixture))
        #expect(account.emailVerified && !account.emailProven && !account.awaitsItsOwner)
        // The owner of the address still takes the account over: it has the password of a stranger.
        let owner = try await fixture.signIn(Fixture.ada(email: "ada@example.com", authoritative: true))
        #expect(owner.account.id == made.account.id && !owner.account.hasPassword)
        hooks.answer(.beforeSignIn) { $0.emailVerified = false }
        _ = try await fixture.signIn(Fixture.ada(email: "ada@example.com", authoritative: true))
        let distrusted = try #require(try await stored(made.account.id, fixture))
        #expect(!distrusted.emailVerified && !distrusted.emailProven, "as where an administrator takes an address back")
    }

    @Test func `a change of a known account is recorded as the hook's`() async throws {
        let fixture = try await fixture([.beforeSignIn])
        let made = try await fixture.signUp("ada@example.com")
        hooks.answer(.beforeSignIn) { answer in
            answer.photoURL = .set("https://example.com/a.png")
            answer.customClaims = .set(#"{"role":"reader"}"#)
        }
        let (account, _) = try await fixture.signIn("ada@example.com")
        #expect(account.photoURL == "https://example.com/a.png")
        #expect(try await stored(made.account.id, fixture)?.customAttributes == #"{"role":"reader"}"#)
        _ = try await fixture.signIn("ada@example.com")
        // The second sign-in changed nothing.
        #expect(
            try await actions(fixture) == [
                "account.created person", "claims.changed hook beforeSignIn", "profile.changed hook beforeSignIn",
            ])
    }

    @Test(arguments: [HookEvent.beforeCreate, .beforeSignIn]) func `a refusal leaves nothing of a new account`(event: HookEvent)
        async throws
    {
        let fixture = try await fixture()
        hooks.refuse(event)
        await expectRefusal(FakeHooks.refused) { try await fixture.signUp("ada@example.com") }
        for table: SQL in ["accounts", "sessions", "audit_events"] { #expect(try await count(table, fixture) == 0) }
        hooks.answer(event) { _ in }
        _ = try await fixture.signUp("ada@example.com")
    }

    @Test func `people whom a hook refuses are not locked out, and wrong passwords ask no hook`() async throws {
        let fixture = try await fixture([.beforeSignIn])
        let id = try await fixture.signUp("ada@example.com").account.id
        hooks.refuse(.beforeSignIn, .hookUnavailable(.beforeSignIn))
        for _ in 0..<40 { await expectRefusal(FakeHooks.silent) { try await fixture.signIn("ada@example.com") } }
        let asked = hooks.events.count
        await expectRefusal("\(AccountError.invalidCredentials(of: id))") {
            try await fixture.signIn("ada@example.com", password: "wrong horse")
        }
        #expect(hooks.events.count == asked)
        hooks.answer(.beforeSignIn) { _ in }
        _ = try await fixture.signIn("ada@example.com")
    }

    @Test func `a hook disables a known account, which ends its sessions`() async throws {
        let fixture = try await fixture([.beforeSignIn])
        let made = try await fixture.signUp("ada@example.com")
        hooks.answer(.beforeSignIn) { $0.disables = true }
        await expectRefusal("accountDisabled") { try await fixture.signIn("ada@example.com") }
        #expect(try await stored(made.account.id, fixture)?.disabled == true)
        #expect(try await fixture.database.query("SELECT count(*) FROM sessions WHERE ended_at IS NULL")[0].value(as: Int64.self) == 0)
        await #expect(throws: AccountError.self) { try await fixture.accounts.idTokens.account(of: made.idToken, in: fixture.project) }
        #expect(try await actions(fixture) == ["account.created person", "account.disabled hook beforeSignIn"])
        let asked = hooks.events.count
        await expectRefusal("accountDisabled") { try await fixture.signIn("ada@example.com") }
        #expect(hooks.events.count == asked, "a disabled account asks no hook")
    }

    @Test func `a new account that a hook disables is stored so, and gets no session`() async throws {
        let fixture = try await fixture()
        hooks.answer(.beforeCreate) { $0.disables = true }
        await expectRefusal("accountDisabled") { try await fixture.signUp("ada@example.com") }
        #expect(hooks.events == [.beforeCreate], "the second hook is not asked")
        #expect(try await count("accounts WHERE disabled", fixture) == 1)
        #expect(try await count("sessions", fixture) == 0)
        #expect(try await actions(fixture) == ["account.created person", "account.disabled hook beforeCreate"])
    }

    @Test func `guests, custom tokens, links and changes of the own account ask no hook`() async throws {
        let fixture = try await fixture()
        let (guest, session) = try await fixture.signUpAnonymously()
        let idToken = try fixture.idToken(guest, session)
        _ = try await fixture.linkPassword(idToken, email: "ada@example.com", password: "first password")
        #expect(hooks.events == [])
        let (ada, mine) = try await fixture.signIn("ada@example.com")
        #expect(hooks.events == [.beforeSignIn])
        _ = try await fixture.signIn(Fixture.ada("oidc.a", subject: "7"), .link(fixture.token(ada, mine)))
        var change = AccountChange()
        change.password = "second password"
        _ = try await fixture.update(try fixture.idToken(ada, mine), change)
        _ = try await fixture.accounts.administration.accounts.create(nil, AdministratorChange(), by: fixture.operator)
        #expect(hooks.events == [.beforeSignIn])
    }

    @Test func `a provider's words go to the hooks, and nowhere else`() async throws {
        let fixture = try await fixture()
        let credential = ProviderCredential(
            rawUserInfo: #"{"login":"ada"}"#, idToken: "id", accessToken: "access", tokenSecret: nil, refreshToken: "refresh", expiresIn: 60
        )
        _ = try await fixture.accounts.signIn.federated.signIn(
            with: ProvenIdentity(Fixture.ada(), credential: credential), .signIn(mayCreate: true), language: "en", in: fixture.project,
            from: Fixture.here)
        #expect(hooks.questions.map(\.signIn?.credential?.accessToken) == ["access", "access"])
        #expect(hooks.questions.first?.account?.identities.map(\.providerID) == ["oidc.acme"])
    }

    @Test func `the hooks of a sign-in share their time`() async throws {
        let fixture = try await fixture()
        let time = fixture.time
        hooks.answer(.beforeCreate) { _ throws(AccountError) in
            time.advance(.seconds(6))
            return HookAnswer()
        }
        _ = try await fixture.signUp("ada@example.com")
        #expect(hooks.times == [.milliseconds(6500), .milliseconds(500)])
        hooks.answer(.beforeCreate) { _ throws(AccountError) in
            time.advance(.seconds(60))
            return HookAnswer()
        }
        _ = try await fixture.signUp("bob@example.com")
        #expect(hooks.times.last == .milliseconds(1))
    }

    /// While the hook is asked, another request takes the address. The sign-in reads and decides again.
    @Test func `after a lost race the same account is not asked about again`() async throws {
        let fixture = try await fixture()
        let ada = try await fixture.signIn(Fixture.ada()).account
        let (database, asked) = (fixture.database, hooks.events.count)
        hooks.answer(.beforeSignIn) { question throws(AccountError) in
            _ = try? await database.write("UPDATE accounts SET sessions_ended_at = now() WHERE account_id = \(ada.id)")
            var answer = HookAnswer()
            answer.displayName = .set("Ada of staff")
            return answer
        }
        let client = Session.ClientInfo(userAgent: "test", address: "127.0.0.1", hooks: HookAttempt(languages: "de-DE,en;q=0.5"))
        let result = try await fixture.accounts.signIn.federated.signIn(
            with: ProvenIdentity(Fixture.ada()), .signIn(mayCreate: true), language: "en", in: fixture.project, from: client)
        guard case .signedIn(let account, _, _, _) = result else { throw Unexpected.outcome(result) }
        #expect(account.displayName == "Ada of staff" && hooks.events.count == asked + 1)
        #expect(hooks.questions.last?.locale == "de-DE")
    }

    @Test func `a new account that loses its address to another one is asked about as what it is then`() async throws {
        let fixture = try await fixture()
        let (database, project) = (fixture.database, fixture.project)
        hooks.answer(.beforeCreate) { question throws(AccountError) in
            var other = Account(id: "other", at: Instant(seconds: 1))
            other.email = "ada@example.com"
            other.emailVerified = true
            other.emailProven = true
            _ = try? await database.write(other.insert(in: project))
            return HookAnswer()
        }
        let client = Session.ClientInfo(userAgent: "test", address: "127.0.0.1", hooks: HookAttempt(languages: nil))
        let result = try await fixture.accounts.signIn.federated.signIn(
            with: ProvenIdentity(Fixture.ada(email: "ada@example.com", authoritative: true)), .signIn(mayCreate: true), language: "en",
            in: project, from: client)
        guard case .signedIn(let account, _, let isNew, _) = result else { throw Unexpected.outcome(result) }
        #expect(account.id == "other" && !isNew && hooks.events == [.beforeCreate, .beforeSignIn, .beforeSignIn])
        #expect(hooks.questions.map(\.account?.id).last == "other")
    }

    private func claims(of token: String) throws -> JSON {
        let part = try #require(token.split(separator: ".").dropFirst().first)
        return try JSON.parse(try #require(Base64URL.decodeStrict(String(part))))
    }
}
