import Curl
import HTTP
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Accounts
@testable import Migration

@Suite struct GoogleSecondFactorsTests {
    private static let url =
        "\(GoogleAddress.identityToolkit)/v2/accounts/mfaSignIn:finalize?" + Form([(name: "key", value: "server key")]).encoded()
    private static let proof = FormerProof(credential: "pending", factorID: "f", code: "123456", accountID: "ada")

    private func judge(_ firebase: FirebaseFixture) async -> String {
        let project = ProjectSettings(id: "demo", number: 1, apiKeys: [], authorizedDomains: [], redirectURLs: [])
        let factors = GoogleSecondFactors(
            tokens: firebase.tokens, upstream: firebase.upstream,
            shared: FirebaseBridge.Shared(metrics: Metrics(), clock: firebase.time.clock),
            clock: firebase.time.clock)
        do throws(AccountError) {
            return try await factors.proves(Self.proof, at: firebase.migration, in: project) ? "right" : "wrong"
        } catch {
            if case .formerIssuerUnavailable = error { return "unavailable" }
            return error.logDetail
        }
    }

    @Test func `asks with the factor and the sign-in of Google, and believes a token of the same person`() async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(Self.url, ["idToken": .string(try firebase.key.sign(FirebaseFixture.claims()))])
        #expect(await judge(firebase) == "right")
        let asked = try JSON.parse(try #require(firebase.upstream.requests.first?.body))
        #expect(
            asked == ["mfaPendingCredential": "pending", "mfaEnrollmentId": "f", "totpVerificationInfo": ["verificationCode": "123456"]])
        let bob: JSON.Object = ["sub": "bob", "user_id": "bob"]
        firebase.upstream.answer(Self.url, ["idToken": .string(try firebase.key.sign(FirebaseFixture.claims(bob)))])
        #expect(await judge(firebase) == "wrong")
        firebase.upstream.answer(Self.url, ["idToken": .string(try FakeKey.otherRSA().sign(FirebaseFixture.claims()))])
        #expect(await judge(firebase) != "right")
    }

    @Test(arguments: [
        ("INVALID_CODE", 400, "wrong"), ("INVALID_MFA_PENDING_CREDENTIAL", 400, AccountError.secondFactor(.pendingUnknown).logDetail),
        ("MFA_ENROLLMENT_NOT_FOUND", 400, AccountError.secondFactor(.pendingUnknown).logDetail),
        ("USER_DISABLED", 400, AccountError.secondFactor(.pendingUnknown).logDetail),
        ("TOO_MANY_ATTEMPTS_TRY_LATER", 400, "unavailable"), ("OPERATION_NOT_ALLOWED", 400, "unavailable"),
        ("INTERNAL", 503, "unavailable"),
    ])
    func `no refusal but that of the code counts as wrong`(code: String, status: Int, outcome: String) async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(
            Self.url, ["error": ["code": .integer(Int64(status)), "message": .string(UTF8Text(code))]], status: status)
        #expect(await judge(firebase) == outcome)
    }
}
