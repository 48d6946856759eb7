import Accounts
@testable import AuthPages
import HTTP
import ProjectSettings
import Projects
import Testing
import Text
import Web

@Suite struct HandlerParametersTests {
    private static let hash = String(repeating: "0123456789abcdef", count: 4)

    private var project: Project {
        var settings = ProjectSettings(
            id: "demo", number: 1, apiKeys: ["key"], authorizedDomains: ["app.example.com", "*.wild.example", "localhost"], redirectURLs: []
        )
        settings.apps = [
            .ios(.init(bundleID: "com.example.App", clientID: "1-a.apps.googleusercontent.com", appID: "1:7:ios:a")),
            .ios(.init(bundleID: "com.example.AppID", appID: "1:8:ios:b")),
            .android(.init(package: "com.example.droid", certificates: [String(repeating: "ab", count: 20)])),
        ]
        return Project(settings: settings, providers: [], publicURL: "https://auth.example.com")
    }

    private static let web = [
        "apiKey": "key", "appName": "[DEFAULT]", "authType": "signInViaPopup", "redirectUrl": "https://app.example.com/home",
        "v": "12.18.0",
        "eventId": "0123456789", "providerId": "oidc.acme",
    ]
    private static let apple = [
        "apiKey": "key", "authType": "signInWithRedirect", "ibi": "com.example.App", "clientId": "1-a.apps.googleusercontent.com",
        "eventId": "ABCDEFGHIJ", "providerId": "oidc.acme", "scopes": "", "sessionId": hash, "hl": "de",
    ]
    private static let droid = [
        "apiKey": "key", "authType": "signInWithRedirect", "apn": "com.example.droid", "sha1Cert": String(repeating: "ab", count: 20),
        "eventId": "5f-1", "providerId": "oidc.acme", "sessionId": "\u{FFFD}\u{0}q", "publicKey": "x",
    ]

    private func start(_ query: [String: String], _ changes: [String: String?] = [:]) throws(Failure) -> HandlerParameters {
        var form = Form()
        for (name, value) in query.merging(changes.compactMapValues { $0 }, uniquingKeysWith: { $1 }) where changes[name] != .some(nil) {
            form.add(UTF8Text(name), UTF8Text(value))
        }
        return try HandlerParameters(form, project)
    }

