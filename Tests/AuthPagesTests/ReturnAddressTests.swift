import Accounts
@testable import AuthPages
import HTTP
import Projects
import Testing
import Text
import Web

@Suite struct ReturnAddressTests {
    private let back = ReturnAddress(url: "https://app.example.com/cb", appState: "a b&c", issuer: "https://auth.example.com/demo")

    @Test func `takes the app's state and the issuer along, encoded, and no fragment of the page before`() {
        let response = back.redirect([(name: "code", value: "x")])
        #expect(response.status == 303)
        let fields = "code=x&state=a+b%26c&iss=https%3A%2F%2Fauth.example.com%2Fdemo"
        #expect(response.headers["location"] == "https://app.example.com/cb?\(fields)#")
        #expect(response.headers["cache-control"] == "no-store")
        #expect(response.headers["referrer-policy"] == "no-referrer")
    }

    @Test func `keeps the query of the registered address`() {
        let response = ReturnAddress(url: "https://app.example.com/cb?a=1", appState: nil, issuer: "i").redirect([])
        #expect(response.headers["location"] == "https://app.example.com/cb?a=1&iss=i#")
    }

    @Test(arguments: [
        (Failure.unavailable, "temporarily_unavailable"), (.userCancelled("x"), "access_denied"),
        (.invalidIDPResponse("x"), "server_error"),
        (.operationNotAllowed("x"), "invalid_request"),
    ])
    func `names failures as OAuth does`(failure: Failure, code: String) {
        #expect(failure.oauthError == code)
    }
}

@Suite struct FlowCookieTests {
    private let flow = [UInt8](repeating: 1, count: 16)
    private let production = Site(publicURL: "https://auth.example.com", development: false)
    private let development = Site(publicURL: "http://127.0.0.1:8080", development: true)

    @Test func `SEC-18 is a host cookie, secure and unreadable for scripts, wherever TLS is`() {
        let header = FlowCookie.cookie(flow, production).clear()
        #expect(header.hasPrefix("__Host-gatehouse_flow."))
        for part in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=0"] { #expect(header.contains("; " + part)) }
        #expect(!header.contains("Domain"))
    }

    @Test func `goes without prefix and Secure on a machine in development`() {
        let header = FlowCookie.cookie(flow, development).clear()
        #expect(header.hasPrefix("gatehouse_flow."))
        #expect(!header.contains("Secure"))
    }

    @Test func `is read by its flow's name alone`() {
        let name = FlowCookie.cookie(flow, production).name
        let request = Request(method: .get, path: "/", headers: ["cookie": "\(name)=mine; __Host-gatehouse_flow.other=theirs"])
        #expect(FlowCookie.value(for: flow, in: request, production) == "mine")
        #expect(FlowCookie.value(for: [UInt8](repeating: 2, count: 16), in: request, production) == nil)
    }

    @Test func `is refused when two differ`() {
        let name = FlowCookie.cookie(flow, production).name
        let request = Request(method: .get, path: "/", headers: ["cookie": "\(name)=a; \(name)=b"])
        #expect(FlowCookie.value(for: flow, in: request, production) == nil)
    }
}
