@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import Testing
import Text

/// Each rule that is limited, asked twice by one client where the limit of its action is one for a client.
@Suite struct ChargedRulesTests {
    private static let ada = "ada@example.com"

    struct Rule: Sendable, CustomTestStringConvertible {
        let action: LimitedAction
        let testDescription: String
        let ask: @Sendable (ClientFixture, Person) async throws -> Void

        init(
            _ action: LimitedAction, _ name: String,
            _ ask: @escaping @Sendable (_ clients: ClientFixture, _ person: Person) async throws -> Void
        ) {
            self.action = action
            testDescription = name
            self.ask = ask
        }
    }

    /// A person who is signed in, and whose request waits at the pages.
    struct Person: Sendable {
        let idToken: String
        let browser: BrowserSession
        let pending: PendingAuthorization
    }

    static let rules: [Rule] = [
        Rule(.signUp, "an anonymous account") { clients, _ in _ = try await clients.fixture.signUpAnonymously() },
        Rule(.signUp, "an account with a password") { clients, _ in _ = try await clients.fixture.signUp("bob@example.com") },
        Rule(.password, "a password") { clients, _ in _ = try await clients.fixture.signIn(ada, password: "wrong") },
        Rule(.customToken, "a hosted page's token") { clients, _ in
            _ = try await clients.requests.signIn(with: AppToken(code: "made up"), in: clients.project, from: clients.client)
        },
        Rule(.sendPasswordReset, "a mail to reset a password") { clients, _ in
            try await clients.fixture.accounts.codeMails.sendPasswordReset(
                to: ada, Fixture.english, in: clients.project, from: clients.client)
        },
        Rule(.sendSignInLink, "a mail with a link") { clients, _ in
            try await clients.fixture.accounts.codeMails.sendSignInLink(
                to: ada, Fixture.english, in: clients.project, from: clients.client)
        },
        Rule(.sendVerification, "a mail to prove an address") { clients, person in
            _ = try await clients.fixture.accounts.codeMails.sendVerification(
                forIDToken: person.idToken, Fixture.english, in: clients.project, from: clients.client)
        },
        Rule(.sendVerification, "a mail to change an address") { clients, person in
            try await clients.fixture.askChange(person.idToken, to: "bob@example.com")
        },
        Rule(.sendEmailCode, "a mail with digits") { clients, person in
            try await clients.requests.sendEmailCode(
                to: ada, for: person.pending, .signUp, language: "en", in: clients.project, from: clients.client)
        },
        Rule(.emailCode, "wrong digits") { clients, person in
            try await clients.requests.proveEmail("wrong", of: person.pending, in: clients.project, from: clients.client)
        },
        Rule(.actionCode, "a look at a wrong code") { clients, _ in
            _ = try await clients.fixture.accounts.codes.inspect("wrong", in: clients.project, from: clients.client)
        },
        Rule(.actionCode, "a use of a wrong code") { clients, _ in try await clients.fixture.apply("wrong") },
        Rule(.actionCode, "a new password by a wrong code") { clients, _ in
            _ = try await clients.fixture.accounts.codes.resetPassword(
                "wrong", to: "second password", language: "en", in: clients.project, from: clients.client)
        },
        Rule(.actionCode, "a new password at a page without a proof") { clients, person in
            _ = try await clients.requests.resetPassword(
                for: person.pending, to: "second password", language: "en", in: clients.project, from: clients.client)
        },
        Rule(.actionCode, "a sign-in by a wrong link") { clients, _ in _ = try await clients.fixture.enter("wrong", ada) },
        Rule(.update, "a change of the own account") { clients, person in
            _ = try await clients.fixture.update(person.idToken, AccountChange())
        },
        Rule(.update, "a change of the own profile at a page") { clients, person in
            try await clients.fixture.accounts.openID.profileEdits.edit(
                displayName: "Ada", [:], in: person.browser, of: clients.project, from: clients.client)
        },
        Rule(.deleteAccount, "a removal of the own account") { clients, _ in
            try await clients.fixture.accounts.deletion.delete(forIDToken: "made up", in: clients.project, from: clients.client)
        },
        Rule(.identify, "a question how an address signs in") { clients, _ in
            _ = try await clients.fixture.accounts.directory.identify(ada, in: clients.project, from: clients.client)
        },
        Rule(.startSignIn, "a request that waits at the pages") { clients, _ in
            _ = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        },
        Rule(.startSignIn, "a request that a public client pushes") { clients, _ in
            _ = try await clients.requests.push(clients.request(), of: clients.app, in: clients.project, from: clients.client)
        },
    ]

    @Test(arguments: rules) func `SEC-16 a rule charges its limit by itself, whoever asks it`(_ rule: Rule) async throws {
        var clients = try await ClientFixture()
        let (account, session, idToken) = try await clients.fixture.signUp(Self.ada)
        let (waiting, cookie) = try await clients.requests.store(clients.request(), in: clients.project, from: clients.client)
        try await clients.requests.sendEmailCode(
            to: Self.ada, for: waiting, .signUp, language: "en", in: clients.project, from: clients.client)
        let pending = try #require(try await clients.requests.waiting(waiting.id, cookie: UTF8Text(cookie), in: clients.project))
        let person = Person(idToken: idToken, browser: BrowserSession(session: session, account: account), pending: pending)
        // What the fixture took from the limits does not count.
        _ = try await clients.fixture.database.write("DELETE FROM rate_limits")
        for scope in LimitScope.allCases { clients.fixture.project.limits[rule.action, scope] = nil }
        clients.fixture.project.limits[rule.action, .address] = Rate(1, per: .seconds(3600))
        _ = try? await rule.ask(clients, person)
        await expectRefusal("tooManyAttempts(ProjectSettings.LimitedAction.\(rule.action), by: ProjectSettings.LimitScope.address)") {
            try await rule.ask(clients, person)
        }
    }

    @Test func `a server that pushes the requests of all its users meets no limit`() async throws {
        var clients = try await ClientFixture()
        clients.fixture.project.limits[.startSignIn, .address] = Rate(1, per: .seconds(3600))
        for _ in 1...3 {
            _ = try await clients.requests.push(
                clients.request(of: clients.site), of: clients.site, in: clients.project, from: clients.client)
        }
    }
}
