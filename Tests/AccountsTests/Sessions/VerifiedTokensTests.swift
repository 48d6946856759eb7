@testable import Accounts
import Crypto
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@Suite struct VerifiedTokensTests {
    private let token = IDToken(
        accountID: "ada", sessionID: nil, issued: Instant(seconds: 1), expires: Instant(seconds: 2), authTime: Instant(seconds: 1),
        signInProvider: "test")

    /// As when it is verified twice.
    private func note(_ text: UTF8Text, _ tokens: VerifiedTokens, keys: String = "k1") {
        for _ in 1...2 { tokens.note(token, as: text, for: "demo", from: .firebase, keys: keys) }
    }

    @Test func `knows the very bytes, for their project, issuer and keys`() {
        let tokens = VerifiedTokens()
        note("a.b.signature", tokens)
        #expect(tokens.token("a.b.signature", for: "demo", from: .firebase, keys: "k1")?.accountID == "ada")
        #expect(tokens.token("a.c.signature", for: "demo", from: .firebase, keys: "k1") == nil)
        #expect(tokens.token("a.b.signature", for: "other", from: .firebase, keys: "k1") == nil)
        #expect(tokens.token("a.b.signature", for: "demo", from: .gatehouse, keys: "k1") == nil)
        #expect(tokens.token("a.b.signature", for: "demo", from: .firebase, keys: "k2") == nil)
        #expect(tokens.token("", for: "demo", from: .firebase, keys: "k1") == nil)
    }

    @Test func `remembers no token that came once`() {
        let tokens = VerifiedTokens()
        for number in 1...100 { tokens.note(token, as: UTF8Text("a.b.signature \(number)"), for: "demo", from: .firebase, keys: "k1") }
        #expect(tokens.count == 0)
    }

    @Test func `forgets what other keys signed`() {
        let tokens = VerifiedTokens()
        note("a.b.signature", tokens)
        note("d.e.other signature", tokens, keys: "k2")
        #expect(tokens.count == 1)
        #expect(tokens.token("a.b.signature", for: "demo", from: .firebase, keys: "k1") == nil)
    }

    @Test func `remembers the newest, and only so many`() {
        let tokens = VerifiedTokens(room: 2)
        for number in 1...9 {
            note(UTF8Text("a.b.signature \(number)"), tokens)
            #expect(tokens.count <= 4)
        }
        let known = (1...9).filter { tokens.token(UTF8Text("a.b.signature \($0)"), for: "demo", from: .firebase, keys: "k1") != nil }
        #expect(known == [7, 8, 9])
    }

    @Test func `a signature that was verified vouches for no other claims`() async throws {
        let fixture = try await Fixture()
        try await fixture.loadSigningKeys()
        let (account, session, _) = try await fixture.signIn(Fixture.ada(email: "ada@example.com"))
        let idTokens = fixture.accounts.idTokens
        let text = try idTokens.issue(for: account, session, in: fixture.project)
        for _ in 1...4 { #expect(try idTokens.verified(text, in: fixture.project).accountID == account.id) }
        #expect(fixture.keys.verifiedTokens.count == 1)

        let parts = text.split(separator: ".")
        var claims = try #require(try UnverifiedJWT.parse(text, as: .ownIDToken).claims.object)
        claims["sub"] = "somebody else"
        let forged = "\(parts[0]).\(Base64URL.encode(JSON.object(claims).bytes())).\(parts[2])"
        let stripped = "\(parts[0]).\(parts[1])."
        for bad in [forged, stripped, text + " ", String(text.dropFirst())] {
            #expect { try idTokens.verified(bad, in: fixture.project) } throws: { isInvalid($0) }
        }

        try fixture.keys.replace([], for: .idToken)
        #expect { try idTokens.verified(text, in: fixture.project) } throws: { isInvalid($0) }
    }

    private func isInvalid(_ error: any Error) -> Bool { if case AccountError.invalidIDToken = error { true } else { false } }
}
