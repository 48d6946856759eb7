@testable import Accounts
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct SignInCompletionTests {
    private let origin = Session.ClientInfo(userAgent: "test", address: "127.0.0.1")

    private func counted(_ fixture: Fixture) -> [String] {
        fixture.metrics.lines(of: "gatehouse_sign_ins_total")
    }

    @Test func `every way to sign in is counted with its outcome`() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.accounts.signIn.signUps.signUpAnonymously(in: fixture.project, from: origin)
        _ = try await fixture.accounts.signIn.signUps.signUp(
            email: "ada@example.com", password: "correct horse", displayName: nil, in: fixture.project, from: origin)
        for password in ["correct horse", "wrong horse", "another horse"] {
            _ = try? await fixture.accounts.signIn.passwords.signIn(
                email: "ada@example.com", password: password, in: fixture.project, from: origin)
        }
        let grace = try await fixture.signIn(Fixture.ada("oidc.acme", subject: "grace"))
        _ = try await fixture.signIn(Fixture.ada("oidc.acme", subject: "grace"))
        _ = try await fixture.signIn(
            Fixture.ada("oidc.a", subject: "grace"), .link(fixture.token(grace.account, grace.session)))
        // The address belongs to another account; and a person who only reauthenticates does not have this identity.
        for (provider, intent) in [("oidc.lax", SignInIntent.signIn(mayCreate: true)), ("oidc.b", .signIn(mayCreate: false))] {
            _ = try? await fixture.accounts.signIn.federated.signIn(
                with: ProvenIdentity(Fixture.ada(provider, email: "ada@example.com")), intent, language: "en", in: fixture.project,
                from: origin)
        }
        #expect(
            counted(fixture) == [
                #"gatehouse_sign_ins_total{project="demo",provider="anonymous",outcome="created"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="oidc.a",outcome="linked"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="oidc.acme",outcome="created"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="oidc.acme",outcome="signed_in"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="oidc.b",outcome="refused"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="oidc.lax",outcome="needs_confirmation"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="password",outcome="created"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="password",outcome="refused"} 2"#,
                #"gatehouse_sign_ins_total{project="demo",provider="password",outcome="signed_in"} 1"#,
            ])
    }

    @Test func `sign-ups and links of a password that the rules refuse are counted`() async throws {
        var fixture = try await Fixture.forCodes()
        fixture.project.limits[.signUp, .project] = Rate(3, per: .seconds(86400))
        _ = try await fixture.signUp("ada@example.com")
        let (guest, session) = try await fixture.signUpAnonymously()
        let idToken = try fixture.idToken(guest, session)
        await expectRefusal("emailTaken") { try await fixture.signUp("ada@example.com") }
        await expectRefusal("emailTaken") { try await fixture.linkPassword(idToken, email: "ada@example.com", password: "correct horse") }
        await expectRefusal("quotaExceeded(ProjectSettings.LimitedAction.signUp)") { try await fixture.signUpAnonymously() }
        #expect(
            counted(fixture) == [
                #"gatehouse_sign_ins_total{project="demo",provider="anonymous",outcome="created"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="anonymous",outcome="refused"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="password",outcome="created"} 1"#,
                #"gatehouse_sign_ins_total{project="demo",provider="password",outcome="refused"} 2"#,
            ])
    }

    @Test func `the series of a project are there before its first sign-in, and only for projects of a file`() {
        let metrics = Metrics()
        let signIns = SignInMetrics(metrics)
        signIns.begin(project: "acme", providers: ["oidc.a"], methods: ["password"])
        signIns.begin(project: "acme", providers: ["oidc.a"], methods: ["password"])
        let outcomes = ["signed_in", "created", "linked", "refused"]
        let labels =
            (outcomes + ["provider_unavailable", "needs_confirmation"]).map { (#"provider="oidc.a",outcome="\#($0)""#) }
            + outcomes.map { (#"provider="password",outcome="\#($0)""#) }
        #expect(
            Set(metrics.lines(of: "gatehouse_sign_ins_total"))
                == Set(labels.map { #"gatehouse_sign_ins_total{project="acme",\#($0)} 0"# }))
        signIns.count("password", .signedIn, in: "acme")
        signIns.count("password", .signedIn, in: "made up")
        let counted = metrics.lines(of: "gatehouse_sign_ins_total").filter { $0.hasSuffix(" 1") }
        #expect(
            counted.sorted() == [
                #"gatehouse_sign_ins_total{project="-",provider="password",outcome="signed_in"} 1"#,
                #"gatehouse_sign_ins_total{project="acme",provider="password",outcome="signed_in"} 1"#,
            ])
    }

    @Test func `what must be committed with a session and fails leaves no session, and is not counted`() async throws {
        let fixture = try await Fixture()
        let (account, _, _) = try await fixture.signIn(Fixture.ada())
        let before = counted(fixture)
        await #expect(throws: AccountError.self) {
            try await fixture.completion().complete(
                Authentication(account: account, signInProvider: "oidc.acme", time: fixture.time.clock.now()),
                with: [.required("UPDATE accounts SET disabled = true WHERE account_id = 'none' RETURNING account_id")], as: .signedIn,
                in: fixture.project, from: origin, at: fixture.time.clock.now())
        }
        let rows = try await fixture.database.query("SELECT count(*) FROM sessions")
        #expect(try rows[0].value(as: Int64.self) == 1)
        #expect(counted(fixture) == before)
    }

    @Test func `a sign-in whose person must take another step makes no session`() async throws {
        let fixture = try await Fixture()
        let now = fixture.time.clock.now()
        let authentication = Authentication(account: Account(id: "ada", at: now), signInProvider: "oidc.acme", time: now)
        func end(_ step: SignInStep?) throws -> (outcome: SignInOutcome, statements: [SQL]) {
            try fixture.completion().outcome(
                of: authentication, by: "oidc.acme", due: step, id: [7], in: fixture.project, from: origin, at: now)
        }
        let waiting = try end(.secondFactor)
        guard case .pending(let pending) = waiting.outcome else { throw Unexpected.session }
        #expect(pending.due == .secondFactor && waiting.statements.count == 1)
        let done = try end(nil)
        #expect(try done.outcome.session.accountID == "ada" && done.outcome.session.id == [7] && done.statements.count == 1)
    }
}
