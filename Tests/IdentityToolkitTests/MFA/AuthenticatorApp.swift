import Crypto
import JSON
import Runtime
import TestApp
import Testing
import Text

extension TestApp {
    /// Everything that a client may do is switched on, and second factors.
    static func withSecondFactors(_ more: String = "state: enabled, rememberDevice: 30d") async throws -> TestApp {
        try await TestApp(project: "signIn: {password: true, emailLink: true, anonymous: true}\nmfa: {\(more)}\n")
    }

    /// A person with a verified address.
    func verified(_ email: String, by administrator: String) async throws -> Answer {
        let person = try await signUp(email)
        let changed = try await administer(
            "update", ["localId": .string(person.text("localId")), "emailVerified": true], token: administrator)
        #expect(changed.status == 200)
        return person
    }

    func mfa(_ call: String, _ body: JSON.Object) async throws -> Answer { try await post("/v2/accounts/\(call)", .object(body)) }

    /// Enrols an authenticator app for the caller.
    func enroll(_ idToken: String) async throws -> AuthenticatorApp {
        let started = try await mfa("mfaEnrollment:start", ["idToken": .string(idToken), "totpEnrollmentInfo": [:]])
        let info = try #require(started.json["totpSessionInfo"], "\(started.error ?? "")")
        let secret = try #require(Base32.decode(info["sharedSecretKey"]?.string?.asString ?? ""))
        let totp = try #require(TOTP(secret: secret))
        let done = try await mfa(
            "mfaEnrollment:finalize",
            [
                "idToken": .string(idToken), "displayName": "My phone",
                "totpVerificationInfo": ["sessionInfo": info["sessionInfo"] ?? .null, "verificationCode": .string(totp.now())],
            ])
        #expect(done.status == 200, "\(done.error ?? "")")
        let user = try await post("lookup", ["idToken": .string(done.text("idToken"))])
        let id = try #require(user.json["users"]?[0]?["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string?.asString)
        return AuthenticatorApp(id: id, totp: totp, enrolled: done)
    }
}

/// An authenticator app that is enrolled.
struct AuthenticatorApp {
    let id: String
    let totp: TOTP
    /// The answer that enrolled it.
    let enrolled: TestApp.Answer

    /// A code that was not used yet: the next one counts already.
    func nextCode() -> JSON { .string(totp.now(plus: 1)) }

    func finish(_ credential: String, _ code: JSON) -> JSON.Object {
        [
            "mfaPendingCredential": .string(credential), "mfaEnrollmentId": .string(id), "totpVerificationInfo": ["verificationCode": code],
        ]
    }
}

extension TOTP {
    func now(plus steps: Int64 = 0) -> String { code(at: step(at: Clock.system.now()) + steps) }
}
