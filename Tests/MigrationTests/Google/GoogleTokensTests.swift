import Accounts
import Curl
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import Migration

/// Which of Google's tokens are believed, and by which keys.
@Suite struct GoogleTokensTests {
    /// What comes of a token: its uid, or the name of the refusal.
    private func outcome(_ token: UnverifiedJWT, _ tokens: GoogleTokens, _ firebase: FirebaseFixture) async -> String {
        do { return try await tokens.idToken(token, of: firebase.migration).accountID } catch {
            if case .formerIssuerUnavailable = error { return "unavailable" }
            return "\(error)"
        }
    }

    @Test func `takes a token that a key of Google's has signed, and fetches the keys once`() async throws {
        let firebase = try FirebaseFixture()
        let tokens = firebase.tokens
        for _ in 0..<3 { #expect(await outcome(try firebase.token(), tokens, firebase) == "ada") }
        #expect(firebase.upstream.requests.map(\.url) == [GoogleAddress.idTokenKeys])
    }

    @Test func `SEC-52 refuses every other signature, and asks for newer keys once a minute`() async throws {
        let firebase = try FirebaseFixture()
        let tokens = firebase.tokens
        #expect(await outcome(try firebase.token(by: .otherRSA("google-1")), tokens, firebase) == "invalidIDToken")
        #expect(await outcome(try firebase.token(by: .ec("google-1")), tokens, firebase) == "invalidIDToken")
        for _ in 0..<3 { #expect(await outcome(try firebase.token(by: .otherRSA("google-2")), tokens, firebase) == "invalidIDToken") }
        #expect(firebase.upstream.count(GoogleAddress.idTokenKeys) == 2)
        firebase.publish([firebase.key, try .otherRSA("google-2")])
        firebase.time.advance(.seconds(61))
        #expect(await outcome(try firebase.token(by: .otherRSA("google-2")), tokens, firebase) == "ada")
    }

    @Test func `SEC-52 a token of another project causes no request`() async throws {
        let firebase = try FirebaseFixture()
        #expect(await outcome(try firebase.token(["aud": "acme-test"]), firebase.tokens, firebase) == "invalidIDToken")
        #expect(firebase.upstream.requests.isEmpty)
    }

    @Test func `goes on with the keys of before while Google does not answer, and says that it does not`() async throws {
        let firebase = try FirebaseFixture()
        let tokens = firebase.tokens
        firebase.upstream.fail(GoogleAddress.idTokenKeys, .timedOut)
        #expect(await outcome(try firebase.token(), tokens, firebase) == "unavailable")
        firebase.publish([firebase.key])
        #expect(await outcome(try firebase.token(), tokens, firebase) == "ada")
        firebase.upstream.answer(GoogleAddress.idTokenKeys, text: "busy", status: 503)
        firebase.time.advance(.seconds(7200))
        #expect(await outcome(try firebase.token(), tokens, firebase) == "ada")
    }
}
