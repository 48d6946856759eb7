import Accounts
@testable import AuthPages
import HTTP
import Testing
import Text

@Suite struct NativeLinkTests {
    private let link = "https://auth.example.com/__/auth/handler?providerId=oidc.acme&flow=AQID&code=x-_Y"

    private func native(_ outcome: NativeLink.Outcome, eventID: String = "ABCDEFGHIJ") -> NativeLink {
        NativeLink(
            pagesURL: "https://auth.example.com",
            sdkRequest: SDKRequest(apiKey: "key", authType: .signInWithRedirect, eventID: eventID, app: "com.example"), outcome: outcome)
    }

    @Test func `opens an iOS app by its scheme, the address inside encoded, and the link in that once more`() {
        #expect(
            native(.success(link: link)).ios(scheme: "com.googleusercontent.apps.1-a")
                == "com.googleusercontent.apps.1-a://firebaseauth/link?deep_link_id="
                + "https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fcallback%3FauthType%3DsignInWithRedirect%26eventId%3DABCDEFGHIJ%26link%3D"
                + "https%253A%252F%252Fauth.example.com%252F__%252Fauth%252Fhandler%253FproviderId%253Doidc.acme%2526flow%253DAQID"
                + "%2526code%253Dx-_Y")
    }

    @Test func `tells an iOS app of a failure`() {
        #expect(
            native(.failure(code: "auth/user-cancelled", message: "No.")).ios(scheme: "app-1-7-ios-a")
                == "app-1-7-ios-a://firebaseauth/link?deep_link_id="
                + "https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fcallback%3FauthType%3DsignInWithRedirect%26eventId%3DABCDEFGHIJ%26firebaseError%3D"
                + "%257B%2522code%2522%253A%2522auth%252Fuser-cancelled%2522%252C%2522message%2522%253A%2522No.%2522%257D")
    }

    @Test func `opens an Android app by an intent for its package, without encryption`() {
        #expect(
            native(.success(link: link), eventID: "5f0c-1").android(package: "com.example.app_1")
                == "intent://firebase.auth/#Intent;scheme=genericidp;package=com.example.app_1;S.authType=signInWithRedirect;S.eventId=5f0c-1;"
                + "S.link=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fhandler%3FproviderId%3Doidc.acme%26flow%3DAQID%26code%3Dx-_Y;"
                + "B.encryptionEnabled=false;S.browser_fallback_url=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fapp%3FapiKey%3Dkey;end;")
    }

    @Test func `tells an Android app of a failure in place of link and encryption`() {
        #expect(
            native(.failure(code: "auth/internal-error", message: "a;b")).android(package: "com.example.app")
                == "intent://firebase.auth/#Intent;scheme=genericidp;package=com.example.app;S.authType=signInWithRedirect;S.eventId=ABCDEFGHIJ;"
                + "S.firebaseError=%7B%22code%22%3A%22auth%2Finternal-error%22%2C%22message%22%3A%22a%3Bb%22%7D;"
                + "S.browser_fallback_url=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fapp%3FapiKey%3Dkey;end;")
    }

    @Test func `brings the token of a captcha to both, to the activity of Android that waits for it`() {
        let link = NativeLink(
            pagesURL: "https://auth.example.com", sdkRequest: SDKRequest(apiKey: "key", authType: .verifyApp, eventID: "E;1", app: "a"),
            outcome: .token("a;b&c"))
        #expect(
            link.ios(scheme: "app-1-7-ios-a")
                == "app-1-7-ios-a://firebaseauth/link?deep_link_id="
                + "https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fcallback%3FauthType%3DverifyApp%26eventId%3DE%253B1%26recaptchaToken%3D"
                + "a%253Bb%2526c")
        #expect(
            link.android(package: "com.example.app")
                == "intent://firebase.auth/#Intent;scheme=recaptcha;package=com.example.app;S.authType=verifyApp;S.eventId=E%3B1;"
                + "S.link=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fcallback%3FauthType%3DverifyApp%26eventId%3DE%253B1%26recaptchaToken%3D"
                + "a%253Bb%2526c;B.encryptionEnabled=false;"
                + "S.browser_fallback_url=https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Fapp%3FapiKey%3Dkey;end;")
    }

    /// Whatever name an SDK gives its event, the address keeps its form, and reading it gives the same bytes.
    @Test(arguments: [
        "+", " ", "%", "%25", "&", "&link=https://evil.example", "=", ";", ";package=com.evil;", "#", "#Intent;", "?", "/", "\\", "\"", "<",
        "'",
        ":::", "~", "!*'()", "é", "日本", "\u{FFFD}", "e\u{301}", "uid:::0123456789", ";end;", "javascript:alert(1)",
    ])
    func `SEC-10 gives every event back as it was, on both systems`(event: String) throws {
        let apple = native(.success(link: link), eventID: event).ios(scheme: "a")
        let outer = try #require(apple.split(separator: "?").last)
        let fields = try #require(Form(String(outer)))
        #expect(fields.fields.count == 1)
        // The SDK's URLComponents decode once for the query of the outer address, and once for that of the inner one.
        let inner = try #require(fields["deep_link_id"]).asString
        let innerQuery = try #require(inner.split(separator: "?", maxSplits: 1).last)
        let query = try #require(Form(String(innerQuery)))
        #expect(query.fields.map(\.name) == ["authType", "eventId", "link"])
        #expect(query["eventId"].map { Array($0.utf8) } == Array(event.utf8))
        #expect(query["link"] == UTF8Text(link))

        let intent = native(.success(link: link), eventID: event).android(package: "com.example.app")
        let parts = try #require(intent.split(separator: "#").last).split(separator: ";")
        #expect(intent.split(separator: "#").count == 2)
        #expect(parts.count == 9)
        #expect(parts.first == "Intent" && parts.last == "end")
        let extra = try #require(parts.first { $0.hasPrefix("S.eventId=") }).dropFirst("S.eventId=".count)
        #expect(PercentEncoding.decode(extra.utf8) == Array(event.utf8))
        #expect(extra.utf8.allSatisfy { $0 == UInt8(ascii: "%") || $0.isToken })
    }
}
