import Accounts
import HTTP
import ProjectSettings
import Runtime
import Testing
import Text
import Web

@testable import OpenIDProvider

@Suite struct AuthorizeParametersTests {
    private typealias Change = [(UTF8Text, UTF8Text?)]

    /// The request of the server, with changes; `nil` removes a parameter.
    private func form(_ changes: Change, of client: UTF8Text = "server") -> Form {
        var fields: [(name: UTF8Text, value: UTF8Text)] = [
            ("client_id", client), ("response_type", "code"), ("scope", "openid"), ("state", "s 1"),
            ("redirect_uri", client == "server" ? "https://rp.example.com/cb?a=1" : "com.example.app://oauth/cb"),
        ]
        if client != "server" { fields += [("code_challenge", UTF8Text(Fixture.challenge)), ("code_challenge_method", "S256")] }
        for (name, value) in changes {
            fields.removeAll { $0.name == name }
            if let value { fields.append((name, value)) }
        }
        return Form(fields)
    }

    private func read(_ form: Form, isPushed: Bool = false) throws -> AuthorizeParameters.Accepted {
        try AuthorizeParameters(
            AuthorizeForm(form), at: .init(settings: Fixture.provider, userFlow: "b2c_1_susi", issuer: "https://issuer")
        ) {
            $0 == "ours"
                ? IDTokenHint(subject: "ada", audience: "server") : $0 == "foreign" ? IDTokenHint(subject: "ada", audience: "app") : nil
        }
        .accepted(isPushed: isPushed)
    }

