import Crypto
import Curl
import HTTP
import Identity
import JOSE
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct IDTokenTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    @Test func `a proper token names its person`() async throws {
        let result = try await issuer.provider().verify(Credential(idToken: try issuer.token()))
        #expect(result.identity.providerID == "oidc.test")
        #expect(result.identity.subject == "subject-1")
        #expect(result.identity.email == "ada@example.com")
        #expect(result.accessToken == nil)
    }

    // MARK: SEC-01

    @Test(
        arguments: [
            "https://evil.example", "https://issuer.example.evil.example", "https://issuer.exampl", "https://issuer.example/",
            "https://issuer.example/v2.0", "https://issuer.example:443", "https://issuer.example:8443", "https://ISSUER.example",
            "HTTPS://issuer.example", "http://issuer.example", "https://issuer.example@evil.example", "https://x@issuer.example",
            "https://issuer.example#", "https://issuer.example?", " https://issuer.example", "issuer.example", "",
        ])
    func `SEC-01 a token of another issuer is refused without any request`(_ name: String) async throws {
        let hostile = try FakeIssuer("https://hostile.example", on: issuer.upstream, key: .otherRSA())
        let error = await issuer.provider().refusal(of: try hostile.token(["iss": .string(name)]))
        #expect(error?.reason == "The ID token comes from another issuer.")
        #expect(issuer.upstream.requests.isEmpty)
    }

    @Test func `SEC-01 an issuer in letters that only look alike is another issuer`() async throws {
        let kelvin = try FakeIssuer("https://K.example")
        let error = await kelvin.provider().refusal(of: try kelvin.token(["iss": "https://\u{212A}.example"]))
        #expect(error?.reason == "The ID token comes from another issuer.")
        #expect(kelvin.upstream.requests.isEmpty)
    }

    @Test(arguments: [JSON.null, 1, true, ["https://issuer.example"], ["x": "https://issuer.example"]])
    func `SEC-01 an iss that is not a text is refused without any request`(_ value: JSON) async throws {
        let claims: JSON.Object = ["iss": value]
        #expect(await issuer.provider().refusal(of: try issuer.token(claims))?.reason == "The ID token comes from another issuer.")
        #expect(issuer.upstream.requests.isEmpty)
    }

    @Test func `SEC-01 a hostile key under the right issuer's name does not sign for it`() async throws {
        let hostile = try FakeKey.otherRSA(issuer.key.id)
        #expect(await issuer.provider().refusal(of: try hostile.sign(issuer.claims()))?.reason == "The ID token's signature is wrong.")
        #expect(Set(issuer.upstream.requests.map(\.url)) == [issuer.documentURL, issuer.keysURL])
    }

    @Test func `SEC-01 keys and addresses that a token brings along are never used`() async throws {
        let hostile = try FakeIssuer("https://hostile.example", on: issuer.upstream, key: .otherRSA("hostile"))
        for name in ["jku", "x5u", "jwk", "x5c"] {
            let value: JSON = name == "jwk" ? hostile.key.json : name == "x5c" ? ["MIIB"] : .string(hostile.keysURL)
            let token = try hostile.key.sign(issuer.claims(), header: JSON.Object([(UTF8Text(name), value)]))
            #expect(await issuer.provider().refusal(of: token) != nil, "\(name)")
        }
        #expect(issuer.upstream.count(hostile.keysURL) == 0)
    }

    // MARK: SEC-12

    @Test func `SEC-12 none and HMAC with the public key are refused`() async throws {
        let claims = issuer.claims()
        let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        for unsigned in ["\(header).\(Base64URL.encode(claims.bytes())).", "\(header).\(Base64URL.encode(claims.bytes())).AAAA"] {
            #expect(await issuer.provider().refusal(of: unsigned)?.reason == "The ID token is signed in a way that is not accepted.")
        }
        let forged = "\(Base64URL.encode(Array(#"{"alg":"HS256","kid":"rsa"}"#.utf8))).\(Base64URL.encode(claims.bytes()))"
        let code = Digest.hmacSHA256(key: Array(issuer.key.key.publicKey.pem.utf8), Array(forged.utf8))
        let error = await issuer.provider().refusal(of: "\(forged).\(Base64URL.encode(code))")
        #expect(error?.reason == "The ID token is signed in a way that is not accepted.")
    }

    @Test func `SEC-12 crit, duplicate keys, deep nesting and a megabyte are refused without any request`() async throws {
        let claims = issuer.claims().text()
        let doubled = String(claims.dropLast()) + #","sub":"victim"}"#
        let deep = String(claims.dropLast()) + ",\"x\":" + String(repeating: "[", count: 200) + String(repeating: "]", count: 200) + "}"
        let long = String(claims.dropLast()) + ",\"x\":\"" + String(repeating: "a", count: 1 << 20) + "\"}"
        for claims: String in [doubled, deep, long] {
            #expect(await issuer.provider().refusal(of: try issuer.key.sign(Array(claims.utf8)))?.reason != nil)
        }
        #expect(await issuer.provider().refusal(of: try issuer.key.sign(issuer.claims(), header: ["crit": ["b64"]]))?.reason != nil)
        #expect(issuer.upstream.requests.isEmpty)
    }

    @Test(arguments: ["", ".", "..", "a.b", "a.b.c.d", "\u{0}.\u{0}.\u{0}", "eyJhbGciOiJSUzI1NiJ9.e30.AA=="])
    func `SEC-12 a text that is not a token is refused without any request`(_ text: String) async {
        #expect(await issuer.provider().refusal(of: text) != nil)
        #expect(issuer.upstream.requests.isEmpty)
    }

    @Test func `SEC-12 the algorithm belongs to the key, and unknown ones in the key set are skipped`() async throws {
        let ec = try FakeKey.ec("ec")
        issuer.publish(["id_token_signing_alg_values_supported": ["RS256", "ES256", "HS256", "FOO"]])
        issuer.publish(keys: [
            ["kty": "OKP", "crv": "X448", "kid": "new", "x": "AA"], ["kty": "oct", "k": "c2VjcmV0", "kid": "shared"], issuer.key.json,
            ec.json,
        ])
        #expect(await issuer.provider().refusal(of: try ec.sign(issuer.claims())) == nil)
        #expect(await issuer.provider().refusal(of: try issuer.key.sign(issuer.claims())) == nil)
        let crossed = try ec.sign(issuer.claims(), header: ["kid": .string(issuer.key.id)])
        #expect(await issuer.provider().refusal(of: crossed)?.reason == "The ID token is signed in a way that is not accepted.")
    }

    @Test func `SEC-12 an algorithm that neither the entry nor the issuer lists is refused`() async throws {
        let ec = try FakeKey.ec("ec")
        issuer.publish(keys: [issuer.key.json, ec.json])
        #expect(await issuer.provider().refusal(of: try ec.sign(issuer.claims())) != nil)
        #expect(await issuer.provider { $0.algorithms = [.es256] }.refusal(of: try ec.sign(issuer.claims())) == nil)
        #expect(await issuer.provider { $0.algorithms = [.es256] }.refusal(of: try issuer.token()) != nil)
    }

    // MARK: Audience

    @Test(
        arguments: [
            "other", [], ["other"], [1], ["client-1", 1], ["client-1", "other"], .null, 1, "",
        ] as [JSON])
    func `a foreign, empty or malformed audience is refused`(_ audience: JSON) async throws {
        #expect(await issuer.provider().refusal(of: try issuer.token(["aud": audience]))?.reason != nil)
    }

    @Test func `an array is fine when the party is one of ours`() async throws {
        let provider = issuer.provider { $0.allowedAudiences = ["ios-1"] }
        #expect(await provider.refusal(of: try issuer.token(["aud": ["client-1"]])) == nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": ["client-1", "ios-1"], "azp": "client-1"])) == nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": ["client-1", "ios-1"]]))?.reason != nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": "client-1", "azp": "ios-1"])) == nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": "ios-1"])) == nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": ["client-1", "api"], "azp": "ios-1"]))?.reason != nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": ["client-1", "api"], "azp": "foreign"]))?.reason != nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": "client-1", "azp": "foreign"]))?.reason != nil)
        #expect(await provider.refusal(of: try issuer.token(["aud": "client-1", "azp": 1]))?.reason != nil)
    }

    // MARK: Times

    @Test(
        arguments: [
            ["exp": .integer(1_799_999_940)], ["exp": .number(1_799_999_940.9)], ["exp": "1800003600"], ["exp": 1e30],
            ["exp": .number(-1e300)],
            ["exp": .null], ["exp": [1_800_003_600]], ["iat": .integer(1_800_000_061)], ["iat": "now"], ["iat": .null], ["iat": 1e30],
            ["nbf": .integer(1_800_000_061)], ["nbf": "soon"], ["nbf": 1e30], ["iat": .integer(1_799_996_339)], ["iat": .integer(.min)],
        ] as [JSON.Object])
    func `a token out of its time is refused`(_ change: JSON.Object) async throws {
        #expect(await issuer.provider().refusal(of: try issuer.token(change))?.reason != nil)
    }

    @Test(
        arguments: [
            ["exp": .integer(1_799_999_941)], ["exp": .number(1_800_000_001)], ["exp": .number(1_800_000_001.5)],
            ["iat": .integer(1_800_000_060)], ["iat": .number(1_799_999_990.5)], ["nbf": .integer(1_800_000_060)],
            ["nbf": .number(1_800_000_060.9)], ["iat": .integer(1_799_996_340)], ["nbf": .null],
        ] as [JSON.Object])
    func `a token within its time is taken`(_ change: JSON.Object) async throws {
        #expect(await issuer.provider().refusal(of: try issuer.token(change)) == nil)
    }

    @Test func `a token that we fetched may be older than an hour`() async throws {
        issuer.redeems(for: try issuer.token(["iat": .integer(1_799_990_000), "nonce": "nonce-1"]))
        #expect(try await issuer.provider().redeem(["code": "code-1"]).identity.subject == "subject-1")
    }

    // MARK: Subject

    @Test(arguments: [.null, "", 1, ["x"], .string(String(repeating: "x", count: 256)), "s\u{e4}m", "a\nb"] as [JSON])
    func `a missing, long or odd subject is refused`(_ subject: JSON) async throws {
        #expect(await issuer.provider().refusal(of: try issuer.token(["sub": subject]))?.reason != nil)
    }

    // MARK: Access token

    @Test func `at_hash must fit the access token when both are there`() async throws {
        let hash = Base64URL.encode(Array(Digest.sha256(Array("access-1".utf8)).prefix(16)))
        let token = try issuer.token(["at_hash": .string(hash)])
        #expect(await issuer.provider().refusal(of: token, accessToken: "access-1") == nil)
        #expect(
            await issuer.provider().refusal(of: token, accessToken: "access-2")?.reason == "The ID token belongs to another access token.")
        #expect(await issuer.provider().refusal(of: token) == nil)
        #expect(await issuer.provider().refusal(of: try issuer.token(["at_hash": 1]), accessToken: "access-1")?.reason != nil)
        #expect(await issuer.provider().refusal(of: try issuer.token(), accessToken: "access-1") == nil)
    }

    @Test func `at_hash of an EdDSA token is made with SHA-512`() async throws {
        let issuer = try FakeIssuer(key: .ed25519())
        let hash = Base64URL.encode(Array(Digest.sha512(Array("access-1".utf8)).prefix(32)))
        #expect(await issuer.provider().refusal(of: try issuer.token(["at_hash": .string(hash)]), accessToken: "access-1") == nil)
    }

    @Test(arguments: [nil, ""])
    func `an access token alone is refused without any request`(_ idToken: String?) async throws {
        let error = await failure { () async throws(ProviderError) in
            _ = try await issuer.provider().verify(Credential(idToken: idToken.map { UTF8Text($0) }, accessToken: "access-1"))
        }
        #expect(error?.reason?.contains("does not say which app") == true)
        let none = await failure { () async throws(ProviderError) in _ = try await issuer.provider().verify(Credential()) }
        #expect(none == .invalidCredential("The credential has neither an ID token nor an access token."))
        #expect(issuer.upstream.requests.isEmpty)
    }
}
