import Crypto
import JOSE
import JSON
import Testing
import Text

@Suite struct SignerTests {
    @Test(arguments: [
        (Algorithm.rs256, KeyAlgorithm.rsa()), (.ps256, .rsa()), (.es256, .p256), (.edDSA, .ed25519),
    ])
    func `makes tokens that verify, with the header clients expect`(algorithm: Algorithm, kind: KeyAlgorithm) throws {
        let key = try PrivateKey.generate(kind)
        let kid: UTF8Text = #"key "1""#
        let signer = Signer(key: key, kid: kid.asString, algorithm: algorithm)
        let token = try signer.sign(claims: Array(Samples.claims.utf8))
        let keys = Samples.set(Samples.jwk(key, kid: kid, algorithm).json)
        let jwt = try UnverifiedJWT.parse(token, as: .idToken).verified(with: keys, algorithms: [algorithm])
        #expect(jwt.claims == (try JSON.parse(Samples.claims)))
        let start = try #require(token.split(separator: ".").first.flatMap { Base64URL.decodeStrict($0) })
        #expect(String(decoding: start, as: UTF8.self) == #"{"alg":"\#(algorithm.rawValue)","kid":"key \"1\"","typ":"JWT"}"#)
        #expect(jwt.key.kid == kid)
    }

    @Test(arguments: [(Algorithm.rs256, KeyAlgorithm.rsa()), (.es256, .p256), (.edDSA, .ed25519)])
    func `gives the claims of its own tokens, and of no others`(algorithm: Algorithm, kind: KeyAlgorithm) throws {
        let signer = Signer(key: try PrivateKey.generate(kind), kid: "k", algorithm: algorithm)
        let claims = Array(Samples.claims.utf8)
        let token = try signer.sign(claims: claims)
        #expect(signer.claims(of: UTF8Text(token)) == claims)
        let parts = token.split(separator: ".").map(String.init)
        let stranger = Signer(key: try PrivateKey.generate(kind), kid: "k", algorithm: algorithm)
        let others = [
            "", ".", "..", parts[0], parts[0] + ".", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", "\(parts[0]).e30.\(parts[2])",
            "\(parts[0]).\(parts[1]).\(parts[1])", token + ".", token + "A", token + "=", " " + token, String(token.dropLast()),
            token + String(repeating: "A", count: JWS.maxBytes), try stranger.sign(claims: claims),
            try signer.sign(claims: claims, type: "at+jwt"),
        ]
        for other in others { #expect(signer.claims(of: UTF8Text(other)) == nil, "\(other.prefix(400))") }
    }

    @Test func `keeps its header, by which it knows the tokens that it made before`() throws {
        let signer = Signer(key: try PrivateKey.generate(.p256), kid: "k", algorithm: .es256)
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"k","typ":"JWT"}"#.utf8))
        #expect(try signer.sign(claims: Array("{}".utf8)).hasPrefix(header + "."))
    }

    @Test func `writes another type when asked`() throws {
        let signer = Signer(key: try PrivateKey.generate(.p256), kid: "k", algorithm: .es256)
        let token = try signer.sign(claims: Array("{}".utf8), type: "at+jwt")
        #expect(try UnverifiedJWT.parse(token, as: .accessToken).header["typ"] == "at+jwt")
    }

    @Test func `names the key in another way when asked`() throws {
        let signer = Signer(key: try PrivateKey.generate(.p256), naming: ["x5t#S256": "abc"], algorithm: .es256)
        #expect(
            try UnverifiedJWT.parse(try signer.sign(claims: Array("{}".utf8)), as: .idToken).header
                == ["alg": "ES256", "x5t#S256": "abc", "typ": "JWT"])
    }

    @Test func `refuses to sign with a key of another kind`() throws {
        let signer = Signer(key: try PrivateKey.generate(.p256), kid: "k", algorithm: .rs256)
        #expect(throws: CryptoError.self) { try signer.sign(claims: Array("{}".utf8)) }
    }
}
