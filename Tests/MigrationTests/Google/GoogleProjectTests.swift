import Accounts
import Curl
import HTTP
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Migration

/// What Google's calls are asked, and what their answers mean.
@Suite struct GoogleProjectTests {
    private static let refresh = GoogleAddress.secureToken + "?" + Form([(name: "key", value: "server key")]).encoded()
    private static let config = GoogleAddress.identityToolkit + "/v2/projects/acme-prod/config"

    private static func error(_ message: String, status: Int) -> JSON {
        ["error": ["code": .integer(Int64(status)), "message": .string(message)]]
    }

    @Test func `redeems a refresh token at Google's address, by a form`() async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(Self.refresh, ["id_token": "a.b.c", "user_id": "ada", "project_id": "100200300400"])
        let answer = try await firebase.project.refresh("AMf-vB/+ &")
        #expect(answer.idToken == "a.b.c" && answer.userID == "ada" && answer.projectNumber == "100200300400")
        let request = try #require(firebase.upstream.requests.first)
        let form = try #require(Form(request.body ?? []))
        #expect(form["grant_type"] == "refresh_token" && form["refresh_token"] == "AMf-vB/+ &")
        #expect(request.timeout == .seconds(5))
    }

    @Test(arguments: [
        (400, "TOKEN_EXPIRED", "refused TOKEN_EXPIRED"), (400, "USER_DISABLED", "refused USER_DISABLED"),
        (400, "INVALID_REFRESH_TOKEN : who knows", "refused INVALID_REFRESH_TOKEN"),
        (400, "PROJECT_NUMBER_MISMATCH", "misconfigured"), (400, "API key not valid. Please pass a valid API key.", "misconfigured"),
        (403, "Requests from this IP address are blocked.", "forbidden"), (404, "Not Found", "misconfigured"),
        (401, "UNAUTHENTICATED", "misconfigured"), (429, "RESOURCE_EXHAUSTED", "unavailable"), (500, "INTERNAL", "unavailable"),
        (503, "UNAVAILABLE", "unavailable"), (408, "", "unavailable"),
    ])
    func `tells what concerns the person from Google's outages and from our own credentials`(
        status: Int, message: String, kind: String
    ) async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(Self.refresh, Self.error(message, status: status), status: status)
        #expect(await self.kind { _ = try await firebase.project.refresh("AMf-vB") } == kind)
    }

    @Test func `an answer that cannot be read, and none, are outages`() async throws {
        let firebase = try FirebaseFixture()
        for text in ["<html>", "[]", "{}", #"{"id_token":"a","user_id":7,"project_id":"1"}"#] {
            firebase.upstream.answer(Self.refresh, text: text)
            #expect(await kind { _ = try await firebase.project.refresh("AMf-vB") } == "unavailable", "\(text)")
        }
        firebase.upstream.fail(Self.refresh, .timedOut)
        #expect(await kind { _ = try await firebase.project.refresh("AMf-vB") } == "unavailable")
    }

    @Test func `SEC-52 owns the project whose configuration it may read, with the number of the file`() async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(GoogleAddress.accessTokens, ["access_token": "ya29.a", "expires_in": 3599])
        firebase.upstream.answer(Self.config, ["name": "projects/100200300400/config"])
        try await firebase.project.proveOwnership()
        firebase.upstream.answer(Self.config, ["name": "projects/999/config"])
        #expect(await kind { try await firebase.project.proveOwnership() } == "misconfigured")
        firebase.upstream.answer(Self.config, Self.error("The caller does not have permission", status: 403), status: 403)
        #expect(await kind { try await firebase.project.proveOwnership() } == "forbidden")
        // What the key file says about addresses counts for nothing.
        #expect(firebase.upstream.requests.allSatisfy { !$0.url.contains("wrong.example") })
    }

    @Test func `uses an access token until a minute before its end`() async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(GoogleAddress.accessTokens, ["access_token": "ya29.a", "expires_in": 3599])
        firebase.upstream.answer(Self.config, ["name": "projects/100200300400/config"])
        let project = firebase.project
        try await project.proveOwnership()
        firebase.time.advance(.seconds(3538))
        try await project.proveOwnership()
        #expect(firebase.upstream.count(GoogleAddress.accessTokens) == 1)
        firebase.time.advance(.seconds(1))
        try await project.proveOwnership()
        #expect(firebase.upstream.count(GoogleAddress.accessTokens) == 2)
        #expect(firebase.upstream.requests.last?.headers["authorization"] == "Bearer ya29.a")
    }

    @Test func `a right password has an ID token, or waits for a second factor`() async throws {
        let firebase = try FirebaseFixture()
        let url = Self.password
        firebase.upstream.answer(url, ["idToken": "a.b.c", "localId": "ada"])
        #expect(try await firebase.project.signIn(email: "ada@example.com", password: "secret") == .idToken("a.b.c"))
        let asked = try JSON.parse(try #require(firebase.upstream.requests.first?.body))
        #expect(asked == ["email": "ada@example.com", "password": "secret", "returnSecureToken": true])
        firebase.upstream.answer(url, ["mfaPendingCredential": "pending", "mfaInfo": [["mfaEnrollmentId": "f"]]])
        #expect(
            try await firebase.project.signIn(email: "ada@example.com", password: "secret")
                == .secondFactor(GoogleProject.FactorsThere(ids: ["f"], credential: "pending")))
        firebase.upstream.answer(url, Self.error("INVALID_LOGIN_CREDENTIALS", status: 400), status: 400)
        #expect(
            await kind { _ = try await firebase.project.signIn(email: "ada@example.com", password: "x") }
                == "refused INVALID_LOGIN_CREDENTIALS")
        firebase.upstream.answer(url, ["localId": "ada"])
        #expect(await kind { _ = try await firebase.project.signIn(email: "ada@example.com", password: "x") } == "unavailable")
    }

    @Test func `knows the claims that administrators have given a person there`() async throws {
        let firebase = try FirebaseFixture()
        let lookup = Self.lookup
        firebase.upstream.answer(GoogleAddress.accessTokens, ["access_token": "ya29.a", "expires_in": 3599])
        firebase.upstream.answer(lookup, ["users": [["localId": "ada", "customAttributes": #"{"admin":true,"level":3}"#]]])
        #expect(try await firebase.project.customClaims(of: "ada") == ["admin", "level"])
        firebase.upstream.answer(lookup, ["users": [["localId": "ada"]]])
        #expect(try await firebase.project.customClaims(of: "ada") == [])
        // Where Google does not say it, claims that it has taken back would live on in the session.
        firebase.upstream.answer(lookup, ["kind": "identitytoolkit#GetAccountInfoResponse"])
        #expect(await kind { _ = try await firebase.project.customClaims(of: "ada") } == "refused USER_NOT_FOUND")
        firebase.upstream.answer(lookup, ["users": [["localId": "ada", "customAttributes": "{"]]])
        #expect(await kind { _ = try await firebase.project.customClaims(of: "ada") } == "unavailable")
    }

    @Test(arguments: [
        (
            "BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: {\"message\":\"Not from here.\"}",
            "HTTP Cloud Function returned an error: {\"message\":\"Not from here.\"}"
        ),
        ("BLOCKING_FUNCTION_ERROR_RESPONSE", ""), ("BLOCKING_FUNCTION_ERROR_RESPONSE : a\u{7}b\u{202E}c\u{2028}d é", "abcd é"),
        ("BLOCKING_FUNCTION_ERROR_RESPONSE : " + String(repeating: "é", count: 2000), String(repeating: "é", count: 500)),
    ])
    func `gives the text of a function that refuses, as far as an app may see it`(message: String, text: String) async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(Self.password, Self.error(message, status: 400), status: 400)
        await #expect(throws: GoogleFailure.blocked(text)) { try await firebase.project.signIn(email: "ada@example.com", password: "x") }
    }

    @Test(
        arguments: [
            ("INVALID_LOGIN_CREDENTIALS", nil), ("EMAIL_NOT_FOUND", nil), ("PASSWORD_LOGIN_DISABLED", "refused PASSWORD_LOGIN_DISABLED"),
            ("MISSING_RECAPTCHA_TOKEN", "refused MISSING_RECAPTCHA_TOKEN"),
        ] as [(String, String?)])
    func `an impossible login shows whether Google judges passwords`(code: String, kind: String?) async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(Self.password, Self.error(code, status: 400), status: 400)
        #expect(await self.kind { try await firebase.project.tryPassword() } == kind ?? "answered")
    }

    @Test func `asks for a person by id, by address, and by what a provider says`() async throws {
        let firebase = try FirebaseFixture()
        firebase.upstream.answer(GoogleAddress.accessTokens, ["access_token": "ya29.a", "expires_in": 3599])
        firebase.upstream.answer(Self.lookup, ["users": [["localId": "ada"]]])
        let identity = ["providerId": "google.com", "rawId": "7"] as JSON
        for (person, body) in [
            (.id("ada"), ["localId": ["ada"]]), (.address("ada@example.com"), ["email": ["ada@example.com"]]),
            (
                .identity(providerID: "google.com", subjects: ["7"], email: "ada@example.com"),
                ["email": ["ada@example.com"], "federatedUserId": [identity]]
            ), (.identity(providerID: "google.com", subjects: ["7"], email: nil), ["federatedUserId": [identity]]),
        ] as [(FormerPerson, JSON)] {
            #expect(try await firebase.project.records(of: person) == [["localId": "ada"]])
            #expect(try JSON.parse(try #require(firebase.upstream.requests.last?.body)) == body)
        }
        firebase.upstream.answer(Self.lookup, ["users": ["localId": "ada"]])
        #expect(await kind { _ = try await firebase.project.records(of: .id("ada")) } == "unavailable")
    }

    private static let lookup = GoogleAddress.identityToolkit + "/v1/projects/acme-prod/accounts:lookup"
    private static let password =
        "\(GoogleAddress.identityToolkit)/v1/accounts:signInWithPassword?" + Form([(name: "key", value: "server key")]).encoded()

    @Test func `two keys of one id have an access token each`() async throws {
        let (firebase, access) = (try FirebaseFixture(), GoogleAccess())
        let accounts = [try FirebaseFixture.account(try FakeKey.otherRSA()), try FirebaseFixture.account(firebase.key)]
        for (account, token) in zip(accounts, ["one", "other"]) {
            firebase.upstream.answer(GoogleAddress.accessTokens, ["access_token": .string(UTF8Text(token)), "expires_in": 3599])
            #expect(try await access.token(of: account, firebase.upstream, at: firebase.time.clock.now()).reveal() == token)
        }
    }

    private func kind(_ call: () async throws -> Void) async -> String {
        do {
            try await call()
            return "answered"
        } catch GoogleFailure.refused(let code) {
            return "refused \(code)"
        } catch GoogleFailure.unavailable {
            return "unavailable"
        } catch GoogleFailure.forbidden {
            return "forbidden"
        } catch GoogleFailure.misconfigured(let reason) {
            return reason.contains("server key") ? "tells the key" : "misconfigured"
        } catch {
            return "\(error)"
        }
    }
}
