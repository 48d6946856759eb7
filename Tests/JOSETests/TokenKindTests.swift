import Crypto
import JOSE
import JSON
import TestKit
import Testing
import Text

/// SEC-77: a token of one purpose is not taken for another. The readers have the same table in their own tests.
@Suite struct TokenKindTests {
    @Test(arguments: TokenKind.allCases) func `SEC-77 a reader takes the kinds that it names, and no other`(kind: TokenKind) throws {
        let key = try FakeKey.rsa()
        for sample in TokenSample.all {
            let token = try sample.sign(["sub": "1"], by: key)
            let isTaken = (try? UnverifiedJWT.parse(token, as: kind)) != nil
            #expect(isTaken == sample.readers.contains(kind), "\(sample)")
        }
    }

    @Test func `SEC-77 the table has a token that each kind takes, and one that it refuses`() {
        for kind in TokenKind.allCases {
            #expect(TokenSample.all.contains { $0.readers.contains(kind) } && TokenSample.all.contains { !$0.readers.contains(kind) })
        }
    }

    @Test func `SEC-77 names the mark of another kind`() throws {
        func refusal(header: JSON.Object = [:], _ claims: JSON) throws -> JOSEError? {
            let token = try FakeKey.rsa().sign(claims, header: header)
            do throws(JOSEError) {
                _ = try UnverifiedJWT.parse(token, as: .idToken)
                return nil
            } catch { return error }
        }
        #expect(try refusal(header: ["typ": "at+jwt"], [:]) == .wrongKind("its header has another typ"))
        #expect(try refusal(["typ": "Bearer"]) == .wrongKind("its claims have another typ"))
        #expect(try refusal(["events": [:]]) == .wrongKind("its claims have events"))
    }

    @Test func `SEC-77 an unsigned token has a kind, too`() throws {
        let header = Base64URL.encode(Array(#"{"alg":"none","typ":"logout+jwt"}"#.utf8))
        let token = UTF8Text("\(header).\(Base64URL.encode(Array("{}".utf8))).")
        #expect(try #require(UnsignedJWT(provingNothing: token, as: .idToken)).claims == nil)
    }
}
