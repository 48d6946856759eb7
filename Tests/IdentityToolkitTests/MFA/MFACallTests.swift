import Crypto
import JSON
import Runtime
import TestApp
import TestKit
import Testing
import Text

/// `mfaEnrollment:…`, `mfaSignIn:…` and `recoveryCodes:generate`.
@Suite(.takesTurns) struct MFACallTests {
    private let password: JSON = ["email": "ada@example.com", "password": "correct horse"]

    private func claims(_ token: String) throws -> JSON {
        let parts = token.split(separator: ".")
        return try JSON.parse(try #require(Base64URL.decodeStrict(String(parts[1]))))
    }

    @Test func `an authenticator app is enrolled, asked for, and withdrawn, as the SDKs do it`() async throws {
        let app = try await TestApp.withSecondFactors()
        let person = try await app.verified("ada@example.com", by: app.accessToken())
        let empty = try await app.post("lookup", ["idToken": .string(person.text("idToken"))])
        #expect(empty.json["users"]?[0]?["mfaInfo"] == [])
        let phone = try await app.enroll(person.text("idToken"))
        #expect(phone.enrolled.json["totpAuthInfo"] == [:] && phone.enrolled.text("refreshToken").isEmpty == false)
        let firebase = try claims(phone.enrolled.text("idToken"))["firebase"]
        #expect(firebase?["sign_in_second_factor"] == "totp" && firebase?["second_factor_identifier"] == .string(phone.id))
        #expect(firebase?["sign_in_provider"] == "password")

        let waiting = try await app.post("signInWithPassword", password)
        #expect(waiting.status == 200 && waiting.json["idToken"] == nil && waiting.json["refreshToken"] == nil)
        #expect(waiting.text("localId") == person.text("localId") && waiting.json["registered"] == true)
        let info = try #require(waiting.json["mfaInfo"]?[0])
        #expect(info["mfaEnrollmentId"] == .string(phone.id) && info["displayName"] == "My phone" && info["totpInfo"] == [:])
        #expect(info["enrolledAt"]?.string?.utf8.count == 24 && info["phoneInfo"] == nil)

        let credential = waiting.text("mfaPendingCredential")
        let done = try await app.mfa("mfaSignIn:finalize", phone.finish(credential, phone.nextCode()))
        #expect(done.status == 200, "\(done.error ?? "")")
        #expect(try claims(done.text("idToken"))["firebase"]?["sign_in_second_factor"] == "totp")
        let refreshed = try await app.post(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": .string(done.text("refreshToken"))])
        #expect(try claims(refreshed.text("id_token"))["firebase"]?["second_factor_identifier"] == .string(phone.id))

        let withdrawn = try await app.mfa(
            "mfaEnrollment:withdraw", ["idToken": .string(done.text("idToken")), "mfaEnrollmentId": .string(phone.id)])
        #expect(withdrawn.status == 200, "\(withdrawn.error ?? "")")
        #expect(try claims(withdrawn.text("idToken"))["firebase"]?["sign_in_second_factor"] == nil)
        let former = try await app.post(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": .string(refreshed.text("refresh_token"))])
        #expect(try claims(former.text("id_token"))["firebase"]?["sign_in_second_factor"] == nil)
        #expect(try await app.post("signInWithPassword", password).text("idToken").isEmpty == false)
    }

    @Test func `refuses an enrolment in the order of the contract`() async throws {
        let app = try await TestApp.withSecondFactors()
        let administrator = try await app.accessToken()
        let person = try await app.verified("ada@example.com", by: administrator)
        let unverified = try await app.signUp("eve@example.com")
        let anonymous = try await app.post("signUp", ["returnSecureToken": true])
        let token = JSON.string(person.text("idToken"))
        func info(_ session: String, _ code: String) -> JSON { ["sessionInfo": .string(session), "verificationCode": .string(code)] }
        let started = try await app.mfa("mfaEnrollment:start", ["idToken": token, "totpEnrollmentInfo": [:]])
        let session = started.json["totpSessionInfo"]?["sessionInfo"]?.string?.asString ?? ""
        let other = try await app.verified("bea@example.com", by: administrator)
        let none: JSON.Object = ["totpEnrollmentInfo": [:]]
        for (call, body, error) in [
            ("start", [:], "MISSING_ID_TOKEN"), ("start", ["idToken": token], "INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))"),
            ("start", none.merging(["idToken": "x"]), "INVALID_ID_TOKEN"),
            ("start", none.merging(["idToken": .string(unverified.text("idToken"))]), "UNVERIFIED_EMAIL : Need to verify"),
            ("start", none.merging(["idToken": .string(anonymous.text("idToken"))]), "UNSUPPORTED_FIRST_FACTOR : MFA is not"),
            ("start", none.merging(["idToken": token, "tenantId": "t"]), "UNSUPPORTED_TENANT_OPERATION"),
            ("finalize", ["idToken": token], "INVALID_ARGUMENT : ((Missing phoneVerificationInfo.))"),
            ("finalize", ["idToken": token, "totpVerificationInfo": [:]], "MISSING_SESSION_INFO"),
            ("finalize", ["idToken": token, "totpVerificationInfo": ["sessionInfo": "x"]], "MISSING_CODE"),
            ("finalize", ["idToken": token, "totpVerificationInfo": info("x", "123456")], "INVALID_SESSION_INFO"),
            ("finalize", ["idToken": token, "totpVerificationInfo": info(session, "12345")], "INVALID_CODE"),
            (
                "finalize", ["idToken": .string(other.text("idToken")), "totpVerificationInfo": info(session, "123456")],
                "INVALID_SESSION_INFO"
            ),
            ("withdraw", ["idToken": token], "MISSING_MFA_ENROLLMENT_ID"),
            ("withdraw", ["idToken": token, "mfaEnrollmentId": "x"], "MFA_ENROLLMENT_NOT_FOUND"),
        ] as [(String, JSON.Object, String)] {
            let answer = try await app.mfa("mfaEnrollment:\(call)", body)
            #expect(answer.status == 400 && answer.error?.hasPrefix(error) == true, "\(call) \(answer.error ?? "") instead of \(error)")
        }
    }

    @Test func `a project without second factors lets none be enrolled`() async throws {
        let app = try await TestApp.withSecondFactors("state: disabled")
        let person = try await app.signUp("ada@example.com")
        let answer = try await app.mfa(
            "mfaEnrollment:start", ["idToken": .string(person.text("idToken")), "totpEnrollmentInfo": [:]])
        #expect(answer.error == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
        let user = try await app.post("lookup", ["idToken": .string(person.text("idToken"))])
        #expect(user.status == 200 && user.json["users"]?[0]?["mfaInfo"] == nil)
    }

    @Test func `refuses a second step in the order of the contract`() async throws {
        let app = try await TestApp.withSecondFactors()
        let person = try await app.verified("ada@example.com", by: app.accessToken())
        let phone = try await app.enroll(person.text("idToken"))
        let credential = JSON.string(try await app.post("signInWithPassword", password).text("mfaPendingCredential"))
        let id = JSON.string(phone.id)
        for (call, body, error) in [
            ("start", [:], "MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential."),
            ("start", ["mfaPendingCredential": credential], "MISSING_MFA_ENROLLMENT_ID : No second factor identifier is provided."),
            ("start", ["mfaPendingCredential": "x", "mfaEnrollmentId": id], "INVALID_MFA_PENDING_CREDENTIAL"),
            ("start", ["mfaPendingCredential": credential, "mfaEnrollmentId": "x"], "MFA_ENROLLMENT_NOT_FOUND"),
            ("start", ["mfaPendingCredential": credential, "mfaEnrollmentId": id], "INVALID_ARGUMENT : MFA provider not supported!"),
            ("finalize", [:], "MISSING_CREDENTIAL : Please set MFA Pending Credential."),
            ("finalize", ["mfaPendingCredential": credential], "INVALID_ARGUMENT : MFA provider not supported!"),
            ("finalize", ["mfaPendingCredential": credential, "totpVerificationInfo": [:]], "MISSING_MFA_ENROLLMENT_ID"),
            ("finalize", ["mfaPendingCredential": credential, "mfaEnrollmentId": id, "totpVerificationInfo": [:]], "MISSING_CODE"),
            ("finalize", ["mfaPendingCredential": credential, "recoveryCodeVerificationInfo": [:]], "MISSING_CODE"),
            ("finalize", phone.finish("x", "123456"), "INVALID_MFA_PENDING_CREDENTIAL"),
            (
                "finalize",
                ["mfaPendingCredential": credential, "mfaEnrollmentId": "x", "totpVerificationInfo": ["verificationCode": "123456"]],
                "MFA_ENROLLMENT_NOT_FOUND"
            ),
            ("finalize", phone.finish(credential.string?.asString ?? "", .string(phone.totp.now(plus: 5))), "INVALID_CODE"),
        ] as [(String, JSON.Object, String)] {
            let answer = try await app.mfa("mfaSignIn:\(call)", body)
            #expect(answer.status == 400 && answer.error?.hasPrefix(error) == true, "\(call) \(answer.error ?? "") instead of \(error)")
        }
    }

    @Test func `SEC-35 an account with second factors is changed from a session that passed one`() async throws {
        let app = try await TestApp.withSecondFactors()
        let administrator = try await app.accessToken()
        let person = try await app.verified("ada@example.com", by: administrator)
        let phone = try await app.enroll(person.text("idToken"))
        // The session of before has not passed it.
        let token = JSON.string(person.text("idToken"))
        let backEnd = try await BackEnd(app)
        let now = Clock.system.now().seconds
        let customToken = try backEnd.key.sign([
            "iss": .string(backEnd.email), "sub": .string(backEnd.email), "iat": .integer(now), "exp": .integer(now + 3600),
            "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
            "uid": .string(person.text("localId")),
        ])
        let custom = try await app.post("signInWithCustomToken", ["token": .string(customToken), "returnSecureToken": true])
        #expect(custom.status == 200, "\(custom.error ?? "")")
        for token in [token, .string(custom.text("idToken"))] {
            for (call, body) in [
                ("/v1/accounts:update", ["idToken": token, "password": "another horse"]), ("/v1/accounts:delete", ["idToken": token]),
                ("/v2/accounts/mfaEnrollment:start", ["idToken": token, "totpEnrollmentInfo": [:]]),
                ("/v2/accounts/mfaEnrollment:withdraw", ["idToken": token, "mfaEnrollmentId": .string(phone.id)]),
                ("/v2/accounts/recoveryCodes:generate", ["idToken": token]),
                ("/v1/accounts:signUp", ["idToken": token, "email": "ada@example.com", "password": "another horse"]),
            ] as [(String, JSON)] {
                let error = try await app.post(call, body).error
                #expect(
                    error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN" || error?.hasPrefix("UNSUPPORTED_FIRST_FACTOR") == true,
                    "\(call): \(error ?? "")")
            }
        }
        let proven = JSON.string(phone.enrolled.text("idToken"))
        let codes = try await app.mfa("recoveryCodes:generate", ["idToken": proven])
        #expect(codes.json["recoveryCodes"]?.array?.count == 10)
        let changed = try await app.post("update", ["idToken": proven, "password": "another horse", "returnSecureToken": true])
        #expect(changed.status == 200)
        #expect(try claims(changed.text("idToken"))["firebase"]?["sign_in_second_factor"] == "totp")
    }

    @Test func `SEC-39 a remembered device signs in without a second factor, for its account, until the account's sessions end`()
        async throws
    {
        let app = try await TestApp.withSecondFactors()
        let administrator = try await app.accessToken()
        let person = try await app.verified("ada@example.com", by: administrator)
        let phone = try await app.enroll(person.text("idToken"))
        let waiting = try await app.post("signInWithPassword", password)
        let done = try await app.mfa(
            "mfaSignIn:finalize", phone.finish(waiting.text("mfaPendingCredential"), phone.nextCode()).merging(["rememberDevice": true]))
        let device = JSON.string(done.text("rememberedDeviceToken"))
        func signIn(_ device: JSON, as email: JSON = "ada@example.com") async throws -> TestApp.Answer {
            try await app.post("signInWithPassword", ["email": email, "password": "correct horse", "rememberedDeviceToken": device])
        }
        let known = try await signIn(device)
        let token = JSON.string(known.text("idToken"))
        #expect(try claims(known.text("idToken"))["firebase"]?["sign_in_second_factor"] == nil)
        #expect(try await app.mfa("recoveryCodes:generate", ["idToken": token]).error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        #expect(try await signIn("x").json["idToken"] == nil)
        let bea = try await app.verified("bea@example.com", by: administrator)
        _ = try await app.enroll(bea.text("idToken"))
        #expect(try await signIn(device, as: "bea@example.com").json["mfaPendingCredential"] != nil)
        _ = try await app.administer(
            "update", ["localId": .string(person.text("localId")), "validSince": 4_000_000_000], token: administrator)
        #expect(try await signIn(device).json["mfaPendingCredential"] != nil)
    }

    @Test func `the last second factor of a project that demands one stays`() async throws {
        let app = try await TestApp.withSecondFactors("state: mandatory")
        let person = try await app.verified("ada@example.com", by: app.accessToken())
        let phone = try await app.enroll(person.text("idToken"))
        let answer = try await app.mfa(
            "mfaEnrollment:withdraw", ["idToken": .string(phone.enrolled.text("idToken")), "mfaEnrollmentId": .string(phone.id)])
        #expect(answer.error == "OPERATION_NOT_ALLOWED : The project demands a second factor, and this is the account's last one.")
    }

    @Test func `administrators set, keep and clear second factors, and read what may be enrolled`() async throws {
        let app = try await TestApp.withSecondFactors()
        let administrator = try await app.accessToken()
        let person = try await app.verified("ada@example.com", by: administrator)
        let phone = try await app.enroll(person.text("idToken"))
        let id = JSON.string(person.text("localId"))
        func update(_ list: JSON) async throws -> TestApp.Answer {
            try await app.administer("update", ["localId": id, "mfa": ["enrollments": list]], token: administrator)
        }
        #expect(
            try await update([["mfaEnrollmentId": .string(phone.id)], ["phoneInfo": "+15555550100", "displayName": "Desk"]]).status == 200)
        let user = try #require(try await app.user(by: administrator, person.text("localId")))
        #expect(user["mfaInfo"]?.array?.count == 2 && user["mfaInfo"]?[1]?["phoneInfo"] == "+15555550100")
        let waiting = try await app.post("signInWithPassword", password)
        #expect(waiting.json["mfaInfo"]?[1]?["phoneInfo"] == "+*******0100")
        // The authenticator app kept its secret.
        let done = try await app.mfa("mfaSignIn:finalize", phone.finish(waiting.text("mfaPendingCredential"), phone.nextCode()))
        #expect(done.status == 200, "\(done.error ?? "")")
        #expect(try await app.administer("update", ["localId": id, "mfa": [:]], token: administrator).status == 200)
        #expect(try await app.post("signInWithPassword", password).text("idToken").isEmpty == false)
        let config = try await app.administer("/v2/projects/demo/config", token: administrator)
        #expect(
            config.json["mfa"] == [
                "state": "ENABLED", "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]],
            ])
    }
}