    private func refusal(_ query: [String: String], _ changes: [String: String?]) -> String? {
        do {
            _ = try start(query, changes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `says what is wrong with a page's address that is too long`() throws {
        let long = "https://app.example.com/" + String(repeating: "a", count: 4096)
        do {
            _ = try start(Self.web, ["redirectUrl": long])
            Issue.record("taken")
        } catch { #expect(error.detail?.contains("longer than 4096 bytes") == true) }
    }

    @Test func `reads what the JS SDK sends`() throws {
        let start = try start(Self.web)
        #expect(start.kind == .popup)
        #expect(start.page?.description == "https://app.example.com/home")
        #expect(start.sdkRequest == SDKRequest(apiKey: "key", appName: "[DEFAULT]", authType: .signInViaPopup, eventID: "0123456789"))
        #expect(start.sessionID == nil)
        #expect(start.scopes == [] && start.customParameters == [:])
    }

    @Test(arguments: SDKRequest.AuthType.allCases) func `opens a window or leaves the page, as the SDK says`(type: SDKRequest.AuthType)
        throws
    {
        guard type != .signInWithRedirect, type != .verifyApp else {
            return #expect(refusal(Self.web, ["authType": type.rawValue]) == "INVALID_ARGUMENT")
        }
        let kind = try start(Self.web, ["authType": type.rawValue]).kind
        #expect(kind == (type.rawValue.hasSuffix("Popup") ? .popup : .redirect))
    }

    @Test func `lets a redirect to sign in go without a number, and nothing else`() throws {
        #expect(try start(Self.web, ["authType": "signInViaRedirect", "eventId": nil]).sdkRequest.eventID == nil)
        for type in ["signInViaPopup", "linkViaPopup", "reauthViaPopup", "linkViaRedirect", "reauthViaRedirect"] {
            #expect(refusal(Self.web, ["authType": type, "eventId": nil]) == "INVALID_ARGUMENT")
        }
    }

    @Test(arguments: ["verifyApp", "signInWithPopup", "SIGNINVIAPOPUP", "signInViaPopup ", "", "<script>"])
    func `refuses kinds that it does not know, by a page`(type: String) {
        #expect(refusal(Self.web, ["authType": type]) == "INVALID_ARGUMENT")
    }

    @Test(arguments: [
        ("https://app.example.com/", true), ("https://app.example.com:8443/", true), ("http://localhost:5000/", true),
        ("https://a.wild.example/", true), ("https://a.b.wild.example/", true), ("https://wild.example/", false),
        ("https://evilwild.example/", false), ("https://sub.app.example.com/", false), ("https://app.example.com.evil.example/", false),
        ("https://evil.example/?app.example.com/", false), ("https://evil.example/#https://app.example.com/", false),
        ("http://app.example.com/", false), ("https://example.com/", false), ("https://127.0.0.1/", false),
    ])
    func `SEC-10 sends results to authorized domains alone, exactly as written`(url: String, isAuthorized: Bool) {
        #expect(refusal(Self.web, ["redirectUrl": url]) == (isAuthorized ? nil : "UNAUTHORIZED_DOMAIN"))
    }

    @Test func `needs to know where a browser's result goes`() { #expect(refusal(Self.web, ["redirectUrl": nil]) == "INVALID_ARGUMENT") }

    @Test(
        arguments: [
            ["eventId": String(repeating: "x", count: 257)], ["eventId": "a\u{0}"], ["eventId": "a\nb"], ["appName": nil], ["appName": ""],
            ["appName": String(repeating: "x", count: 129)], ["appName": "a\u{7F}"], ["providerId": nil], ["providerId": "a b"],
            ["providerId": "<b>"],
            ["providerId": String(repeating: "x", count: 129)], ["customParameters": "x"],
            ["customParameters": "[]"], ["customParameters": #"{"a":{}}"#], ["customParameters": #"{"a":null}"#],
            ["apn": "com.example.droid"],
            ["ibi": "com.example.App"],
        ] as [[String: String?]])
    func `refuses what is too long, malformed or not served`(changes: [String: String?]) { #expect(refusal(Self.web, changes) != nil) }

    @Test func `refuses a parameter that is given twice`() {
        var form = Form(Self.web.map { (name: $0.key, value: $0.value) })
        form.add("redirectUrl", "https://evil.example/")
        #expect(throws: Failure.self) { try HandlerParameters(form, project) }
    }

    @Test func `takes events and app names as they are`() throws {
        let start = try start(Self.web, ["eventId": "ü:::+%2B 1", "appName": "my \"app\" 日本"])
        #expect(start.sdkRequest.eventID == "ü:::+%2B 1")
        #expect(start.sdkRequest.appName == "my \"app\" 日本")
    }

    @Test func `reads scopes by comma, and none of an empty parameter`() throws {
        #expect(try start(Self.web, ["scopes": "email,https://a.example/b"]).scopes == ["email", "https://a.example/b"])
        #expect(try start(Self.web, ["scopes": ""]).scopes == [])
    }

    @Test func `reads custom parameters, numbers and truth values too`() throws {
        let parameters = try start(Self.web, ["customParameters": #"{"prompt":"none","max_age":0,"x":true}"#]).customParameters
        #expect(parameters == ["prompt": "none", "max_age": "0", "x": "true"])
        #expect(try start(Self.web, ["customParameters": "{}"]).customParameters == [:])
        #expect(try start(Self.web, ["customParameters": ""]).customParameters == [:])
    }

    @Test func `reads what the iOS SDK sends, and finds the way back by client id or app id`() throws {
        let start = try start(Self.apple)
        #expect(start.kind == .ios && start.page == nil)
        #expect(start.sessionID == Self.hash)
        #expect(start.sdkRequest.app == "com.googleusercontent.apps.1-a" && start.sdkRequest.language == "de")
        let byApp = try self.start(Self.apple, ["clientId": nil, "appId": "1:7:ios:a"])
        #expect(byApp.sdkRequest.app == "app-1-7-ios-a")
    }

    @Test(
        arguments: [
            ["ibi": "com.evil.App"], ["ibi": "com.example.app"], ["ibi": "com.example.AppID"],
            ["clientId": "2-b.apps.googleusercontent.com"],
            ["clientId": nil], ["clientId": "javascript"], ["clientId": nil, "appId": "1:8:ios:b"], ["clientId": nil, "appId": "x;y"],
            ["sessionId": nil], ["sessionId": "secret"], ["sessionId": hash.uppercased()], ["sessionId": hash + "0"], ["eventId": nil],
            ["authType": "signInViaRedirect"], ["authType": "verifyApp"],
        ] as [[String: String?]])
    func `SEC-10 sends no result to an iOS app that is not registered, nor one without a hash`(changes: [String: String?]) {
        #expect(refusal(Self.apple, changes) != nil)
    }

    @Test func `reads what the Android SDK sends, control characters and all`() throws {
        let start = try start(Self.droid)
        #expect(start.kind == .android)
        #expect(start.sessionID == "\u{FFFD}\u{0}q")
        #expect(start.sdkRequest.app == "com.example.droid")
        let colons = (0..<20).map { _ in "AB" }.joined(separator: ":")
        #expect(try self.start(Self.droid, ["sha1Cert": colons]).kind == .android)
    }

    @Test(
        arguments: [
            ["apn": "com.evil.droid"], ["apn": "com.example.Droid"], ["apn": "com.example.droid;S.link=x"],
            ["apn": "com.example.droid;end"],
            ["sha1Cert": nil], ["sha1Cert": ""], ["sha1Cert": String(repeating: "cd", count: 20)], ["sessionId": nil], ["sessionId": ""],
            ["sessionId": String(repeating: "x", count: 1025)], ["eventId": nil], ["authType": "reauthViaRedirect"],
        ] as [[String: String?]])
    func `SEC-10 sends no result to an Android app that is not registered`(changes: [String: String?]) {
        #expect(refusal(Self.droid, changes) != nil)
    }

    @Test func `asks a provider for a silent answer only where the person sees the app`() throws {
        let silent = ["customParameters": #"{"prompt":"none","ui":"x"}"#]
        #expect(try start(Self.web, silent).customParameters["prompt"] == "none")
        #expect(try start(Self.apple, silent).customParameters == ["ui": "x"])
        #expect(try start(Self.droid, silent).customParameters == ["ui": "x"])
        for (name, value) in [("Prompt", "none"), ("prompt", "NONE"), ("prompt", " none"), ("prompt", "none login")] {
            let spelled = ["customParameters": #"{"\#(name)":"\#(value)"}"#]
            #expect(try start(Self.apple, spelled).customParameters == [:])
        }
        let login = ["customParameters": #"{"prompt":"login"}"#]
        #expect(try start(Self.apple, login).customParameters == ["prompt": "login"])
    }
}
