import Postgres
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text
import WebAuthn

@testable import Accounts

/// Who may change what opens an account that has second factors, and the way back from such a change.
@Suite(.takesTurns) struct SecondFactorChangeTests {
    @Test func `SEC-36 the way back from a new second factor stays when a former address takes the account back`() async throws {
        let person = try await FactorFixture()
        let (fixture, app) = (person.fixture, try await person.enroll())
        let mail = try #require(try await fixture.outbox.recent(in: person.project).first { $0.kind == .secondFactorAdded })
        try await fixture.apply(try await fixture.changeCode(app.idToken, to: "thief@example.com"))
        try await fixture.apply(try await fixture.code(.recoverEmail, to: person.email))
        let account = try await fixture.apply(try fixture.code(in: mail))
        #expect(account.email == person.email)
        #expect(try await fixture.stored(account.id)?.secondFactors == nil)
    }

    @Test func `SEC-35 a remembered device is no second factor at the page that adds one`() async throws {
        let person = try await FactorFixture()
        _ = try await person.enroll()
        let account = try await person.signIn().0
        func session(_ proof: SecondFactorProof) -> BrowserSession {
            let session = Session(
                projectID: person.project.storageID, id: [], accountID: account.id, signInProvider: "password", authTime: person.now,
                developerClaims: nil, secondFactor: proof, generation: 0)
            return BrowserSession(session: session, account: account)
        }
        let enrollments = person.rules.enrollments
        await expectRefusal("signInTooOld") { try await enrollments.startTOTP(in: session(.rememberedDevice), of: person.project) }
        _ = try await enrollments.startTOTP(in: session(SecondFactorProof(kind: "totp", id: nil)), of: person.project)
    }

    @Test func `SEC-35 a passkey is not added once the account has a second factor that the caller did not pass`() async throws {
        let fixture = try await Fixture.forPasskeys()
        let (account, _, idToken) = try await fixture.signUp("ada@example.com")
        let authenticator = try fixture.authenticator(answering: try await fixture.startEnrolment(idToken))
        let response = try authenticator.registration()
        let waiting = try await fixture.database.transaction { transaction in
            _ = try await transaction.query(
                "UPDATE accounts SET second_factors = \(#"[{"mfaEnrollmentId": "1", "totpInfo": {}}]"#), email_verified = true")
            let waiting = Task { try await fixture.finishEnrolment(idToken, response) }
            try await eventually { try await fixture.database.countWaitsForLocks() == 1 }
            return waiting
        }
        await expectRefusal("signInTooOld") { try await waiting.value }
        #expect(try await fixture.stored(account.id)?.passkeys.isEmpty == true)
    }
}
