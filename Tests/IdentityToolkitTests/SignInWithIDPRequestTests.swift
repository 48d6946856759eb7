import Accounts
import Crypto
import Providers
import Testing
import Text
import Web
@testable import IdentityToolkit

@Suite struct SignInWithIDPRequestTests {
    private let flow = FlowID(bytes: Array(1...16)).text

    private func read(_ uri: UTF8Text?, _ body: UTF8Text? = nil, pending: UTF8Text? = nil) throws -> SignInWithIDPRequest {
        try SignInWithIDPRequest(requestURI: uri, postBody: body, pendingToken: pending)
    }

    @Test func `takes flow and code as a web result, and the page without them as the app registered it`() throws {
        guard
            case .returned(let id, let code, let page) = try read(
                "https://app.example.com/cb?keep=1&code=abc&flow=\(flow)&state=s&iss=https%3A%2F%2Fx#frag")
        else { return #expect(Bool(false)) }
        #expect(id.bytes == Array(1...16))
        #expect(code == "abc")
        #expect(page == "https://app.example.com/cb?keep=1")
    }

    @Test func `lets the body override the query, and the fragment override both`() throws {
        guard
            case .credential(let provider, let credential) = try read(
                "http://localhost?providerId=oidc.a&id_token=1#id_token=3", "id_token=2&providerId=OIDC.B")
        else { return #expect(Bool(false)) }
        #expect(provider == "oidc.b")
        #expect(credential.idToken == "3")
    }

    @Test(
        arguments: [
            (#"{"name":{"firstName":"100% A+B & C"}}"#, #"{"name":{"firstName":"100% A+B & C"}}"#),
            ("%7B%22a%22%3A%22b+c%22%7D", #"{"a":"b c"}"#), (#"{"a":1}&nonce=n"#, #"{"a":1}"#), ("{", "{"),
        ] as [(UTF8Text, UTF8Text)])
    func `takes a name that is not encoded, to the end of the body, when it is JSON`(posted: UTF8Text, user: UTF8Text) throws {
        guard
            case .credential(_, let credential) = try read("http://localhost", "providerId=apple.com&id_token=1&code=c&user=\(posted)")
        else { return #expect(Bool(false)) }
        #expect(credential.user == user && credential.idToken == "1" && credential.code == "c")
        #expect(credential.rawNonce == (posted.hasSuffix("nonce=n") ? "n" : nil))
    }

    @Test func `prefers a pending token to whatever else is there`() throws {
        for (body, named) in [("providerId=X&id_token=y", "x"), ("id_token=y", nil), (nil, nil)] as [(UTF8Text?, UTF8Text?)] {
            guard case .pending("token", let provider) = try read("http://localhost", body, pending: "token") else {
                return #expect(Bool(false))
            }
            #expect(provider == named)
        }
    }

    @Test(
        arguments: [
            (nil, nil, "MISSING_REQUEST_URI"), ("", nil, "MISSING_REQUEST_URI"), ("not a uri", nil, "INVALID_REQUEST_URI"),
            ("/relative", nil, "INVALID_REQUEST_URI"), ("http://localhost", nil, "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
            ("http://localhost", "providerId=oidc.x", "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
            ("http://localhost", "id_token=x", "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
            ("http://localhost?state=garbage&code=1", nil, "INVALID_IDP_RESPONSE"),
            ("http://localhost?flow=x&code=1", nil, "INVALID_IDP_RESPONSE"),
        ] as [(UTF8Text?, UTF8Text?, String)])
    func `refuses a request that fits none of the ways in`(uri: UTF8Text?, body: UTF8Text?, code: String) {
        #expect { try read(uri, body) } throws: { Failure(describing: $0).code == code }
    }

    @Test(arguments: ["http://localhost?code=1&code=2&flow=x", "http://localhost?state=a&state=b"])
    func `refuses a parameter given twice`(uri: UTF8Text) {
        #expect { try read(uri) } throws: { ($0 as? Failure)?.kind == .badRequest }
    }
}
