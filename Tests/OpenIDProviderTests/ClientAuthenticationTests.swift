import Crypto
import HTTP
import JOSE
import JSON
import ProjectSettings
import Runtime
import Testing
import Text
import Web

@testable import OpenIDProvider

@Suite struct ClientAuthenticationTests {
    private func read(_ authorization: [String], _ form: Form) throws(Failure) -> ClientCredentials {
        try ClientCredentials(authorization: authorization.map { UTF8Text($0) }, form: form)
    }

    private func basic(_ pair: String) -> String { "Basic \(Base64.encode(Array(pair.utf8)))" }

    @Test func `reads each kind of credentials`() throws {
        #expect(try read([], ["client_id": "a"]) == .id("a"))
        #expect(try read([], ["client_id": "a", "client_secret": ""]) == .id("a"))
        #expect(try read([], ["client_id": "a", "client_secret": "s"]) == .post(.init(id: "a", secret: "s")))
        #expect(try read([basic("a:s")], [:]) == .basic(.init(id: "a", secret: "s")))
        #expect(try read([basic("a:s")], ["client_id": "a"]) == .basic(.init(id: "a", secret: "s")))
        let type: UTF8Text = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        #expect(try read([], ["client_assertion": "x", "client_assertion_type": type]) == .assertion("x", id: nil))
    }

    @Test(arguments: [
        ("a%3Ab:s%25+%2B", "a:b", "s% +"), ("a:s:t", "a", "s:t"), ("a:", "a", ""),
    ])
    func `the header's id and secret are form-encoded`(pair: String, id: UTF8Text, secret: UTF8Text) throws {
        #expect(try read([basic(pair)], [:]) == .basic(.init(id: id, secret: secret)))
    }

    @Test(arguments: ["Basic", "Basic !", "Bearer abc", "Basic YQ==", "Basic YTolJQ=="])
    func `a header that cannot be read proves nothing`(header: String) throws { #expect(try read([header], [:]) == .basic(nil)) }

    @Test func `two ways at once are refused, and none`() throws {
        let assertion: Form = ["client_assertion": "x", "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"]
        for (headers, form) in [
            ([basic("a:s")], ["client_secret": "s"]), ([basic("a:s"), basic("a:s")], [:]), ([basic("a:s")], assertion),
            ([basic("a:s")], ["client_id": "b"]), ([], [:]), ([], ["client_assertion": "x"]),
        ] as [([String], Form)] {
            let failure = #expect(throws: Failure.self) { try read(headers, form) }
            #expect(failure?.oauthError == "invalid_request")
        }
    }

    private static let now = Instant(seconds: 1_000_000)

    private struct Signed {
        let client: OAuthClient
        let signer: Signer

        init() throws {
            let key = try PrivateKey.generate(.p256)
            var client = Fixture.server
            client.authentication = .privateKeyJwt
            client.keys = JWKSet([JWK(key: key.publicKey, kid: "k", algorithm: .es256)])
            self.client = client
            signer = Signer(key: key, kid: "k", algorithm: .es256)
        }

        func assertion(_ changes: JSON.Object = [:], without name: UTF8Text? = nil) throws -> ClientAssertion? {
            var claims: JSON.Object = [
                "iss": "server", "sub": "server", "aud": "https://auth.example.com/acme/oauth2/token", "jti": "1", "exp": 1_000_060,
                "iat": 1_000_000,
            ]
            claims = claims.merging(changes)
            if let name { claims[name] = nil }
            let token = try signer.sign(claims: JSON.object(claims).bytes())
            return ClientAssertion(
                UTF8Text(token), of: client, for: ["https://auth.example.com/acme/oauth2/token", "https://auth.example.com/acme"],
                at: ClientAuthenticationTests.now)
        }
    }

    @Test func `an assertion proves its client for now and here`() throws {
        let signed = try Signed()
        #expect(try signed.assertion()?.number == "1")
        #expect(try signed.assertion(["aud": ["x", "https://auth.example.com/acme"]]) != nil)
        #expect(try signed.assertion([:], without: "iat") != nil)
        for change: JSON.Object in [
            ["iss": "app"], ["sub": "app"], ["aud": "https://evil.example.com"], ["aud": 1], ["exp": 999_900], ["exp": 1_900_000],
            ["exp": "soon"], ["nbf": 1_000_100], ["iat": 1_000_100], ["jti": ""], ["jti": 1],
        ] { #expect(try signed.assertion(change) == nil, "\(change)") }
        for name: UTF8Text in ["iss", "sub", "aud", "exp", "jti"] { #expect(try signed.assertion([:], without: name) == nil) }
    }

    @Test func `an assertion by another key proves nothing`() throws {
        let (signed, other) = (try Signed(), try Signed())
        let token = try other.signer.sign(claims: Array(#"{"iss":"server","sub":"server","aud":"a","jti":"1","exp":1000060}"#.utf8))
        #expect(ClientAssertion(UTF8Text(token), of: signed.client, for: ["a"], at: Self.now) == nil)
        #expect(ClientAssertion(UTF8Text(token), of: other.client, for: ["a"], at: Self.now) != nil)
        #expect(ClientAssertion.clientID(in: UTF8Text(token)) == "server")
    }
}
