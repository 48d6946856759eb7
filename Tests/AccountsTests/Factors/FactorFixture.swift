@testable import Accounts
import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Text

/// A person with an address and a password, who has signed in and may enrol authenticator apps.
struct FactorFixture {
    var fixture: Fixture
    let email = "ada@example.com"
    let password = "correct horse"
    let client = Session.ClientInfo(userAgent: "test", address: "127.0.0.1")

    init(formerSecondFactors: (any FormerSecondFactors)? = nil) async throws {
        fixture = try await Fixture(formerSecondFactors: formerSecondFactors)
        fixture.project.signIn.password = true
        fixture.project.multiFactor.state = .enabled
        try await fixture.loadSigningKeys()
        _ = try await fixture.accounts.signIn.signUps.signUp(
            email: email, password: password, displayName: "Ada", in: fixture.project, from: client)
        _ = try await fixture.database.write("UPDATE accounts SET email_verified = true, email_proven = true WHERE email = \(email)")
    }

    var accounts: Accounts { fixture.accounts }
    var project: ProjectSettings { fixture.project }
    var now: Instant { fixture.time.clock.now() }
    var rules: SecondFactorRules { accounts.secondFactors }

    /// The first proof alone.
    func signIn(by accounts: Accounts? = nil) async throws -> (Account, SignInOutcome) {
        try await (accounts ?? fixture.accounts).signIn.passwords.signIn(email: email, password: password, in: project, from: client)
    }

    /// The credential of a sign-in that waits for a second factor.
    func pending(by accounts: Accounts? = nil) async throws -> PendingCredential {
        guard case .pending(let pending) = try await signIn(by: accounts).1 else { throw Unexpected.session }
        return pending.credential
    }

    func idToken(_ done: (Account, SignInOutcome)) throws -> String {
        try accounts.idTokens.issue(for: done.0, done.1.session, in: project)
    }

    /// An authenticator app that the person has enrolled, with the ID token of the session that came of it.
    struct Enrolled {
        let id: String
        let totp: TOTP
        let idToken: String
    }

    func enroll(with idToken: String? = nil, name: String? = nil) async throws -> Enrolled {
        let token = if let idToken { idToken } else { try self.idToken(await signIn()) }
        let started = try await rules.enrollments.startTOTP(forIDToken: token, in: project, from: client)
        let done = try await rules.enrollments.finishTOTP(
            forIDToken: token, session: UTF8Text(started.session), code: UTF8Text(started.totp.code(at: started.totp.step(at: now))),
            name: name,
            language: "en", in: project, from: client)
        guard let id = try done.1.session.secondFactor?.id else { throw Unexpected.session }
        return Enrolled(id: id, totp: started.totp, idToken: try self.idToken(done))
    }

    /// Signs in with the app's present code.
    func finish(
        _ credential: PendingCredential, _ app: Enrolled, code: String? = nil, by accounts: Accounts? = nil
    ) async throws -> (Account, SignInOutcome) {
        try await (accounts ?? fixture.accounts).secondFactors.signIns.signIn(
            credential, code: UTF8Text(code ?? app.totp.code(at: app.totp.step(at: now))), of: UTF8Text(app.id), language: "en",
            in: project,
            from: client)
    }

    func finish(_ credential: PendingCredential, recoveryCode: RecoveryCode) async throws -> (Account, SignInOutcome) {
        try await rules.signIns.signIn(
            credential, recoveryCode: UTF8Text(recoveryCode.text), language: "en", in: project, from: client)
    }

    /// The kinds of the mails since the beginning, in the order of their names.
    func mails() async throws -> [String] {
        try await fixture.outbox.recent(in: project).map(\.kind.rawValue).sorted()
    }

    func actions() async throws -> [String] {
        try await AuditEvents(database: fixture.database).list(limit: 100, in: "demo").map(\.action)
    }

    /// A code that no app shows now.
    func wrong(_ app: Enrolled) -> String {
        let near = (-2...2).map { app.totp.code(at: app.totp.step(at: now) + $0) }
        return (0..<10).map { String(format($0)) }.first { !near.contains($0) } ?? ""
    }

    private func format(_ number: Int) -> Substring { "00000\(number)"[...] }
}
