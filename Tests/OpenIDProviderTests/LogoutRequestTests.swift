import HTTP
import ProjectSettings
import Testing
import Text
import Web

@testable import OpenIDProvider

@Suite struct LogoutRequestTests {
    private func read(_ form: Form) throws(Failure) -> LogoutRequest {
        try LogoutRequest(form, of: Fixture.provider) {
            $0 == "ours" ? IDTokenHint(subject: "ada", audience: "server", sessionID: "sid") : nil
        }
    }

    @Test func `a hint and a registered address lead back, with the state as it was sent`() throws {
        let bye: UTF8Text = "https://rp.example.com/bye"
        #expect(try read(["id_token_hint": "ours", "post_logout_redirect_uri": bye]).target == "https://rp.example.com/bye")
        #expect(
            try read(["id_token_hint": "ours", "post_logout_redirect_uri": bye, "state": "a b&\"ä"]).target
                == "https://rp.example.com/bye?state=a+b%26%22%C3%A4")
        #expect(
            try read(["client_id": "server", "post_logout_redirect_uri": "https://rp.example.com/bye?b=2", "state": "1"]).target
                == "https://rp.example.com/bye?b=2&state=1")
    }

    @Test func `an address that the client has not registered is refused`() throws {
        for form: Form in [
            ["id_token_hint": "ours", "post_logout_redirect_uri": "https://rp.example.com/bye?foo=bar"],
            ["client_id": "app", "post_logout_redirect_uri": "https://rp.example.com/bye"],
        ] { #expect(throws: Failure.unregisteredLogoutURI) { try read(form) } }
        #expect(throws: Failure.self) { try read(["id_token_hint": "ours", "client_id": "app"]) }
    }

    @Test func `without a client, the browser stays`() throws {
        let request = try read(["id_token_hint": "forged", "post_logout_redirect_uri": "https://rp.example.com/bye", "state": "1"])
        #expect(request.target == nil && request.hint == nil)
        #expect(try read(["post_logout_redirect_uri": "https://evil.example.com/"]).target == nil)
        #expect(try read(["client_id": "nobody", "post_logout_redirect_uri": "https://rp.example.com/bye"]).target == nil)
    }

    @Test func `only a hint of this person, with an address, needs no question`() throws {
        let both = try read(["id_token_hint": "ours", "post_logout_redirect_uri": "https://rp.example.com/bye"])
        #expect(both.isOf(sessionID: "sid", subject: "other") && both.isOf(sessionID: "new", subject: "ada"))
        #expect(!both.isOf(sessionID: "new", subject: "bob"))
        #expect(try !read(["id_token_hint": "ours"]).isOf(sessionID: "sid", subject: "ada"))
        let named = try read(["client_id": "server", "post_logout_redirect_uri": "https://rp.example.com/bye"])
        #expect(!named.isOf(sessionID: "sid", subject: "ada"))
    }
}