    private func refusal(_ form: Form, isPushed: Bool = false) throws -> AuthorizationRefusal {
        do {
            _ = try read(form, isPushed: isPushed)
        } catch { return try #require(error as? AuthorizationRefusal) }
        throw Unexpected()
    }

    private struct Unexpected: Error {}

    @Test func `reads everything that a request says`() throws {
        let accepted = try read(
            form([
                ("scope", "email openid unknown openid server https://contoso.onmicrosoft.com/api/read"), ("nonce", "n"),
                ("code_challenge", UTF8Text(Fixture.challenge)), ("code_challenge_method", "S256"), ("prompt", "login consent"),
                ("max_age", "0"), ("login_hint", "ada@example.com"), ("domain_hint", "idp.example.com"), ("ui_locales", "de en"),
                ("client_info", "1"),
                ("response_mode", "form_post"), ("display", "popup"), ("extra", "foobar"), ("acr_values", "1 2"),
                ("claims", #"{"userinfo":{"name":{"essential":true}},"id_token":{"auth_time":null},"other":1}"#),
            ]))
        let request = accepted.request
        #expect(accepted.client.id == "server")
        #expect(request.redirectURI == "https://rp.example.com/cb?a=1")
        // The claim `name` brings its scope.
        #expect(request.scopes == ["openid", "email", "https://contoso.onmicrosoft.com/api/read", "server", "profile"])
        #expect(request.state == "s 1" && request.nonce == "n" && request.codeChallenge == Fixture.challenge)
        #expect(request.prompts == [.login, .consent] && request.maxAge == 0 && request.responseMode == .formPost)
        #expect(request.loginHint == "ada@example.com" && request.domainHint == "idp.example.com" && request.language == "de")
        #expect(request.claims == RequestedClaims(idToken: [], userInfo: ["name"]))
        #expect(request.userFlow == "b2c_1_susi" && request.issuer == "https://issuer" && request.wantsClientInfo)
    }

    @Test func `the parameter claims opens no more than the client's scopes`() {
        let asked = RequestedClaims(idToken: ["email", "auth_time"], userInfo: ["name", "family_name", "phone_number", "sub"])
        #expect(asked.scopes == ["email", "profile", "phone"])
        let limited = asked.limited(to: ["openid", "email"])
        #expect(limited == RequestedClaims(idToken: ["email"], userInfo: []))
        #expect(limited.scopes == ["email"])
    }

    @Test func `empty parameters count as absent`() throws {
        let request = try read(form([("state", ""), ("nonce", ""), ("prompt", ""), ("max_age", ""), ("claims", ""), ("request", "")]))
            .request
        #expect(request.state == nil && request.nonce == nil && request.prompts == [] && request.maxAge == nil)
    }

    @Test(
        arguments: [
            [("client_id", nil)], [("client_id", "nobody")], [("client_id", "Server")], [("redirect_uri", nil)],
            [("redirect_uri", "https://rp.example.com/cb")], [("redirect_uri", "https://rp.example.com/cb?a=1&b=2")],
            [("redirect_uri", "https://rp.example.com/CB?a=1")], [("redirect_uri", "https://rp.example.com//cb?a=1")],
            [("redirect_uri", "https://rp.example.com/cb?a=1#f")], [("redirect_uri", "com.example.app://oauth/cb")],
        ] as [[(UTF8Text, UTF8Text?)]])
    func `what is wrong with client and redirect URI is told on a page`(change: [(UTF8Text, UTF8Text?)]) throws {
        guard case .page(let failure) = try refusal(form(change)) else { throw Unexpected() }
        #expect(failure.oauthError == "invalid_request")
    }

    @Test func `client and redirect URI that are repeated are told on a page, anything else to the client`() throws {
        for name: UTF8Text in [
            "client_id", "redirect_uri", "state", "nonce", "scope", "response_type", "prompt", "max_age", "claims", "login_hint",
        ] {
            var form = form([])
            form.add(name, form[name] ?? "")
            if form.all(name).count == 1 { form.add(name, "x") }
            let isPage = if case .page = try refusal(form) { true } else { false }
            #expect(isPage == (name == "client_id" || name == "redirect_uri"), "\(name)")
        }
        var unknown = form([])
        for _ in 0..<2 { unknown.add("unknown", "1") }
        #expect(try read(unknown).request.scopes == ["openid"])
    }

    @Test func `the redirect URI may only be left out without OpenID Connect, by a client that has one`() throws {
        #expect(try read(form([("redirect_uri", nil), ("scope", "server")])).request.redirectURI == "https://rp.example.com/cb?a=1")
        guard case .page = try refusal(form([("redirect_uri", nil), ("scope", "app")], of: "app")) else { throw Unexpected() }
    }

    @Test(
        arguments: [
            ([("response_type", nil)], "invalid_request"), ([("response_type", "token")], "unsupported_response_type"),
            ([("response_type", "code token")], "unsupported_response_type"),
            ([("response_type", "id_token code")], "unsupported_response_type"), ([("response_type", "")], "invalid_request"),
            ([("response_type", "none")], "unsupported_response_type"), ([("response_type", "code code")], "unsupported_response_type"),
            ([("response_type", "Code")], "unsupported_response_type"), ([("response_type", "code\n")], "unsupported_response_type"),
            ([("response_mode", "jwt")], "invalid_request"), ([("response_mode", "query fragment")], "invalid_request"),
            ([("request", "e30.e30.")], "request_not_supported"),
            ([("request_uri", "https://rp.example.com/r")], "request_uri_not_supported"), ([("scope", nil)], "invalid_scope"),
            ([("scope", "phone")], "invalid_scope"), ([("scope", "nothing of ours")], "invalid_scope"),
            ([("code_challenge", UTF8Text(Fixture.challenge))], "invalid_request"),
            ([("code_challenge_method", "S256")], "invalid_request"),
            ([("code_challenge", UTF8Text(Fixture.challenge)), ("code_challenge_method", "plain")], "invalid_request"),
            ([("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c"), ("code_challenge_method", "S256")], "invalid_request"),
            ([("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw+cM"), ("code_challenge_method", "S256")], "invalid_request"),
            ([("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cMM"), ("code_challenge_method", "S256")], "invalid_request"),
            ([("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-c="), ("code_challenge_method", "S256")], "invalid_request"),
            ([("code_challenge", ""), ("code_challenge_method", "S256")], "invalid_request"),
            ([("code_challenge", UTF8Text(Fixture.challenge)), ("code_challenge_method", "S512")], "invalid_request"),
            ([("code_challenge", UTF8Text(Fixture.challenge)), ("code_challenge_method", "s256")], "invalid_request"),
            ([("nonce", UTF8Text(String(repeating: "n", count: 1025)))], "invalid_request"),
            ([("prompt", "none login")], "invalid_request"), ([("prompt", "login none")], "invalid_request"),
            ([("prompt", "consent none select_account")], "invalid_request"),
            ([("prompt", "maybe")], "invalid_request"), ([("max_age", "-1")], "invalid_request"), ([("max_age", "abc")], "invalid_request"),
            ([("max_age", "+1")], "invalid_request"), ([("max_age", " 1")], "invalid_request"),
            ([("max_age", "1.5")], "invalid_request"), ([("max_age", "99999999999")], "invalid_request"),
            ([("claims", "{")], "invalid_request"),
            ([("claims", #""name""#)], "invalid_request"),
            ([("claims", "[]")], "invalid_request"), ([("claims", #"{"userinfo":1}"#)], "invalid_request"),
            ([("claims", #"{"id_token":{"sub":{"value":"a"}},"userinfo":{"sub":{"value":"b"}}}"#)], "invalid_request"),
            ([("claims", #"{"id_token":{"acr":{"essential":true,"value":"1"}}}"#)], "unmet_authentication_requirements"),
            ([("id_token_hint", "of no use")], "invalid_request"), ([("id_token_hint", "foreign")], "invalid_request"),
            ([("id_token_hint", "ours"), ("claims", #"{"id_token":{"sub":{"value":"bob"}}}"#)], "invalid_request"),
        ] as [([(UTF8Text, UTF8Text?)], String)])
    func `anything else is told to the client`(change: [(UTF8Text, UTF8Text?)], error: String) throws {
        let refusal = try refusal(form(change))
        guard case .redirect(let failure, let reply) = refusal else { throw Unexpected() }
        #expect(failure.oauthError == error)
        #expect(reply.redirectURI == "https://rp.example.com/cb?a=1" && reply.state == "s 1" && reply.issuer == "https://issuer")
        let permitted = failure.errorDescription.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        #expect(permitted && !failure.errorDescription.isEmpty)
    }

    @Test func `public clients need PKCE`() throws {
        let refusal = try refusal(form([("code_challenge", nil), ("code_challenge_method", nil)], of: "app"))
        #expect(refusal.failure.errorDescription.contains("PKCE"))
        #expect(try read(form([], of: "app")).request.codeChallenge == Fixture.challenge)
    }

    @Test func `a pushed request has no request_uri, and some clients must push`() throws {
        #expect(try refusal(form([("request_uri", "urn:x")]), isPushed: true).failure.oauthError == "invalid_request")
        #expect(try read(form([]), isPushed: true).request.scopes == ["openid"])
    }

    @Test(arguments: [
        (nil, nil, nil), ("1 2", nil, nil), ("1 MFA", nil, "wanted"), (nil, #"{"values":["1","MFA"]}"#, "wanted"),
        (nil, #"{"value":"MFA"}"#, "wanted"), (nil, #"{"essential":true,"value":"MFA"}"#, "required"),
        ("1", #"{"essential":true,"values":["1","MFA"]}"#, "required"), ("MFA", #"{"essential":true}"#, "wanted"),
        ("MFA", "null", "wanted"),
    ])
    func `the second factor that a client asks for comes from acr_values or from claims`(values: String?, claim: String?, asked: String?)
        throws
    {
        func named(_ text: String) -> UTF8Text {
            let parts = text.split(separator: "MFA", omittingEmptySubsequences: false)
            return UTF8Text(parts.joined(separator: ProjectSettings.OpenIDProvider.multiFactor))
        }
        let sent = form([("acr_values", values.map(named)), ("claims", claim.map { named(#"{"id_token":{"acr":\#($0)}}"#) })])
        #expect(try read(sent).request.secondFactor?.rawValue == asked)
    }

    @Test func `the account that must answer comes from the hint or from claims`() throws {
        #expect(try read(form([("id_token_hint", "ours")])).request.subject == "ada")
        #expect(try read(form([("claims", #"{"id_token":{"sub":{"value":"bob"}}}"#)])).request.subject == "bob")
        #expect(try read(form([])).request.subject == nil)
    }

    @Test(
        arguments: [
            (nil, "code", "query"), ("fragment", "code", "fragment"), ("form_post", "code", "form_post"), ("jwt", "code", "query"),
            ("query", "id_token", "fragment"), (nil, "code token", "fragment"), ("form_post", "token", "form_post"),
            (nil, "nonsense", "query"),
        ] as [(UTF8Text?, UTF8Text, String)])
    func `an error goes back in the mode that was asked for, and never puts tokens' answers into a query`(
        mode: UTF8Text?, type: UTF8Text, expected: String
    ) throws {
        let refusal = try refusal(form([("response_mode", mode), ("response_type", type), ("max_age", "x")]))
        guard case .redirect(_, let reply) = refusal else { throw Unexpected() }
        #expect(reply.mode.rawValue == expected)
    }

    @Test func `nothing is posted to a scheme of an app`() throws {
        guard case .redirect(let failure, let reply) = try refusal(form([("response_mode", "form_post")], of: "app")) else {
            throw Unexpected()
        }
        #expect(failure.oauthError == "invalid_request" && reply.mode == .query)
    }

    @Test(
        arguments: [
            (.query, "https://rp.example.com/cb?a=1&code=c&state=s+%22%3E&iss=https%3A%2F%2Fi"),
            (.fragment, "https://rp.example.com/cb?a=1#code=c&state=s+%22%3E&iss=https%3A%2F%2Fi"), (.formPost, nil),
        ] as [(AuthorizationRequest.ResponseMode, String?)])
    func `the answer stands where the mode says`(mode: AuthorizationRequest.ResponseMode, location: String?) {
        let reply = AuthorizationReply(redirectURI: "https://rp.example.com/cb?a=1", mode: mode, state: "s \">", issuer: "https://i")
        #expect(AuthorizationResponse(code: "c", reply).location == location)
    }

    @Test func `a user flow's errors have the numbers of Azure AD B2C`() {
        let id = HTTP.RequestID(0xAB)
        let described = Failure.accessDenied.described(by: Fixture.flow("b2c_1_susi", .signIn), id, at: .init(seconds: 0))
        #expect(described.oauthError == "access_denied")
        #expect(
            described.errorDescription
                == "AADB2C90091: The person cancelled the sign-in, or refused. Correlation ID: 00000000000000ab Timestamp: 1970-01-01T00:00:00.000Z"
        )
        #expect(Failure.accessDenied.described(by: nil, id, at: .init(seconds: 0)) == .accessDenied)
        #expect(Failure.consentRequired.described(by: Fixture.flow("b2c_1_susi", .signIn), id, at: .init(seconds: 0)) == .consentRequired)
    }
}
