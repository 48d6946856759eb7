@testable import Accounts
import Crypto
import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite(.takesTurns) struct SecondFactorSignInTests {
    private func error(_ work: () async throws -> Void) async -> String {
        do { try await work() } catch { return (error as? AccountError)?.logDetail ?? "\(error)" }
        return "none"
    }

    private let pendingUnknown = AccountError.secondFactor(.pendingUnknown).logDetail

    @Test func `a person with an authenticator app signs in by both proofs, and the session remembers the second`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        person.fixture.time.advance(.seconds(60))
        let (first, waiting) = try await person.signIn()
        guard case .pending(let pending) = waiting else { throw Unexpected.session }
        let before = first.lastLoginAt
        let (account, outcome) = try await person.finish(pending.credential, app)
        let session = try outcome.session
        #expect(session.secondFactor == SecondFactorProof(kind: "totp", id: app.id) && session.signInProvider == "password")
        #expect(before != person.now && account.lastLoginAt == person.now)
        let token = person.accounts.sessions.refreshToken(for: session, in: person.project)
        #expect(try await person.accounts.sessions.refresh(token, in: person.project).1.secondFactor == session.secondFactor)
    }

    @Test func `SEC-33 a code works once, the one that enrolled not even that, and an earlier one not after it`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        let wrong = AccountError.wrongCode.logDetail
        let credential = try await person.pending()
        #expect(await error { _ = try await person.finish(credential, app) } == wrong)
        person.fixture.time.advance(.seconds(30))
        let earlier = app.totp.code(at: app.totp.step(at: person.now) - 1)
        _ = try await person.finish(credential, app)
        let next = try await person.pending()
        #expect(await error { _ = try await person.finish(next, app) } == wrong)
        #expect(await error { _ = try await person.finish(next, app, code: earlier) } == wrong)
    }

    @Test func `SEC-33 of two processes that get one code, one signs in`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        let other = try person.fixture.otherProcess()
        for _ in 0..<10 {
            person.fixture.time.advance(.seconds(30))
            let (one, two) = (try await person.pending(), try await person.pending(by: other))
            async let first = error { _ = try await person.finish(one, app) }
            async let second = error { _ = try await person.finish(two, app, by: other) }
            #expect(await [first, second].filter { $0 == "none" }.count == 1)
            // So that the failures of this test reach no limit.
            _ = try await person.fixture.database.write("DELETE FROM rate_limits")
        }
    }

    @Test func `SEC-32 a pending sign-in makes one session, whatever number of answers come at once`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        person.fixture.time.advance(.seconds(30))
        let credential = try await person.pending()
        let done = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await error { _ = try await person.finish(credential, app) } == "none" } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(done == 1)
        #expect(await error { _ = try await person.finish(credential, app) } == pendingUnknown)
    }

    @Test func `SEC-32 it ends with its time, with five failures, and with what ends the account's sessions or changes its factors`()
        async throws
    {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        let other = ProjectSettings(id: "other", number: 2, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        func ended(_ end: (PendingCredential) async throws -> Void) async throws -> String {
            person.fixture.time.advance(.seconds(30))
            let credential = try await person.pending()
            try await end(credential)
            return await error { _ = try await person.finish(credential, app) }
        }
        #expect(try await ended { _ in person.fixture.time.advance(PendingSignIns.lifetime) } == pendingUnknown)
        #expect(
            try await ended { credential in
                for _ in 0..<5 { _ = await error { _ = try await person.finish(credential, app, code: person.wrong(app)) } }
            } == pendingUnknown)
        let id = try await person.signIn().0.id
        #expect(
            try await ended { _ in
                var change = AdministratorChange()
                change.secondFactors = [
                    StatedFactor(id: app.id, phoneNumber: nil, displayName: nil, enrolledAt: nil),
                    StatedFactor(id: nil, phoneNumber: "+15555550100", displayName: nil, enrolledAt: nil),
                ]
                _ = try await person.accounts.administration.accounts.update(id, change, by: person.fixture.operator)
            } == pendingUnknown)
        #expect(
            try await ended { _ in
                person.fixture.time.advance(.seconds(1))
                try await person.accounts.administration.accounts.revokeSessions(of: id, by: person.fixture.operator)
            } == pendingUnknown)
        #expect(
            try await ended { _ in
                person.fixture.time.advance(.seconds(5))
                var change = AdministratorChange()
                change.disabled = true
                _ = try await person.accounts.administration.accounts.update(id, change, by: person.fixture.operator)
            } == AccountError.accountDisabled.logDetail)
        var change = AdministratorChange()
        change.disabled = false
        _ = try await person.accounts.administration.accounts.update(id, change, by: person.fixture.operator)
        person.fixture.time.advance(.seconds(30))
        let credential = try await person.pending()
        #expect(
            await error {
                _ = try await person.rules.signIns.signIn(
                    credential, code: "000000", of: UTF8Text(app.id), language: "en", in: other, from: person.client)
            } == pendingUnknown)
        _ = try await person.finish(credential, app)
    }

    @Test func `SEC-34 the 21st failure of a day refuses a right code, and the owner is warned once`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        for _ in 0..<4 {
            let credential = try await person.pending()
            for _ in 0..<5 { _ = await error { _ = try await person.finish(credential, app, code: person.wrong(app)) } }
        }
        person.fixture.time.advance(.seconds(30))
        let credential = try await person.pending()
        #expect(await error { _ = try await person.finish(credential, app) }.contains("tooManyAttempts"))
        #expect(try await person.mails().filter { $0 == "secondFactorRefused" }.count == 1)
        person.fixture.time.advance(.seconds(2 * 86400))
        _ = try await person.finish(try await person.pending(), app)
    }

    @Test func `SEC-38 a recovery code stands in once, and new codes end the old ones`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        func make(_ token: String) async throws -> [RecoveryCode] {
            try await person.rules.recoveryCodes.make(forIDToken: token, language: "en", in: person.project, from: person.client)
        }
        let old = try await make(app.idToken)
        let codes = try await make(app.idToken)
        #expect(Set(codes.map(\.text)).count == 10)
        let credential = try await person.pending()
        #expect(await error { _ = try await person.finish(credential, recoveryCode: old[0]) } == AccountError.wrongCode.logDetail)
        let (account, outcome) = try await person.finish(credential, recoveryCode: codes[0])
        #expect(try outcome.session.secondFactor?.kind == "recovery_code")
        #expect(try await person.rules.recoveryCodes.left(of: account.id, in: person.project) == 9)
        let next = try await person.pending()
        #expect(await error { _ = try await person.finish(next, recoveryCode: codes[0]) } == AccountError.wrongCode.logDetail)
        // Apps have one field for both kinds of codes.
        _ = try await person.finish(next, app, code: codes[1].text)
        // It shows no device, so it changes nothing but the factor that is lost.
        let token = try person.idToken((account, outcome))
        #expect(await error { _ = try await make(token) } == AccountError.signInTooOld.logDetail)
        let mails = try await person.mails()
        #expect(mails.filter { $0 == "recoveryCodesMade" }.count == 2 && mails.filter { $0 == "recoveryCodeUsed" }.count == 2)
    }

    @Test func `two requests at once with one recovery code sign in once`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        let codes = try await person.rules.recoveryCodes.make(
            forIDToken: app.idToken, language: "en", in: person.project, from: person.client)
        let (one, two) = (try await person.pending(), try await person.pending())
        async let first = error { _ = try await person.finish(one, recoveryCode: codes[0]) }
        async let second = error { _ = try await person.finish(two, recoveryCode: codes[0]) }
        #expect(await [first, second].filter { $0 == "none" }.count == 1)
    }

    @Test func `SEC-37 the database has no secret, no code and no credential`() async throws {
        let person = try await FactorFixture()
        let app = try await person.enroll()
        let codes = try await person.rules.recoveryCodes.make(
            forIDToken: app.idToken, language: "en", in: person.project, from: person.client)
        let credential = try await person.pending()
        let dump = try await person.fixture.database.query(
            """
            SELECT concat((SELECT string_agg(a::text, '') FROM accounts a), (SELECT string_agg(p::text, '') FROM pending_sign_ins p),
                (SELECT string_agg(r::text, '') FROM recovery_codes r))
            """)[0].value(as: String.self)
        #expect(dump.contains("totpInfo"))
        let secrets = [Base32.encode(app.totp.secret), Hex.encode(app.totp.secret), codes[0].letters, codes[0].text, credential.text]
        for secret in secrets { #expect(!dump.contains(secret)) }
    }
}
