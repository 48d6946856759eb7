import JSON
import TestApp
import Testing
import Text

@testable import IdentityToolkit

/// `accounts:sendVerificationCode` and `accounts:signInWithPhoneNumber`.
@Suite struct PhoneCallTests {
    private static let project = """
        signIn: {password: true, anonymous: true}
        phone:
          enabled: true
          regions: [DE]
          transport: {vonage: {apiKey: k, secret: {env: MASTER_KEY}, from: Acme}}
          testNumbers: {"+16505550101": "123456", "+16505550102": "654321"}
        """

    private func send(_ number: String, _ app: TestApp) async throws -> String {
        try await app.post("sendVerificationCode", ["phoneNumber": .string(number)]).text("sessionInfo")
    }

    private func signIn(_ number: String, _ code: String, _ more: JSON.Object = [:], _ app: TestApp) async throws -> TestApp.Answer {
        let session = try await send(number, app)
        var body: JSON.Object = ["sessionInfo": .string(session), "code": .string(code)]
        for member in more { body[member.name] = member.value }
        return try await app.post("signInWithPhoneNumber", .object(body))
    }

    @Test func `signs in by a number and its code`() async throws {
        let app = try await TestApp(project: Self.project)
        let first = try await signIn("+16505550101", "123456", [:], app)
        #expect(first.status == 200 && first.text("phoneNumber") == "+16505550101")
        #expect(first.json["isNewUser"] == true && first.text("expiresIn") == "3600")
        #expect(!first.text("idToken").isEmpty && !first.text("refreshToken").isEmpty && !first.text("localId").isEmpty)
        #expect(first.json["temporaryProof"] == nil)
        let again = try await signIn("+16505550101", "123456", ["operation": "REAUTH"], app)
        #expect(again.text("localId") == first.text("localId") && again.json["isNewUser"] == false)
        let known = try await app.post("lookup", ["idToken": .string(again.text("idToken"))])
        let user = known.json["users"]?.array?.first
        #expect(user?["phoneNumber"]?.string == "+16505550101")
        #expect(user?["providerUserInfo"]?.array?.first?["providerId"]?.string == "phone")
    }

    @Test func `answers the proof where another account has the number`() async throws {
        let app = try await TestApp(project: Self.project)
        let holder = try await signIn("+16505550101", "123456", [:], app)
        let guest = try await app.post("signUp", ["returnSecureToken": true])
        let taken = try await signIn("+16505550101", "123456", ["idToken": .string(guest.text("idToken"))], app)
        #expect(taken.status == 200 && taken.json["idToken"] == nil && taken.json["localId"] == nil)
        #expect(taken.text("phoneNumber") == "+16505550101" && taken.text("temporaryProofExpiresIn") == "3600")
        let proof: JSON = ["temporaryProof": .string(taken.text("temporaryProof")), "phoneNumber": "+16505550101"]
        let opened = try await app.post("signInWithPhoneNumber", proof)
        #expect(opened.text("localId") == holder.text("localId"))
        #expect(try await app.post("signInWithPhoneNumber", proof).error == "INVALID_TEMPORARY_PROOF")
    }

    @Test func `links, updates and unlinks a number`() async throws {
        let app = try await TestApp(project: Self.project)
        let ada = try await app.signUp("ada@example.com")
        let linked = try await signIn("+16505550101", "123456", ["idToken": .string(ada.text("idToken")), "operation": "LINK"], app)
        #expect(linked.text("localId") == ada.text("localId") && linked.json["isNewUser"] == false)
        let updated = try await signIn("+16505550102", "654321", ["idToken": .string(linked.text("idToken")), "operation": 3], app)
        #expect(updated.text("phoneNumber") == "+16505550102")
        let token: JSON = .string(updated.text("idToken"))
        let unlinked = try await app.post("update", ["idToken": token, "deleteProvider": ["phone"]])
        #expect(unlinked.status == 200)
        #expect(try await signIn("+16505550102", "654321", [:], app).json["isNewUser"] == true)
    }

    @Test func `refuses what names no number, code or session`() async throws {
        let app = try await TestApp(project: Self.project)
        try await Refusal.check(
            "sendVerificationCode",
            [
                Refusal([:], "MISSING_PHONE_NUMBER"), Refusal(["phoneNumber": ""], "MISSING_PHONE_NUMBER"),
                Refusal(["phoneNumber": "030123456"], "INVALID_PHONE_NUMBER : Invalid format."),
                Refusal(["phoneNumber": "+49 30 123456"], "INVALID_PHONE_NUMBER : Invalid format."),
                Refusal(["phoneNumber": "+80012345678"], "INVALID_PHONE_NUMBER : Invalid format."),
                Refusal(["phoneNumber": "+33123456789"], "OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled"),
                Refusal(
                    ["phoneNumber": "+16505550101", "autoRetrievalInfo": ["appSignatureHash": "see example.com"]],
                    "INVALID_ARGUMENT : appSignatureHash"),
            ], app)
        let session: JSON = .string(try await send("+16505550101", app))
        try await Refusal.check(
            "signInWithPhoneNumber",
            [
                Refusal([:], "MISSING_SESSION_INFO"), Refusal(["sessionInfo": ""], "MISSING_SESSION_INFO"),
                Refusal(["sessionInfo": session], "MISSING_CODE"), Refusal(["temporaryProof": "x"], "MISSING_PHONE_NUMBER"),
                Refusal(["temporaryProof": "x", "phoneNumber": "+16505550101"], "INVALID_TEMPORARY_PROOF"),
                Refusal(["sessionInfo": "x", "code": "123456"], "INVALID_SESSION_INFO"),
                Refusal(["sessionInfo": session, "code": "123457"], "INVALID_CODE"),
                Refusal(["sessionInfo": session, "code": "123456", "operation": "REAUTH"], "USER_NOT_FOUND"),
                Refusal(["sessionInfo": session, "code": "123456", "idToken": "x"], "INVALID_ID_TOKEN"),
            ], app)
    }

    @Test func `refuses everything where phones are off`() async throws {
        let app = try await TestApp()
        try await Refusal.check("sendVerificationCode", [Refusal([:], "OPERATION_NOT_ALLOWED")], app)
        try await Refusal.check("signInWithPhoneNumber", [Refusal([:], "OPERATION_NOT_ALLOWED")], app)
    }
}
