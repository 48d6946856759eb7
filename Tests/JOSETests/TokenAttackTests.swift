import Crypto
import JOSE
import JSON
import Testing
import Text

/// SEC-12: the key decides the algorithm, and nothing in a token about its own verification is used.
@Suite struct TokenAttackTests {
    let owner: PrivateKey
    let attacker: PrivateKey
    let keys: JWKSet

    init() throws {
        owner = try PrivateKey.generate(.p256)
        attacker = try PrivateKey.generate(.p256)
        keys = JWKSet([Samples.jwk(owner, .es256)])
    }

    func verify(_ token: String, _ keys: JWKSet? = nil, algorithms: Set<Algorithm> = Set(Algorithm.allCases)) throws(JOSEError) {
        _ = try UnverifiedJWT.parse(token, as: .idToken).verified(with: keys ?? self.keys, algorithms: algorithms)
    }

    @Test(arguments: ["none", "None", "NONE", "nOnE", "", "HS256", "HS384", "HS512", "es256", "ES256 ", "RS1", "ES512", "dir"])
    func `SEC-12 refuses every algorithm but the four`(name: String) throws {
        let header = #"{"alg":"\#(name)","kid":"k1"}"#
        #expect(throws: JOSEError.unsupportedAlgorithm) {
            try verify(Samples.encoded(header) + "." + Samples.encoded(Samples.claims) + ".")
        }
        #expect(throws: JOSEError.unsupportedAlgorithm) { try verify(try Samples.token(header: header, key: owner, .es256)) }
    }

    @Test(arguments: [#"{"kid":"k1"}"#, #"{"alg":null}"#, #"{"alg":1}"#, #"{"alg":["ES256"]}"#, #"{"alg":"ES256","kid":1}"#])
    func `SEC-12 refuses a header without a readable algorithm or key id`(header: String) throws {
        #expect(throws: JOSEError.self) { try verify(Samples.token(header: header, key: owner, .es256)) }
    }

    @Test func `SEC-12 refuses HMAC with the public key as its secret`() throws {
        let rsa = try PrivateKey.generate(.rsa())
        for secret in [rsa.publicKey.der, Array(rsa.publicKey.pem.utf8)] {
            for name in ["HS256", "RS256"] {
                let signed = Samples.encoded(#"{"alg":"\#(name)","kid":"k1"}"#) + "." + Samples.encoded(Samples.claims)
                let token = signed + "." + Base64URL.encode(Digest.hmacSHA256(key: secret, Array(signed.utf8)))
                let expected = name == "HS256" ? JOSEError.unsupportedAlgorithm : .badSignature
                #expect(throws: expected) { try verify(token, JWKSet([Samples.jwk(rsa, nil)])) }
            }
        }
    }

    @Test func `SEC-12 refuses another algorithm than the key's, even with the key's own signature`() throws {
        let rsa = try PrivateKey.generate(.rsa())
        let set = JWKSet([Samples.jwk(rsa, .rs256)])
        #expect(throws: Never.self) { try verify(Samples.token(header: #"{"alg":"RS256","kid":"k1"}"#, key: rsa, .rs256), set) }
        #expect(throws: JOSEError.unsupportedAlgorithm) {
            try verify(Samples.token(header: #"{"alg":"PS256","kid":"k1"}"#, key: rsa, .ps256), set)
        }
        #expect(throws: JOSEError.unsupportedAlgorithm) {
            try verify(Samples.token(header: #"{"alg":"ES256","kid":"k1"}"#, key: owner, .es256), set)
        }
    }

    @Test func `SEC-12 a key without an algorithm takes what fits its kind and the caller allows`() throws {
        let rsa = try PrivateKey.generate(.rsa())
        let set = JWKSet([Samples.jwk(rsa, nil)])
        let rs = try Samples.token(header: #"{"alg":"RS256","kid":"k1"}"#, key: rsa, .rs256)
        let ps = try Samples.token(header: #"{"alg":"PS256","kid":"k1"}"#, key: rsa, .ps256)
        #expect(throws: Never.self) { try verify(rs, set, algorithms: [.rs256]) }
        #expect(throws: Never.self) { try verify(ps, set, algorithms: [.rs256, .ps256]) }
        #expect(throws: JOSEError.unsupportedAlgorithm) { try verify(ps, set, algorithms: [.rs256]) }
        #expect(throws: JOSEError.unsupportedAlgorithm) { try verify(rs, set, algorithms: []) }
        let crossed = try Samples.token(header: #"{"alg":"PS256","kid":"k1"}"#, key: rsa, .rs256)
        #expect(throws: JOSEError.badSignature) { try verify(crossed, set) }
    }

    @Test func `SEC-12 refuses signatures of zeros, of the wrong length, in DER, and none (CVE-2022-21449)`() throws {
        let token = try Samples.token(header: #"{"alg":"ES256","kid":"k1"}"#, key: owner, .es256)
        let parts = token.split(separator: ".").map(String.init)
        let good = try #require(Base64URL.decodeStrict(parts[2]))
        let der = [0x30, 68, 2, 32] + good[..<32] + [2, 32] + good[32...]
        let bad = [
            [UInt8](repeating: 0, count: 64), [], Array(good.dropLast()), good + [0], [0] + good, Array(good[32...] + good[..<32]), der,
            [UInt8](repeating: 0xFF, count: 64), [UInt8](repeating: 1, count: 10_000),
        ]
        for signature in bad {
            #expect(throws: JOSEError.badSignature) { try verify(parts[0] + "." + parts[1] + "." + Base64URL.encode(signature)) }
        }
        #expect(throws: Never.self) { try verify(token) }
    }

    @Test func `SEC-12 does not follow keys a token brings along`() throws {
        let embedded = Samples.jwk(attacker, .es256).json.bytes()
        let extras = [
            #""jwk":\#(String(decoding: embedded, as: UTF8.self))"#, #""jku":"https://attacker.example/keys""#,
            #""x5u":"https://attacker.example/chain""#, #""x5c":["AAAA"]"#, #""x5t":"AAAA""#,
        ]
        for extra in extras {
            let header = #"{"alg":"ES256","kid":"k1",\#(extra)}"#
            #expect(throws: JOSEError.badSignature) { try verify(Samples.token(header: header, key: attacker, .es256)) }
            #expect(throws: Never.self) { try verify(Samples.token(header: header, key: owner, .es256)) }
        }
    }

    @Test(arguments: ["", "K1", "k1 ", "../../../dev/null", "k1' OR '1'='1", "https://attacker.example/k1", "\\u0000", "k1\\u0000"])
    func `SEC-12 a key id is only looked up`(kid: String) throws {
        #expect(throws: JOSEError.unknownKey) {
            try verify(Samples.token(header: #"{"alg":"ES256","kid":"\#(kid)"}"#, key: owner, .es256))
        }
    }

    @Test(arguments: [#"["exp"]"#, "[]", #"["b64"]"#, "null", #""exp""#]) func `SEC-12 refuses crit, whatever it names`(crit: String) throws
    {
        let header = #"{"alg":"ES256","kid":"k1","exp":1,"b64":true,"crit":\#(crit)}"#
        #expect(throws: JOSEError.criticalHeader) { try verify(Samples.token(header: header, key: owner, .es256)) }
    }

    @Test(arguments: [
        (#"{"alg":"ES256","kid":"k1","alg":"ES256"}"#, #"{"sub":"1"}"#), (#"{"alg":"ES256","kid":"k1"}"#, #"{"sub":"1","sub":"2"}"#),
        (#"{"alg":"ES256","kid":"k1","\u0061lg":"none"}"#, #"{"sub":"1"}"#), (#"{"alg":"ES256","kid":"k1"}"#, #"{"a":{"b":1,"\u0062":2}}"#),
    ])
    func `SEC-12 refuses a name that appears twice`(header: String, claims: String) throws {
        #expect(throws: JOSEError.self) { try verify(Samples.token(header: header, claims: claims, key: owner, .es256)) }
    }

    @Test func `SEC-12 refuses deep nesting`() throws {
        let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
        let header = #"{"alg":"ES256","kid":"k1"}"#
        let inClaims = try Samples.token(header: header, claims: #"{"a":\#(deep)}"#, key: owner, .es256)
        let inHeader = try Samples.token(header: #"{"alg":"ES256","kid":"k1","a":\#(deep)}"#, key: owner, .es256)
        for token in [inClaims, inHeader] {
            #expect(throws: JOSEError.self) { try UnverifiedJWT.parse(token, as: .idToken, maxBytes: 1 << 20) }
        }
    }

    @Test func `SEC-12 refuses a token of 1 MB by its size alone`() throws {
        let header = #"{"alg":"ES256","kid":"k1"}"#
        let large = try Samples.token(
            header: header, claims: #"{"a":"\#(String(repeating: "a", count: 1 << 20))"}"#, key: owner, .es256)
        #expect(throws: JOSEError.tooLarge) { try verify(large) }
        #expect(throws: JOSEError.tooLarge) { try verify(String(repeating: "\u{0}", count: 1 << 20)) }
        #expect(throws: JOSEError.tooLarge) { try verify(String(repeating: ".", count: 16_385)) }
        #expect(throws: JOSEError.malformed("not three parts")) { try verify(String(repeating: ".", count: 16_384)) }
    }

    @Test func `SEC-12 refuses a hostile issuer's token, valid in itself`() throws {
        #expect(throws: JOSEError.badSignature) {
            try verify(Samples.token(header: #"{"alg":"ES256","kid":"k1"}"#, key: attacker, .es256))
        }
    }
}
