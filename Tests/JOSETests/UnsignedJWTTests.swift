import Crypto
import JOSE
import JSON
import Testing
import Text

@Suite struct UnsignedJWTTests {
    private func token(_ header: JSON, _ claims: JSON = ["sub": "ada"], signature: String = "") -> UTF8Text {
        UTF8Text(([header, claims].map { Base64URL.encode($0.bytes()) } + [signature]).joined(separator: "."))
    }

    @Test func `reads the claims of a token that is not signed`() throws {
        let read = try #require(UnsignedJWT(provingNothing: token(["alg": "none", "typ": "JWT"]), as: .idToken))
        #expect(read.claims == ["sub": "ada"])
    }

    @Test func `makes what it reads`() throws {
        let claims: JSON = ["sub": "ada", "name": "Ä"]
        let text = UnsignedJWT.text(provingNothing: claims.bytes())
        #expect(text.utf8.starts(with: Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8)).utf8))
        #expect(try #require(UnsignedJWT(provingNothing: UTF8Text(text), as: .idToken)).claims == claims)
    }

    @Test func `is nothing else: no signed token, no other spelling of its algorithm, no JSON`() {
        for header: JSON in [["alg": "RS256"], ["alg": "None"], [:], ["alg": .null]] {
            #expect(UnsignedJWT(provingNothing: token(header), as: .idToken) == nil)
        }
        #expect(UnsignedJWT(provingNothing: token(["alg": "none"], signature: "AAAA"), as: .idToken) == nil)
        for text: UTF8Text in ["", "..", "a.b.", #"{"sub":"ada"}"#] { #expect(UnsignedJWT(provingNothing: text, as: .idToken) == nil) }
    }

    @Test func `gives no claims where they are not an object, and with an extension that must be understood`() throws {
        #expect(try #require(UnsignedJWT(provingNothing: token(["alg": "none"], ["ada"]), as: .idToken)).claims == nil)
        #expect(try #require(UnsignedJWT(provingNothing: token(["alg": "none", "crit": ["b64"]]), as: .idToken)).claims == nil)
    }
}
