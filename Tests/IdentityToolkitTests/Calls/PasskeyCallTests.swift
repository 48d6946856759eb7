import Crypto
import JSON
import TestApp
import TestKit
import Testing
import Text
import WebAuthn

/// `passkeyEnrollment`, `passkeySignIn`, and what `lookup` and `update` have of passkeys.
@Suite struct PasskeyCallTests {
    private static let project = "signIn: {password: true, anonymous: true}\npasskeys: {rpId: example.com}\n"
    private static let enrollment = "/v2/accounts/passkeyEnrollment"
    private static let signIn = "/v2/accounts/passkeySignIn"

    private func bytes(_ json: JSON?) throws -> [UInt8] { try #require(json?.string.flatMap { Base64URL.decodeStrict($0.utf8) }) }

    /// An authenticator that answers the options of a start.
    private func authenticator(answering options: JSON?) throws -> SoftAuthenticator {
        var authenticator = try SoftAuthenticator()
        authenticator.credentialID = Random.bytes(20)
        authenticator.userHandle = try bytes(options?["user"]?["id"])
        answer(try #require(options?["challenge"]), "webauthn.create", by: &authenticator)
        return authenticator
    }

    private func answer(_ challenge: JSON, _ type: String, by authenticator: inout SoftAuthenticator) {
        authenticator.clientData = ["type": .string(type), "challenge": challenge, "origin": "https://app.example.com"]
        authenticator.flags = type == "webauthn.create" ? 0x5D : 0x1D
    }

    /// An account with a passkey: its ID token from before, its authenticator, and the answer of the registration.
    private func enrolled(
        _ app: TestApp, name: JSON = "laptop"
    ) async throws -> (token: JSON, authenticator: SoftAuthenticator, answer: TestApp.Answer) {
        let token = JSON.string(try await app.signUp("ada@example.com").text("idToken"))
        let started = try await app.post("\(Self.enrollment):start", ["idToken": token])
        let authenticator = try authenticator(answering: started.json["credentialCreationOptions"])
        let answer = try await app.post(
            "\(Self.enrollment):finalize",
            ["idToken": token, "authenticatorRegistrationResponse": try authenticator.registration(), "name": name, "displayName": "Mine"])
        return (token, authenticator, answer)
    }

    private func assertion(_ app: TestApp, _ authenticator: SoftAuthenticator) async throws -> JSON {
        var authenticator = authenticator
        let started = try await app.post("\(Self.signIn):start", [:])
        answer(try #require(started.json["credentialRequestOptions"]?["challenge"]), "webauthn.get", by: &authenticator)
        return try authenticator.assertion()
    }

    @Test func `offers complete options`() async throws {
        let app = try await TestApp(project: Self.project)
        let token = JSON.string(try await app.signUp("ada@example.com").text("idToken"))
        let creation = try #require(try await app.post("\(Self.enrollment):start", ["idToken": token]).json["credentialCreationOptions"])
        #expect(creation["rp"] == ["id": "example.com", "name": "demo"])
        #expect(creation["user"]?["name"] == "ada@example.com" && creation["user"]?["displayName"] == "ada@example.com")
        #expect(creation["pubKeyCredParams"]?.array?.compactMap { $0["alg"]?.integer } == [-8, -7, -257])
        #expect(
            creation["authenticatorSelection"] == ["residentKey": "required", "requireResidentKey": true, "userVerification": "required"])
        #expect(creation["attestation"] == "none" && creation["timeout"] == 300_000 && creation["excludeCredentials"] == [])
        let request = try #require(try await app.post("\(Self.signIn):start", [:]).json["credentialRequestOptions"])
        #expect(request["rpId"] == "example.com" && request["userVerification"] == "required" && request["allowCredentials"] == nil)
        // Every dialect of base64 spells them alike.
        for text in [creation["challenge"], creation["user"]?["id"], request["challenge"]] {
            let text = try #require(text?.string?.asString)
            #expect(text.utf8.count % 4 == 0 && !text.contains { "-_+/=".contains($0) })
        }
    }

    @Test func `adds a passkey, shows it, signs in with it, and removes it`() async throws {
        let app = try await TestApp(project: Self.project)
        let (token, authenticator, answer) = try await enrolled(app)
        #expect(answer.status == 200)
        #expect(Set(answer.json.object?.map(\.name) ?? []) == ["localId", "idToken", "refreshToken", "expiresIn"])
        let id = JSON.string(Base64URL.encode(authenticator.credentialID))
        let shown = try await app.post("lookup", ["idToken": .string(answer.text("idToken"))]).json["users"]?[0]?["passkeyInfo"]
        #expect(shown == [["credentialId": id, "name": "laptop", "displayName": "Mine"]])

        let signedIn = try await app.post(
            "\(Self.signIn):finalize", ["authenticatorAuthenticationResponse": try await assertion(app, authenticator)])
        #expect(signedIn.status == 200 && signedIn.text("localId") == answer.text("localId"))
        let claims = try JSON.parse(try #require(Base64URL.decodeStrict(String(signedIn.text("idToken").split(separator: ".")[1]))))
        #expect(claims["firebase"]?["sign_in_provider"] == "passkey" && claims["firebase"]?["sign_in_second_factor"] == "passkey")
        #expect(claims["firebase"]?["second_factor_identifier"]?.string?.utf8.count == 28)

        let removed = try await app.post("update", ["idToken": token, "deletePasskey": [id, "unknown"]])
        #expect(removed.status == 200 && !removed.text("idToken").isEmpty && !removed.text("refreshToken").isEmpty)
        #expect(try await app.post("lookup", ["idToken": token]).json["users"]?[0]?["passkeyInfo"] == nil)
    }

    @Test func `SEC-43 names what is wrong by the codes of the SDKs`() async throws {
        let app = try await TestApp(project: Self.project)
        let (token, authenticator, answer) = try await enrolled(app)
        #expect(answer.status == 200)
        let good = try await assertion(app, authenticator)
        var stranger = authenticator
        stranger.credentialID = Random.bytes(20)
        let unknown = try await assertion(app, stranger)
        stranger = authenticator
        stranger.userHandle = [1]
        let swapped = try await assertion(app, stranger)
        try await Refusal.check(
            "\(Self.signIn):finalize",
            [
                Refusal([:], "MISSING_AUTHENTICATOR_RESPONSE"),
                Refusal(["authenticatorAuthenticationResponse": [:]], "INVALID_AUTHENTICATOR_RESPONSE : shape"),
                Refusal(["authenticatorAuthenticationResponse": unknown], "PASSKEY_ENROLLMENT_NOT_FOUND"),
                Refusal(["authenticatorAuthenticationResponse": swapped], "INVALID_AUTHENTICATOR_RESPONSE : userHandle"),
            ], app)
        #expect(try await app.post("\(Self.signIn):finalize", ["authenticatorAuthenticationResponse": good]).status == 200)
        try await Refusal.check(
            "\(Self.signIn):finalize", [Refusal(["authenticatorAuthenticationResponse": good], "PASSKEY_CHALLENGE_TIMEOUT")], app)
        try await Refusal.check(
            "\(Self.enrollment):start",
            [
                Refusal([:], "MISSING_ID_TOKEN"), Refusal(["idToken": "x"], "INVALID_ID_TOKEN"),
                Refusal(["idToken": token, "conditional": true], "PASSKEY_NOT_ENABLED"),
            ], app)
        try await Refusal.check(
            "\(Self.enrollment):finalize",
            [
                Refusal([:], "MISSING_ID_TOKEN"), Refusal(["idToken": "x"], "INVALID_ID_TOKEN"),
                Refusal(["idToken": token], "MISSING_AUTHENTICATOR_RESPONSE"),
                Refusal(["idToken": token, "name": .string(String(repeating: "x", count: 5000))], "name is longer than"),
            ], app)
    }

    @Test func `is off without the section`() async throws {
        let app = try await TestApp(project: "signIn: {password: true}\n")
        let token = JSON.string(try await app.signUp("ada@example.com").text("idToken"))
        for call in ["\(Self.enrollment):start", "\(Self.enrollment):finalize", "\(Self.signIn):start", "\(Self.signIn):finalize"] {
            try await Refusal.check(call, [Refusal(["idToken": token], "PASSKEY_NOT_ENABLED")], app)
        }
    }

    @Test func `takes two round trips to sign in, and none of them at the start but its limit's`() async throws {
        let app = try await TestApp(project: Self.project)
        let (_, authenticator, _) = try await enrolled(app)
        let response = try await assertion(app, authenticator)
        let signIn = try await app.roundTrips {
            _ = try await app.post("\(Self.signIn):finalize", ["authenticatorAuthenticationResponse": response])
        }
        #expect(signIn == 2)
        let start = try await app.roundTrips { _ = try await app.post("\(Self.signIn):start", [:]) }
        #expect(start == 1)
    }
}
