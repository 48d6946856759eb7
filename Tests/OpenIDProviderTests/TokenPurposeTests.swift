import Crypto
import JOSE
import JSON
import ProjectSettings
import Runtime
import TestKit
import Testing
import Text

@testable import OpenIDProvider

/// SEC-77: what relying parties show us is taken for nothing else than what it was made for.
@Suite struct TokenPurposeTests {
    private static let issuer = "https://auth.example.com/acme"

    @Test(arguments: TokenSample.all) func `SEC-77 a hint is an ID token`(sample: TokenSample) throws {
        let key = try FakeKey.rsa()
        let token = try sample.sign(["iss": .string(Self.issuer), "sub": "ada", "aud": "server", "sid": "s"], by: key)
        let keys = JWKSet([JWK(key: key.key.publicKey, kid: UTF8Text(key.id), algorithm: .rs256)])
        let hint = IDTokenHint(UTF8Text(token), of: [Self.issuer], keys: keys)
        #expect((hint != nil) == sample.readers.contains(.ownIDToken))
    }

    @Test(arguments: TokenSample.all) func `SEC-77 a client proves itself by an assertion`(sample: TokenSample) throws {
        let key = try FakeKey.rsa()
        var client = Fixture.server
        client.authentication = .privateKeyJwt
        client.keys = JWKSet([JWK(key: key.key.publicKey, kid: UTF8Text(key.id), algorithm: .rs256)])
        let claims: JSON = ["iss": "server", "sub": "server", "aud": .string(Self.issuer), "jti": "1", "exp": 1_000_060, "iat": 1_000_000]
        let token = UTF8Text(try sample.sign(claims, by: key))
        let assertion = ClientAssertion(token, of: client, for: [Self.issuer], at: Instant(seconds: 1_000_000))
        #expect((assertion != nil) == sample.readers.contains(.clientAssertion))
        #expect((ClientAssertion.clientID(in: token) != nil) == sample.readers.contains(.clientAssertion))
    }
}
