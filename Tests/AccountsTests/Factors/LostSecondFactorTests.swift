@testable import Accounts
import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite(.takesTurns) struct LostSecondFactorTests {
    /// Firebase, which takes one code.
    private struct Firebase: FormerSecondFactors {
        func proves(
            _ proof: FormerProof, at migration: FirebaseMigration, in project: ProjectSettings
        ) async throws(AccountError) -> Bool {
            guard proof.credential == "Firebase's" else { throw .secondFactor(.pendingUnknown) }
            return proof.factorID == "lost" && proof.code == "424242"
        }
    }

    private static let lost = #"[{"mfaEnrollmentId": "lost", "totpInfo": {}}]"#
    private static let unanswerable = AccountError.secondFactor(.unanswerable).logDetail
    private static let wrong = AccountError.wrongCode.logDetail

    private func error(_ work: () async throws -> Void) async -> String {
        do { try await work() } catch { return (error as? AccountError)?.logDetail ?? "\(error)" }
        return "none"
    }

    /// A person whose second factors these are, as an import stores them.
    private func person(
        with factors: String = lost, _ change: (inout ProjectSettings) -> Void = { _ in }
    ) async throws -> FactorFixture {
        var person = try await FactorFixture(formerSecondFactors: Firebase())
        change(&person.fixture.project)
        _ = try await person.fixture.database.write("UPDATE accounts SET second_factors = \(factors) WHERE email = \(person.email)")
        return person
    }

    private func pending(_ person: FactorFixture) async throws -> (account: Account, pending: PendingSignIn) {
        let (account, outcome) = try await person.signIn()
        guard case .pending(let pending) = outcome else { throw Unexpected.session }
        return (account, pending)
    }

    /// The digits that were mailed for the sign-in; `nil` for none.
    private func digits(_ person: FactorFixture, _ found: (account: Account, pending: PendingSignIn)) async throws -> String? {
        let before = try await person.fixture.outbox.recent(in: person.project).count
        try await person.rules.lost.mailDigits(
            for: found.pending, to: found.account, language: "en", in: person.project, from: person.client)
        let mails = try await person.fixture.outbox.recent(in: person.project)
        guard mails.count > before else { return nil }
        #expect(mails.first?.kind == .secondFactorCode && mails.first?.to == person.email)
        return mails.first?.oneTimeCode
    }

    private func finish(_ person: FactorFixture, _ pending: PendingSignIn, _ code: String) async throws -> (Account, SignInOutcome) {
        try await person.rules.signIns.signIn(
            pending.credential, code: UTF8Text(code), of: "lost", language: "en", in: person.project, from: person.client)
    }

    @Test func `digits by mail stand in for it, and a new authenticator app takes its place`() async throws {
        let person = try await person()
        let found = try await pending(person)
        #expect(found.pending.needsStandIn)
        let digits = try #require(try await digits(person, found))
        let done = try await finish(person, found.pending, digits)
        #expect(try done.1.session.secondFactor == SecondFactorProof(kind: "email", id: nil))
        let app = try await person.enroll(with: person.idToken(done))
        person.fixture.time.advance(.seconds(30))
        let (account, next) = try await pending(person)
        #expect(account.factors.factors.map(\.id) == [app.id] && !next.needsStandIn)
        _ = try await person.finish(next.credential, app)
    }

    @Test func `SEC-55 the digits are those of one sign-in, and of five tries`() async throws {
        let person = try await person()
        let (first, second) = (try await pending(person), try await pending(person))
        let digits = try #require(try await digits(person, first))
        #expect(await error { _ = try await finish(person, second.pending, digits) } == Self.unanswerable)
        let other = digits == "123456" ? "654321" : "123456"
        for _ in 0..<5 { #expect(await error { _ = try await finish(person, first.pending, other) } == Self.wrong) }
        #expect(await error { _ = try await finish(person, first.pending, digits) } != "none")
    }

    @Test func `SEC-55 none are mailed where they would be the only proof, or where the project wants an administrator`() async throws {
        func mailed(
            with factors: String = Self.lost, _ statement: SQL? = nil, _ change: (inout ProjectSettings) -> Void = { _ in }
        ) async throws -> String? {
            let person = try await person(with: factors, change)
            if let statement { _ = try await person.fixture.database.write(statement) }
            let found = try await pending(person)
            let digits = try await digits(person, found)
            if digits == nil {
                #expect(await error { _ = try await finish(person, found.pending, "123456") } == Self.unanswerable)
            }
            return digits
        }
        #expect(try await mailed() != nil)
        #expect(try await mailed { $0.multiFactor.lostFactors = .administrator } == nil)
        #expect(try await mailed("UPDATE accounts SET email_verified = false") == nil)
        #expect(try await mailed("UPDATE accounts SET sessions_ended_at = now() - interval '1 day'") == nil)
        let both = #"[{"mfaEnrollmentId": "lost", "totpInfo": {}}, {"mfaEnrollmentId": "2", "phoneInfo": "+4915112345678"}]"#
        #expect(try await mailed(with: both) == nil)
    }

    @Test func `SEC-55 a link in a mail is no first proof for them`() async throws {
        let person = try await person { $0.signIn.emailLink = true }
        let link = try await person.fixture.linkCode(person.email)
        let done = try await person.accounts.signIn.emailLinks.signIn(
            withLink: link, email: person.email, language: "en", in: person.project, from: person.client)
        guard case .pending(let pending) = done.outcome else { throw Unexpected.session }
        #expect(!pending.needsStandIn)
    }

    @Test func `takes lost factors away where the project says so, and records it`() async throws {
        let person = try await person { $0.multiFactor.lostFactors = .drop }
        let (account, outcome) = try await person.signIn()
        #expect(try outcome.session.secondFactor == nil)
        #expect(try await person.fixture.stored(account.id)?.secondFactors == nil)
        #expect(try await person.fixture.auditActions(of: account).contains("secondFactor.removed"))
        let with = try await FactorFixture()
        _ = try await with.enroll()
        var project = with.project
        project.multiFactor.lostFactors = .drop
        let (same, kept) = try await with.accounts.signIn.passwords.signIn(
            email: with.email, password: with.password, in: project, from: with.client)
        guard case .pending = kept else { throw Unexpected.session }
        #expect(try await with.fixture.stored(same.id)?.secondFactors != nil)
    }

    @Test func `Firebase judges the code while people move, and the person is asked to set the app up again`() async throws {
        let person = try await person { $0.firebaseMigration = try? FirebaseFixture.migration(until: Instant(seconds: 4_000_000_000)) }
        let first = try await pending(person).pending
        let kept = try await person.rules.lost.keep("Firebase's", for: first, in: person.project)
        #expect(!kept.needsStandIn && kept.credential == first.credential)
        #expect(await error { _ = try await finish(person, kept, "123456") } == Self.wrong)
        let done = try await finish(person, kept, "424242")
        #expect(try done.1.session.secondFactor == SecondFactorProof(kind: "totp", id: "lost"))
        #expect(try await person.fixture.outbox.recent(in: person.project).first?.kind == .secondFactorLost)
        let ended = try await person.rules.lost.keep("another", for: try await pending(person).pending, in: person.project)
        #expect(
            await error { _ = try await finish(person, ended, "424242") } == AccountError.secondFactor(.pendingUnknown).logDetail)
        let late = try await person.rules.lost.keep("Firebase's", for: try await pending(person).pending, in: person.project)
        var project = person.project
        project.firebaseMigration?.until = person.now
        #expect(
            await error {
                _ = try await person.rules.signIns.signIn(
                    late.credential, code: "424242", of: "lost", language: "en", in: project, from: person.client)
            } == Self.unanswerable)
    }
}
