@testable import Accounts
import JOSE
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// Google's ID tokens at our calls, while people come from Firebase.
@Suite struct FormerTokenTests {
    @Test func `a token of Google's finds its person while the window is open`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        let (account, token) = try await firebase.fixture.caller(try firebase.token("ada", signedIn: .seconds(86_400)))
        #expect(account.id == "ada" && token.isGoogles)
        #expect(await refusal { _ = try await firebase.fixture.caller(try firebase.token("eve", signedIn: .zero)) } == "accountNotFound")
    }

    @Test func `SEC-52 counts for nothing after the window, and nothing in a project without one`() async throws {
        var firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        firebase.fixture.time.advance(FirebaseFixture.until)
        #expect(await refusal { _ = try await firebase.fixture.caller(try firebase.token("ada", signedIn: .zero)) } == "invalidIDToken")
        firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        firebase.fixture.project.firebaseMigration = nil
        #expect(await refusal { _ = try await firebase.fixture.caller(try firebase.token("ada", signedIn: .zero)) } == "invalidIDToken")
    }

    @Test func `SEC-52 a token that names a key of ours is ours or nobody's`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        let kid = try #require(firebase.fixture.keys.published.keys.keys.first?.kid)
        let token = try firebase.token("ada", signedIn: .zero, by: .rsa(kid.asString))
        #expect(await refusal { _ = try await firebase.fixture.caller(token) } == "invalidIDToken")
    }

    @Test func `SEC-53 dies with the sessions that are ended here`() async throws {
        let firebase = try await FirebaseFixture()
        let ada = try await firebase.imported("ada") {
            $0.email = "ada@example.com"
            $0.passwordUpdatedAt = $0.createdAt
        }
        let before = try firebase.token("ada", signedIn: .seconds(86_400))
        _ = try await firebase.fixture.caller(before)
        let (_, session) = try await firebase.fixture.signIn("ada@example.com")
        var change = AccountChange()
        change.password = "another password"
        _ = try await firebase.fixture.update(try firebase.fixture.idToken(ada, session), change)
        #expect(await refusal { _ = try await firebase.fixture.caller(before) } == "sessionEnded")
        // Google renews the time of issue at each refresh; the time of the sign-in stays.
        firebase.fixture.time.advance(.seconds(3600))
        let renewed = try firebase.token("ada", signedIn: .seconds(90_000))
        #expect(await refusal { _ = try await firebase.fixture.caller(renewed) } == "sessionEnded")
    }

    @Test func `has expired when Google says so, and belongs to an account that is not disabled`() async throws {
        let firebase = try await FirebaseFixture()
        _ = try await firebase.imported("ada")
        _ = try await firebase.imported("bob") { $0.disabled = true }
        let token = try firebase.token("ada", signedIn: .seconds(60))
        firebase.fixture.time.advance(.seconds(3600))
        #expect(await refusal { _ = try await firebase.fixture.caller(token) } == "sessionEnded")
        #expect(await refusal { _ = try await firebase.fixture.caller(try firebase.token("bob", signedIn: .zero)) } == "accountDisabled")
    }

    @Test func `SEC-51 gives no session for a token of an old sign-in, by whatever call`() async throws {
        let firebase = try await FirebaseFixture()
        var fixture = firebase.fixture
        fixture.project.signIn.emailLink = true
        _ = try await firebase.imported("ada") { $0.email = "ada@example.com" }
        _ = try await firebase.imported("guest") { $0.customAuth = false }
        let before = try await fixture.sessionCount
        let old = try firebase.token("ada", signedIn: .seconds(86_400))
        let guest = try firebase.token("guest", signedIn: .seconds(86_400), provider: "anonymous")
        var moved = AccountChange()
        moved.email = "new@example.com"
        var secured = AccountChange()
        secured.password = "another password"
        let calls: [(String, () async throws -> Void)] = [
            ("password", { _ = try await fixture.update(old, secured) }), ("address", { _ = try await fixture.update(old, moved) }),
            ("link of a password", { _ = try await fixture.linkPassword(old, email: "ada@example.com", password: "another password") }),
            ("upgrade", { _ = try await fixture.linkPassword(guest, email: "guest@example.com", password: "another password") }),
            (
                "link of a provider",
                { _ = try await fixture.signIn(Fixture.ada("oidc.a"), .link(try await fixture.caller(old).1)) }
            ),
        ]
        for (name, call) in calls { #expect(await refusal(call) == "signInTooOld", "\(name)") }
        let cookie = await refusal {
            _ = try await fixture.accounts.administration.sessionCookies.create(
                for: UTF8Text(try firebase.token("ada", signedIn: .zero)), life: .seconds(300), by: fixture.operator)
        }
        #expect(cookie == "invalidIDToken")
        #expect(try await fixture.sessionCount == before)
    }

    @Test func `a person who has just signed in there may do what they could do there`() async throws {
        let firebase = try await FirebaseFixture()
        let fixture = firebase.fixture
        _ = try await firebase.imported("ada") { $0.email = "ada@example.com" }
        let fresh = try firebase.token("ada", signedIn: .seconds(10))
        var change = AccountChange()
        change.password = "another password"
        let (_, session) = try await fixture.update(fresh, change)
        #expect(session != nil)
        #expect(await refusal { _ = try await fixture.caller(fresh) } == "sessionEnded")
    }

    @Test func `an hour's token changes the profile, and is no way to delete the account`() async throws {
        let firebase = try await FirebaseFixture()
        let fixture = firebase.fixture
        _ = try await firebase.imported("ada")
        let old = try firebase.token("ada", signedIn: .seconds(86_400))
        var change = AccountChange()
        change.displayName = .set("Ada")
        let (changed, session) = try await fixture.update(old, change)
        #expect(changed.displayName == "Ada" && session == nil)
        let deletion = await refusal {
            try await fixture.accounts.deletion.delete(forIDToken: old, in: fixture.project, from: Fixture.here)
        }
        #expect(deletion == "signInTooOld")
        try await fixture.accounts.deletion.delete(
            forIDToken: try firebase.token("ada", signedIn: .seconds(10)), in: fixture.project, from: Fixture.here)
        #expect(try await fixture.stored("ada") == nil)
    }
}

extension Fixture {
    fileprivate var sessionCount: Int { get async throws { try await database.query("SELECT 1 FROM sessions").count } }
}
