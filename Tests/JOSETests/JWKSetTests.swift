import Crypto
import JOSE
import JSON
import Testing
import Text

@Suite struct JWKSetTests {
    @Test func `SEC-12 skips keys it does not understand and keeps the others`() throws {
        let good = Samples.jwk(try PrivateKey.generate(.p256), .es256).json
        let set = Samples.set(
            ["kty": "AKP", "alg": "ML-DSA-44", "kid": "new"], good.with("alg", "ES999"), ["kty": "oct", "k": "AAAA"], nil, 5, [],
            good.with("use", "enc"), good)
        #expect(set.keys.count == 1)
        #expect(set.skipped.count == 7)
        #expect(set.candidates(kid: "k1", alg: .es256).count == 1)
    }

    @Test(arguments: [nil, [], "keys", ["keys": nil], ["keys": ["kty": "EC"]], ["error": "not_found"]] as [JSON])
    func `is empty for a value that is not a set`(json: JSON) {
        #expect(JWKSet(json).keys.isEmpty)
    }

    @Test func `looks at a hundred keys and counts the rest as skipped`() throws {
        let key = Samples.jwk(try PrivateKey.generate(.ed25519), .edDSA).json
        let set = JWKSet(["keys": .array(Array(repeating: key, count: 130))])
        #expect(set.keys.count == 100)
        #expect(set.skipped == Array(repeating: JOSEError.tooLarge, count: 30))
    }

    @Test func `tells a key it has never seen from one that is for another algorithm`() throws {
        let elliptic = try PrivateKey.generate(.p256)
        let set = JWKSet([Samples.jwk(try PrivateKey.generate(.ed25519), kid: "k1", nil)])
        func verify(kid: String) throws {
            let token = try Samples.token(header: #"{"alg":"ES256","kid":"\#(kid)"}"#, key: elliptic, .es256)
            _ = try UnverifiedJWT.parse(token, as: .idToken).verified(with: set, algorithms: [.es256])
        }
        #expect(throws: JOSEError.unsupportedAlgorithm) { try verify(kid: "k1") }
        #expect(throws: JOSEError.unknownKey) { try verify(kid: "k2") }
    }

    @Test func `SEC-12 tries each key of a kid that appears twice, and no other`() throws {
        let keys = try (0..<3).map { _ in try PrivateKey.generate(.p256) }
        let set = JWKSet([Samples.jwk(keys[0], nil), Samples.jwk(keys[1], .es256), Samples.jwk(keys[2], kid: "k2", .es256)])
        for (key, accepted) in zip(keys, [true, true, false]) {
            let token = try UnverifiedJWT.parse(Samples.token(header: #"{"alg":"ES256","kid":"k1"}"#, key: key, .es256), as: .idToken)
            if accepted {
                #expect(try token.verified(with: set, algorithms: [.es256]).key.key.components == key.publicKey.components)
            } else {
                #expect(throws: JOSEError.badSignature) { try token.verified(with: set, algorithms: [.es256]) }
            }
        }
    }

    @Test func `SEC-12 a token without kid needs a set with one fitting key`() throws {
        let key = try PrivateKey.generate(.p256)
        let token = try UnverifiedJWT.parse(Samples.token(header: #"{"alg":"ES256"}"#, key: key, .es256), as: .idToken)
        let other = Samples.jwk(try PrivateKey.generate(.ed25519), kid: "other", nil)
        let second = Samples.jwk(try PrivateKey.generate(.p256), kid: "second", .es256)
        #expect(throws: Never.self) { try token.verified(with: JWKSet([Samples.jwk(key, .es256), other]), algorithms: [.es256]) }
        #expect(throws: JOSEError.unknownKey) {
            try token.verified(with: JWKSet([Samples.jwk(key, .es256), second]), algorithms: [.es256])
        }
        #expect(throws: JOSEError.unknownKey) { try token.verified(with: JWKSet([]), algorithms: [.es256]) }
    }
}
