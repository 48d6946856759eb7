@testable import Accounts
import Crypto
import HTTP
import JOSE
import JSON
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

/// The actions that tests of action codes need: people, mailboxes, and what remains of an attacker.
extension Fixture {
    static let here = Session.ClientInfo(userAgent: "test", address: "127.0.0.1")
    static let english = MailOptions(language: "en")

    /// A fixture with all ways to sign in enabled, and keys to sign tokens with.
    static func forCodes() async throws -> Fixture {
        var fixture = try await Fixture()
        fixture.project.signIn.password = true
        fixture.project.signIn.emailLink = true
        fixture.project.signIn.anonymous = true
        try await fixture.loadSigningKeys()
        return fixture
    }

    func signUp(_ email: String, password: String = "first password") async throws -> (account: Account, session: Session, idToken: String)
    {
        let (account, outcome) = try await accounts.signIn.signUps.signUp(
            email: email, password: password, displayName: nil, in: project, from: Self.here)
        let session = try outcome.session
        return (account, session, try idToken(account, session))
    }

    /// Signs in with the password of `signUp`.
    func signIn(_ email: String, password: String = "first password") async throws -> (account: Account, session: Session) {
        let (account, outcome) = try await accounts.signIn.passwords.signIn(
            email: email, password: password, in: project, from: Self.here)
        return (account, try outcome.session)
    }

    /// The caller changes their own account.
    func update(_ idToken: String, _ change: AccountChange, language: String = "en") async throws -> (Account, Session?) {
        let (account, outcome) = try await accounts.changes.update(idToken, change, language: language, in: project, from: Self.here)
        return (account, try outcome?.session)
    }

    func linkPassword(_ idToken: String, email: String, password: String) async throws -> (Account, Session) {
        let (account, outcome) = try await accounts.changes.linkPassword(
            idToken, email: email, password: password, displayName: nil, language: "de", in: project, from: Self.here)
        return (account, try outcome.session)
    }

    func signUpAnonymously() async throws -> (Account, Session) {
        let (account, outcome) = try await accounts.signIn.signUps.signUpAnonymously(in: project, from: Self.here)
        return (account, try outcome.session)
    }

    func idToken(_ account: Account, _ session: Session) throws -> String {
        try accounts.idTokens.issue(for: account, session, in: project)
    }

    /// The token as earlier versions made it, without the name of the session.
    func unnamed(_ idToken: String, more: JSON.Object = [:]) throws -> String {
        let payload = try #require(Base64URL.decodeStrict(String(idToken.split(separator: ".")[1])))
        var claims = try #require(try JSON.parse(payload).object)
        claims["sid"] = nil
        let all = JSON.object(claims.merging(more))
        return try keys.signer(for: .rs256, at: time.clock.now()).sign(claims: all.bytes())
    }

    func signsIn(_ email: String, _ password: String) async throws -> Bool {
        do {
            _ = try await signIn(email, password: password)
            return true
        } catch AccountError.invalidCredentials {
            return false
        }
    }

    func refreshes(_ session: Session) async throws -> Bool {
        do {
            _ = try await sessions.refresh(sessions.refreshToken(for: session, in: project), in: project)
            return true
        } catch AccountError.sessionEnded {
            return false
        }
    }

    /// The codes in the mails of one kind to one address, newest first.
    func codes(_ kind: ActionCode.Kind, to email: String) async throws -> [String] {
        try await outbox.recent(in: project).filter { $0.kind.rawValue == kind.rawValue && $0.to == email }.map { try code(in: $0) }
    }

    /// The code in the mail's link.
    func code(in mail: OutgoingMail) throws -> String {
        let query = try #require(URI.parse(mail.link)?.query)
        return try #require(Form(query)?["oobCode"]).asString
    }

    /// The mails that tell owners about changed ways to sign in, oldest first.
    func notices() async throws -> [OutgoingMail] {
        try await outbox.recent(in: project).filter { $0.happenedAt != nil }.reversed()
    }

    func code(_ kind: ActionCode.Kind, to email: String) async throws -> String {
        let codes = try await codes(kind, to: email)
        return try #require(codes.first)
    }

    func resetCode(_ email: String) async throws -> String {
        time.advance(.seconds(1))
        try await accounts.codeMails.sendPasswordReset(to: email, Self.english, in: project, from: Self.here)
        return try await code(.resetPassword, to: email)
    }

    func linkCode(_ email: String) async throws -> String {
        time.advance(.seconds(1))
        try await accounts.codeMails.sendSignInLink(to: email, Self.english, in: project, from: Self.here)
        return try await code(.signIn, to: email)
    }

    func verifyCode(_ idToken: String, _ email: String) async throws -> String {
        time.advance(.seconds(1))
        _ = try await accounts.codeMails.sendVerification(forIDToken: idToken, Self.english, in: project, from: Self.here)
        return try await code(.verifyEmail, to: email)
    }

    func changeCode(_ idToken: String, to email: String) async throws -> String {
        time.advance(.seconds(1))
        try await askChange(idToken, to: email)
        return try await code(.verifyAndChangeEmail, to: email)
    }

    func askChange(_ idToken: String, to email: String) async throws {
        _ = try await accounts.codeMails.sendEmailChange(forIDToken: idToken, to: email, Self.english, in: project, from: Self.here)
    }

    func caller(_ idToken: String) async throws -> (Account, IDToken) { try await accounts.idTokens.account(of: idToken, in: project) }

    @discardableResult
    func apply(_ code: String) async throws -> Account {
        try await accounts.codes.apply(code, language: "en", in: project, from: Self.here).1
    }

    func enter(
        _ code: String, _ email: String, linkingTo idToken: String? = nil
    ) async throws -> (account: Account, session: Session, isNewUser: Bool) {
        let signIn = try await accounts.signIn.emailLinks.signIn(
            withLink: code, email: email, linkingTo: idToken, language: "en", in: project, from: Self.here)
        return (signIn.account, try signIn.outcome.session, signIn.isNewUser)
    }

    func stored(_ id: String) async throws -> Account? { try await accounts.directory.account(id, in: project) }

    func count(_ table: SQL) async throws -> Int64 { try await database.query("SELECT count(*) FROM \(table)")[0].value() }
}

/// Expects that the rules refuse with an error of this name.
func expectRefusal(
    _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ work: () async throws -> some Any
) async {
    do {
        _ = try await work()
        Issue.record("went through instead of \(name)", sourceLocation: sourceLocation)
    } catch {
        #expect("\(error)" == name, sourceLocation: sourceLocation)
    }
}
