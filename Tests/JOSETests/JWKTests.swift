import Crypto
import JOSE
import JSON
import Testing
import Text

@Suite struct JWKTests {
    @Test(arguments: [(KeyAlgorithm.rsa(), Algorithm.rs256, "RSA"), (.p256, .es256, "EC"), (.ed25519, .edDSA, "OKP")])
    func `is read as it was written`(kind: KeyAlgorithm, algorithm: Algorithm, kty: String) throws {
        let key = try PrivateKey.generate(kind)
        let written = JWK(key: key.publicKey, kid: "k1", algorithm: algorithm).json
        let read = try JWK(written)
        #expect(read.json == written)
        #expect(read.key.components == key.publicKey.components)
        #expect(read.kty == kty && read.alg == algorithm.rawValue && read.kid == "k1" && read.use == "sig" && read.issuer == nil)
        #expect(written["d"] == nil)
    }

    @Test func `keeps the issuer that Microsoft adds`() throws {
        let json = JWK(key: try PrivateKey.generate(.p256).publicKey, kid: nil, algorithm: nil, use: nil).json
        let read = try JWK(json.with("issuer", "https://login.example/{tenantid}/v2.0"))
        #expect(read.issuer == "https://login.example/{tenantid}/v2.0")
        #expect(read.kid == nil && read.alg == nil && read.use == nil)
    }

    @Test(
        arguments: [
            ("use", "enc"), ("use", ""), ("use", 1), ("key_ops", ["encrypt"]), ("key_ops", []), ("key_ops", "verify"), ("alg", "ES512"),
            ("alg", "none"), ("alg", "HS256"), ("alg", "RS256"), ("alg", "EdDSA"), ("alg", 1), ("kid", 1), ("crv", "P-384"), ("crv", nil),
            ("kty", "RSA"), ("kty", "OKP"), ("kty", "oct"), ("kty", nil), ("x", nil), ("x", ""), ("x", "AA=="), ("y", 1),
            ("d", "AAAA"), ("k", "AAAA"), ("issuer", 1),
        ] as [(String, JSON?)])
    func `SEC-12 refuses a key whose member is not right`(name: String, value: JSON?) throws {
        let json = JWK(key: try PrivateKey.generate(.p256).publicKey, kid: "k1", algorithm: .es256).json
        #expect(throws: JOSEError.self) { try JWK(json.with(UTF8Text(name), value)) }
    }

    @Test(
        arguments: [("use", "sig"), ("key_ops", ["verify"]), ("key_ops", ["sign", "verify"]), ("alg", nil), ("x5t", "any"), ("ext", true)]
            as [(String, JSON?)])
    func `takes a key whose member is right or unknown`(name: String, value: JSON?) throws {
        let json = JWK(key: try PrivateKey.generate(.p256).publicKey, kid: "k1", algorithm: .es256).json
        #expect(throws: Never.self) { try JWK(json.with(UTF8Text(name), value)) }
    }

    @Test func `SEC-12 refuses weak RSA keys`() throws {
        let json = JWK(key: try PrivateKey.generate(.rsa()).publicKey, kid: "k1", algorithm: .rs256).json
        let short = Base64URL.encode([UInt8](repeating: 0xA7, count: 64))
        for (name, value) in [("n", short), ("n", ""), ("e", "AQ"), ("e", "Ag"), ("e", "AQAA"), ("e", ""), ("e", "AA")] {
            #expect(throws: JOSEError.self, "\(name) \(value)") { try JWK(json.with(UTF8Text(name), .string(value))) }
        }
        #expect(throws: JOSEError.weakKey("an RSA key has 2048...8192 bits")) { try JWK(json.with("n", .string(short))) }
    }

    @Test func `SEC-12 refuses a point that is not on the curve`() throws {
        let json = JWK(key: try PrivateKey.generate(.p256).publicKey, kid: "k1", algorithm: .es256).json
        let other = JWK(key: try PrivateKey.generate(.p256).publicKey, kid: "k1", algorithm: .es256).json
        #expect(throws: JOSEError.malformed("the numbers do not make a key")) { try JWK(json.with("y", other["y"])) }
    }

    @Test(arguments: [nil, true, 1, "k", []] as [JSON]) func `refuses a value that is not an object`(json: JSON) {
        #expect(throws: JOSEError.malformed("a key is an object")) { try JWK(json) }
    }
}
