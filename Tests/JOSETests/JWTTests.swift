import Crypto
import JOSE
import JSON
import Testing
import Text

/// Known answers from the RFCs, and the form of a token.
@Suite struct JWTTests {
    @Test func `verifies the ES256 example of RFC 7515`() throws {
        let keys = Samples.set([
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ])
        let token =
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
            + ".DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        let jwt = try UnverifiedJWT.parse(token, as: .idToken).verified(with: keys, algorithms: [.es256])
        #expect(jwt.claims == ["iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true])
    }

    @Test func `verifies the EdDSA example of RFC 8037`() throws {
        let keys = Samples.set(["kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"])
        let token =
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
            + ".hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        let signature = try JWS.parse(token)
        #expect(try signature.verified(with: keys, algorithms: [.edDSA]).kty == "OKP")
        #expect(String(decoding: signature.payload, as: UTF8.self) == "Example of Ed25519 signing")
        #expect(throws: JOSEError.self, "its payload is no object") { try UnverifiedJWT.parse(token, as: .idToken) }
    }

    @Test(arguments: [
        "", ".", "..", "...", "e30", "e30.e30", "e30.e30.", "e30.e30.AA", "e30.e30.AA.AA", "W10.e30.AA", "bnVsbA.e30.AA",
    ])
    func `SEC-12 refuses a text that is not a token with an algorithm`(text: String) {
        #expect(throws: JOSEError.self) { try UnverifiedJWT.parse(text, as: .idToken) }
    }

    @Test func `SEC-12 refuses any second spelling of a token's parts`() throws {
        let key = try PrivateKey.generate(.p256)
        let token = try Samples.token(header: #"{"alg":"ES256"}"#, claims: #"{"a":1}"#, key: key, .es256)
        let parts = token.split(separator: ".").map(String.init)
        #expect(throws: Never.self) { try UnverifiedJWT.parse(token, as: .idToken) }
        for part in 0..<3 {
            for spelling in [parts[part] + "=", parts[part] + "==", parts[part] + "\n", " " + parts[part], parts[part] + "\u{0}"] {
                var altered = parts
                altered[part] = spelling
                #expect(throws: JOSEError.self) { try UnverifiedJWT.parse(altered.joined(separator: "."), as: .idToken) }
            }
        }
    }

    @Test(arguments: [#"[]"#, #""text""#, "1", "null", "", "{", #"{"a":1}x"#, "{\"a\":\"\u{1}\"}"])
    func `SEC-12 refuses claims that are not a JSON object`(claims: String) throws {
        let token = try Samples.token(header: #"{"alg":"ES256"}"#, claims: claims, key: PrivateKey.generate(.p256), .es256)
        #expect(throws: JOSEError.self) { try UnverifiedJWT.parse(token, as: .idToken) }
        #expect(throws: Never.self) { try JWS.parse(token) }
    }
}
