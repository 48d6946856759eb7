import Accounts
import Curl
import JSON
import ProjectSettings
import Testing
import Text

@testable import Hooks

/// The judgement of answers: rules without I/O.
@Suite struct HookReplyTests {
    private func reply(_ body: String, status: Int = 200, to event: HookEvent = .beforeSignIn) throws(HookFault) -> HookReply {
        try HookReply(OutboundResponse(status: status, body: Array(body.utf8)), to: event)
    }

    private func record(_ members: String, mask: String) -> String { #"{"userRecord":{\#(members),"updateMask":"\#(mask)"}}"# }

    private func answer(_ members: String, mask: String, to event: HookEvent = .beforeSignIn) throws -> HookAnswer {
        guard case .answer(let answer) = try reply(record(members, mask: mask), to: event) else { throw HookFault("refused") }
        return answer
    }

    @Test(arguments: ["{}", #"{"userRecord":null}"#, #"{"recaptchaActionOverride":"ALLOW"}"#, #"{"anything":[1]}"#])
    func `an answer that asks for nothing changes nothing`(body: String) throws {
        #expect(try reply(body) == .answer(HookAnswer()))
    }

    @Test func `takes what a hook may set, where the mask names it`() throws {
        let all = """
            "displayName":"Ada","photoURL":"https://example.com/a.png","disabled":true,"emailVerified":true,"customClaims":{"role":"reader"},
            "sessionClaims":{"desk":7}
            """
        let answer = try answer(all, mask: "displayName,photoURL, disabled,emailVerified,customClaims,sessionClaims")
        #expect(answer.displayName == .set("Ada") && answer.photoURL == .set("https://example.com/a.png"))
        #expect(answer.disables && answer.emailVerified == true)
        #expect(answer.customClaims == .set(#"{"role":"reader"}"#) && answer.sessionClaims == #"{"desk":7}"#)
        #expect(try self.answer(all, mask: "displayName").photoURL == .keep)
        #expect(try self.answer(#""photoUrl":"https://example.com/b.png""#, mask: "photoUrl").photoURL == .set("https://example.com/b.png"))
        #expect(try self.answer(all, mask: "localId,email").self == HookAnswer())
    }

    @Test func `null removes, and a member that is absent stays`() throws {
        let answer = try answer(
            #""displayName":null,"customClaims":{},"disabled":false"#, mask: "displayName,photoURL,customClaims,disabled")
        #expect(answer.displayName == .clear && answer.photoURL == .keep && answer.customClaims == .clear && !answer.disables)
    }

    @Test(arguments: [
        "", "[]", "null", "no JSON", #"{"userRecord":7}"#, #"{"userRecord":{}}"#, #"{"userRecord":{"displayName":"Ada"}}"#,
        #"{"userRecord":{"displayName":"Ada","updateMask":""}}"#, #"{"userRecord":{"displayName":"Ada","updateMask":["displayName"]}}"#,
        #"{"userRecord":{"displayName":7,"updateMask":"displayName"}}"#,
        #"{"userRecord":{"displayName":"a\u202Eb","updateMask":"displayName"}}"#,
        #"{"userRecord":{"photoURL":"javascript:alert(1)","updateMask":"photoURL"}}"#,
        #"{"userRecord":{"disabled":"true","updateMask":"disabled"}}"#, #"{"userRecord":{"emailVerified":1,"updateMask":"emailVerified"}}"#,
        #"{"userRecord":{"customClaims":"{}","updateMask":"customClaims"}}"#,
        #"{"userRecord":{"customClaims":{"sub":"eve"},"updateMask":"customClaims"}}"#,
        #"{"userRecord":{"sessionClaims":{"firebase":{}},"updateMask":"sessionClaims"}}"#,
    ])
    func `SEC-60 an answer that is not sound is a fault`(body: String) {
        #expect(throws: HookFault.self) { try reply(body) }
    }

    @Test func `SEC-60 claims have at most 1000 characters each, and together`() throws {
        func claims(_ count: Int, _ name: String = "a") -> String { #"{"\#(name)":"\#(String(repeating: "x", count: count - 8))"}"# }
        #expect(throws: Never.self) { try answer(#""customClaims":\#(claims(1000))"#, mask: "customClaims") }
        #expect(throws: HookFault.self) { try answer(#""customClaims":\#(claims(1001))"#, mask: "customClaims") }
        #expect(throws: HookFault.self) { try answer(#""sessionClaims":\#(claims(1001))"#, mask: "sessionClaims") }
        let both = #""customClaims":\#(claims(501)),"sessionClaims":\#(claims(501, "b"))"#
        #expect(throws: HookFault.self) { try answer(both, mask: "customClaims,sessionClaims") }
        #expect(throws: Never.self) { try answer(both, mask: "customClaims") }
    }

    @Test func `claims of the session are for sign-ins, and messages take no changes`() throws {
        #expect(throws: HookFault.self) { try answer(#""sessionClaims":{"a":1}"#, mask: "sessionClaims", to: .beforeCreate) }
        #expect(try answer(#""displayName":7"#, mask: "displayName", to: .beforeSendSms) == HookAnswer())
    }

    @Test func `a refusal keeps the page's words`() throws {
        let refused = try reply(#"{"error":{"status":"PERMISSION_DENIED","message":"Only staff.","details":{"x":1}}}"#, status: 403)
        #expect(refused == .refused(HookRefusal(code: 403, status: "PERMISSION_DENIED", message: "Only staff.")))
        guard case .refused = try reply(#"{"recaptchaActionOverride":"BLOCK"}"#) else { throw HookFault("not refused") }
        guard case .refused = try reply(#"{"recaptchaActionOverride":"BLOCK"}"#, to: .beforeSendSms) else { throw HookFault("not refused") }
    }

    @Test(arguments: [
        ("a : b", "a: b"), ("a : : b", "a:: b"), ("a :  : b", "a:: b"), ("line\nbreak\u{0}\u{202E}\u{2028}", "line break"),
        (String(repeating: "é", count: 400), String(repeating: "é", count: 300)), ("", "This was blocked."), (" \n", "This was blocked."),
    ])
    func `SEC-61 the words of a refusal are cut and cleaned`(message: String, shown: String) throws {
        let error: JSON = ["error": ["status": "X : Y", "message": .string(message)]]
        #expect(try reply(error.text(), status: 400) == .refused(HookRefusal(code: 400, status: "UNKNOWN", message: shown)))
    }

    @Test(arguments: [301, 302, 404, 400, 429, 500, 503]) func `SEC-61 another status is a fault`(status: Int) {
        #expect(throws: HookFault.self) { try reply("{}", status: status) }
        #expect(throws: HookFault.self) { try reply("<h1>it</h1>", status: status) }
        guard status >= 500 || status < 400 else { return }
        #expect(throws: HookFault.self) { try reply(#"{"error":{"status":"INTERNAL","message":"INTERNAL"}}"#, status: status) }
    }

    /// A member that Firebase's account has, in each place and form: none of them is in an answer (`HookAnswer` has no place for it).
    @Test(arguments: [
        "localId", "uid", "email", "newEmail", "phoneNumber", "tenantId", "passwordHash", "password", "salt", "validSince",
        "providerUserInfo",
        "mfaInfo", "emailProven", "createdAt", "lastLoginAt", "customAttributes", "initialEmail", "linkProviderUserInfo", "__proto__",
    ])
    func `SEC-60 what a hook may not set is left out, whatever the mask says`(name: String) throws {
        for value in [#""eve""#, "true", "7", "null", #"{"a":1}"#, #"["a"]"#] {
            #expect(try answer(#""\#(name)":\#(value)"#, mask: name) == HookAnswer())
            let besides = try answer(#""displayName":"Ada","\#(name)":\#(value)"#, mask: "\(name),displayName")
            var expected = HookAnswer()
            expected.displayName = .set("Ada")
            #expect(besides == expected)
        }
    }
}
