import Accounts
@testable import AuthPages
import HTTP
import JSON
import ProjectSettings
import Projects
import Testing
import Text
import Web

@Suite struct AuthEventTests {
    private let sdkRequest = SDKRequest(apiKey: "key", appName: "[DEFAULT]", authType: .linkViaRedirect, eventID: "u:::1")

    @Test func `has every member that the SDK reads, null where there is nothing`() {
        #expect(
            AuthEvent(sdkRequest: sdkRequest, tenantID: nil, outcome: .success(link: "https://x", sessionID: "s")).json == [
                "type": "linkViaRedirect", "eventId": "u:::1", "urlResponse": "https://x", "sessionId": "s", "postBody": nil,
                "tenantId": nil,
                "error": nil,
            ])
        #expect(
            AuthEvent(sdkRequest: sdkRequest, tenantID: nil, outcome: .failure(code: "auth/user-cancelled", message: "m")).json == [
                "type": "linkViaRedirect", "eventId": "u:::1", "urlResponse": nil, "sessionId": nil, "postBody": nil, "tenantId": nil,
                "error": ["code": "auth/user-cancelled", "message": "m"],
            ])
    }

    @Test(arguments: [
        (Failure.unavailable, "auth/network-request-failed"), (.internal, "auth/internal-error"),
        (.invalidArgument("x"), "auth/argument-error"),
        (.userCancelled("x"), "auth/user-cancelled"), (.operationNotAllowed("x"), "auth/operation-not-allowed"),
        (.invalidIDPResponse("x"), "auth/invalid-credential"), (.providerUnavailable, "auth/network-request-failed"),
        (.invalidProviderID("x"), "auth/invalid-oauth-provider"),
    ])
    func `names failures as the SDK does`(failure: Failure, code: String) { #expect(failure.sdkCode == code) }
}

@Suite struct IframeAncestorsTests {
    private func ancestors(_ domains: [String]) -> String {
        let settings = ProjectSettings(id: "demo", number: 1, apiKeys: ["key"], authorizedDomains: domains, redirectURLs: [])
        return IframePage.ancestors(
            of: Project(settings: settings, providers: [], publicURL: "https://auth.example.com"), Request(method: .get, path: "/"),
            Site(publicURL: "https://auth.example.com", development: false))
    }

    @Test func `SEC-18 names authorized domains over https, and http on this machine alone`() {
        #expect(
            ancestors(["app.example.com", "*.wild.example", "localhost", "10.0.0.1", "[::1]"])
                == "'self' https://app.example.com:* https://*.wild.example:* http://localhost:* https://localhost:* https://10.0.0.1:*")
        #expect(ancestors([]) == "'self'")
    }
}

@Suite struct ReturnCookieTests {
    private let production = Site(publicURL: "https://auth.example.com", development: false)
    private let development = Site(publicURL: "http://127.0.0.1:8080", development: true)

    @Test func `SEC-18 reaches the iframe on any site over TLS, for as long as a result is kept`() {
        let header = ReturnCookie.cookie(production).clear()
        #expect(header.hasPrefix("__Host-gatehouse_result="))
        for part in ["Secure", "HttpOnly", "SameSite=None", "Path=/", "Max-Age=0"] { #expect(header.contains("; " + part)) }
        #expect(!header.contains("Domain"))
    }

    @Test func `goes without prefix and Secure on a machine in development`() {
        let header = ReturnCookie.cookie(development).clear()
        #expect(header.hasPrefix("gatehouse_result="))
        #expect(!header.contains("Secure") && header.contains("SameSite=Lax"))
    }
}
