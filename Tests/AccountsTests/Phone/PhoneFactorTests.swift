import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import TextMessages

@testable import Accounts

/// Phone numbers as second factors.
@Suite struct PhoneFactorTests {
    private static let number = "+4930123456"

    private func error(_ work: () async throws -> Void) async -> String {
        do { try await work() } catch { return (error as? AccountError)?.logDetail ?? "\(error)" }
        return "none"
    }

    private func person() async throws -> FactorFixture {
        var person = try await FactorFixture()
        person.fixture.project.multiFactor.sms = true
        person.fixture.project.phone.regions = ["DE"]
        person.fixture.project.phone.transport = TextTransports.development
        return person
    }

    /// Sends the code of a request: the text that names it, and the digits.
    private func send(_ request: PhoneFactors.Request, _ person: FactorFixture) async throws -> (session: UTF8Text, digits: UTF8Text) {
        let session = try await person.rules.phones.send(
            request, language: "en", appSignatureHash: nil, in: person.project, from: person.client)
        let recent = try await person.accounts.phoneCodes.recent(in: person.project)
        return (UTF8Text(session), UTF8Text(recent.first { $0.session == session }?.code ?? ""))
    }

    private func enrol(_ person: FactorFixture, _ number: String = Self.number, with idToken: String? = nil) async throws -> (
        id: String, idToken: String
    ) {
        let token = if let idToken { idToken } else { try person.idToken(await person.signIn()) }
        let request = try await person.rules.phones.enrollment(
            of: UTF8Text(number), forIDToken: token, in: person.project, from: person.client)
        let (session, digits) = try await send(request, person)
        let done = try await person.rules.phones.enrol(
            forIDToken: token, session: session, code: digits, name: "Phone", language: "en", in: person.project, from: person.client)
        return (try #require(try done.1.session.secondFactor?.id), try person.idToken(done))
    }

    private func start(_ credential: PendingCredential, _ id: String, _ person: FactorFixture) async throws -> (
        session: UTF8Text, digits: UTF8Text
    ) {
        try await send(try await person.rules.phones.signIn(credential, by: UTF8Text(id), in: person.project), person)
    }

    private func finish(
        _ credential: PendingCredential, _ code: (session: UTF8Text, digits: UTF8Text), _ person: FactorFixture
    ) async throws -> (Account, SignInOutcome) {
        try await person.rules.phones.signIn(
            credential, session: code.session, code: code.digits, language: "en", in: person.project, from: person.client)
    }

    @Test func `a person enrols a number, and signs in by password and a code on the phone`() async throws {
        let person = try await person()
        let (id, _) = try await enrol(person)
        #expect(id.utf8.count == 28)
        let credential = try await person.pending()
        let (account, outcome) = try await finish(credential, try await start(credential, id, person), person)
        let session = try outcome.session
        #expect(session.secondFactor == SecondFactorProof(kind: "phone", id: id) && session.signInProvider == "password")
        #expect(account.factors.hasPhone(Self.number))
        #expect(try await person.mails().contains("secondFactorAdded"))
        // The pending sign-in and the code are used up.
        #expect(await error { _ = try await start(credential, id, person) } == AccountError.secondFactor(.pendingUnknown).logDetail)
        let rows = try await person.fixture.database.query("SELECT count(*) FROM sms_codes")
        #expect(try rows.first?.value(as: Int64.self) == 0)
    }

    @Test func `a number is enrolled once, and only where the project offers it`() async throws {
        var person = try await person()
        let (_, token) = try await enrol(person)
        let exists = AccountError.secondFactor(.exists).logDetail
        #expect(await error { _ = try await enrol(person, with: token) } == exists)
        _ = try await enrol(person, "+4930123457", with: token)
        #expect(await error { _ = try await enrol(person, "+33123456789", with: token) } == AccountError.regionNotEnabled.logDetail)
        #expect(await error { _ = try await enrol(person, "030", with: token) } == AccountError.invalidPhoneNumber.logDetail)
        person.fixture.project.multiFactor.sms = false
        #expect(
            await error { _ = try await enrol(person, "+4930123458", with: token) }
                == AccountError.secondFactor(.notEnabled(.sms)).logDetail)
    }

    @Test func `SEC-25 a code of one pending sign-in or factor ends no other`() async throws {
        let person = try await person()
        let (id, token) = try await enrol(person)
        let (other, _) = try await enrol(person, "+4930123457", with: token)
        let (first, second) = (try await person.pending(), try await person.pending())
        let code = try await start(first, id, person)
        #expect(await error { _ = try await finish(second, code, person) } == AccountError.codeSessionUnknown.logDetail)
        let session = try await finish(first, code, person).1.session
        #expect(session.secondFactor?.id == id)
        // A code of a factor that was withdrawn in between.
        let third = try await person.pending()
        let late = try await start(third, other, person)
        let account = try #require(try await person.accounts.directory.account(session.accountID, in: person.project))
        _ = try await person.rules.enrollments.withdraw(
            UTF8Text(other), forIDToken: try person.idToken((account, .session(session))), language: "en", in: person.project,
            from: person.client)
        #expect(await error { _ = try await finish(third, late, person) } == AccountError.secondFactor(.pendingUnknown).logDetail)
    }

    @Test func `wrong digits count against the pending sign-in`() async throws {
        let person = try await person()
        let (id, _) = try await enrol(person)
        let credential = try await person.pending()
        let code = try await start(credential, id, person)
        let wrong = (session: code.session, digits: UTF8Text(code.digits == "000000" ? "000001" : "000000"))
        for _ in 1...5 { #expect(await error { _ = try await finish(credential, wrong, person) } == AccountError.wrongCode.logDetail) }
        #expect(await error { _ = try await finish(credential, code, person) } == AccountError.secondFactor(.pendingUnknown).logDetail)
    }

    @Test func `an authenticator app gets no code, and a factor that the account does not have neither`() async throws {
        let person = try await person()
        let app = try await person.enroll()
        person.fixture.time.advance(.seconds(60))
        let credential = try await person.pending()
        #expect(await error { _ = try await start(credential, app.id, person) } == AccountError.secondFactor(.unsupported).logDetail)
        #expect(await error { _ = try await start(credential, "none", person) } == AccountError.secondFactor(.notFound).logDetail)
    }
}
