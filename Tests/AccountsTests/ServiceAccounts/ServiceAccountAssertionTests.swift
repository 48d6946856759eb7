@testable import Accounts
import Crypto
import JOSE
import JSON
import Runtime
import TestKit
import Testing
import Text

/// What a service account must sign to get an access token.
@Suite struct ServiceAccountAssertionTests {
    private static let issuer = "backend@demo.iam.gserviceaccount.com"
    private static let now = Instant(seconds: 1_800_000_000)
    private static let tokenURI = "https://auth.example.com/token"
    private static let firebase = "https://www.googleapis.com/auth/firebase"

    /// The right claims, with these in place of theirs; `null` removes one.
    private func token(_ changes: JSON.Object = [:]) throws -> String {
        var claims: JSON.Object = [
            "iss": .string(Self.issuer), "sub": .string(Self.issuer), "aud": .string(Self.tokenURI), "iat": 1_800_000_000,
            "exp": 1_800_003_600, "scope": .string(Self.firebase),
        ]
        for member in changes { claims[member.name] = member.value.isNull ? .none : member.value }
        return try FakeKey.rsa().sign(.object(claims))
    }

    private func parse(_ text: String, scope: UTF8Text? = nil) throws(AccountError) -> ServiceAccountAssertion {
        try ServiceAccountAssertion.parse(UTF8Text(text), scope: scope, tokenURI: Self.tokenURI, at: Self.now)
    }

    /// What a refused assertion is told; `nil` when it is let through.
    private func refusal(_ changes: JSON.Object) throws -> String? {
        do {
            _ = try parse(try token(changes))
            return nil
        } catch AccountError.assertionRefused(let reason) { return reason } catch AccountError.assertionLacksScope { return "scope" }
    }

    @Test func `names the account, its project and the scopes that there are`() throws {
        let scopes = "openid \(Self.firebase) https://www.googleapis.com/auth/devstorage.full_control"
        let assertion = try parse(try token(["scope": .string(scopes)]))
        #expect(assertion.email.text == Self.issuer && assertion.email.projectID == "demo")
        #expect(assertion.scopes == [Self.firebase])
    }

    @Test func `takes the scope of the request when the assertion has none`() throws {
        #expect(try parse(try token(["scope": nil]), scope: UTF8Text(Self.firebase)).scopes == [Self.firebase])
        #expect(throws: AccountError.self) { try parse(try token(["scope": "openid"]), scope: UTF8Text(Self.firebase)) }
    }

    @Test(arguments: [
        "https://auth.example.com/token", "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
        "https://accounts.google.com/o/oauth2/token",
    ])
    func `takes our own address for audience, and those of Google that its libraries write`(audience: String) throws {
        #expect(try refusal(["aud": .string(audience)]) == nil)
    }

    @Test(
        arguments: [
            ["sub": nil], ["iat": 1_799_999_990, "exp": 1_800_003_590], ["iat": 1_800_000_060, "exp": 1_800_003_660],
            ["nbf": 1_800_000_060],
            ["scope": "https://www.googleapis.com/auth/cloud-platform"], ["scope": "https://www.googleapis.com/auth/identitytoolkit"],
            ["jti": "seen before"], ["iat": 1_799_996_341, "exp": 1_799_999_941], ["iat": 1_799_999_999.5, "exp": 1_800_003_599.5],
        ] as [JSON.Object])
    func `takes what Google's libraries sign`(changes: JSON.Object) throws { #expect(try refusal(changes) == nil) }

    @Test(
        arguments: [
            (["aud": "https://evil.example/token"], "aud must be"), (["aud": [.string("https://auth.example.com/token")]], "aud must be"),
            (["aud": .string(CustomToken.audience)], "aud must be"), (["aud": nil], "aud must be"),
            (["iss": nil], "iss must be"), (["iss": "backend@demo.example.com"], "iss must be"), (["iss": "a\0b"], "iss must be"),
            (["iss": 7], "iss must be"), (["sub": "ada"], "sub must be"), (["sub": 7], "sub must be"),
            (["iat": nil], "iat and exp"), (["exp": nil], "iat and exp"), (["iat": "1800000000"], "iat and exp"),
            (["iat": 1_799_996_340, "exp": 1_799_999_940], "The token has expired"),
            (["iat": 1_800_000_061], "The token was issued in the"),
            (["exp": 1_800_003_601], "The token must expire"), (["iat": 1_799_990_000], "The token must expire"),
            (["exp": 9_223_372_036_854_775_807], "The token must expire"), (["iat": -9_223_372_036_854_775_807], "The token must expire"),
            (["nbf": 1_800_000_061], "The token is not valid yet"), (["scope": nil], "scope"), (["scope": "openid email"], "scope"),
            (["scope": 7], "scope"), (["scope": "https://www.googleapis.com/auth/firebase.readonly"], "scope"),
        ] as [(JSON.Object, String)])
    func `refuses the rest, with the reason`(changes: JSON.Object, reason: String) throws {
        let told = try refusal(changes) ?? "taken"
        #expect(told.hasPrefix(reason), "\(told)")
    }

    @Test func `SEC-12 refuses other ways to sign, and keys that are not the account's`() throws {
        let key = try FakeKey.rsa()
        let live = ServiceAccountKey(
            projectID: "demo", id: key.id, rights: [], key: JWK(key: key.key.publicKey, kid: UTF8Text(key.id), algorithm: .rs256))
        let right = try token()
        #expect(try parse(right).signer(among: [live]).id == key.id)
        #expect(throws: AccountError.self) { try parse(right).signer(among: []) }
        let payload = right.split(separator: ".")[1]
        for token in [
            "eyJhbGciOiJub25lIn0.\(payload).", "eyJhbGciOiJub25lIn0.\(payload)", String(right.dropLast(8)), right + ".", "", "a.b.c",
            "eyJhbGciOiJIUzI1NiJ9.\(payload).AAAA",
        ] {
            #expect(throws: AccountError.self) { try parse(token).signer(among: [live]) }
        }
        let stranger = try FakeKey.otherRSA(key.id)
        let claims = try UnverifiedJWT.parse(right, as: .authorizationGrant).claims
        let brought: JSON.Object = ["jwk": stranger.json, "jku": "https://evil.example/jwks"]
        for header in [[:], brought, ["kid": nil]] as [JSON.Object] {
            #expect(throws: AccountError.self) { try parse(try stranger.sign(claims, header: header)).signer(among: [live]) }
        }
        #expect(throws: AccountError.self) { try parse(try FakeKey.ec(key.id).sign(claims)).signer(among: [live]) }
        #expect(throws: AccountError.self) { try parse(try key.sign(claims, header: ["kid": "a\0b"])) }
    }
}
