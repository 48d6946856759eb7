import Curl
import HTTP
import Identity
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct OpenIDTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    @Test func `claims become the words that all providers share`() async throws {
        let identity = try await issuer.identity([
            "given_name": "Ada", "family_name": "Lovelace", "preferred_username": "ada", "picture": "https://cdn.example/ada.png",
            "locale": "en-GB",
        ])
        #expect(identity.displayName == "Ada Lovelace")
        #expect(identity.firstName == "Ada")
        #expect(identity.lastName == "Lovelace")
        #expect(identity.screenName == "ada")
        #expect(identity.photoURL == "https://cdn.example/ada.png")
        #expect(identity.language == "en-GB")
        #expect(identity.alias == nil)
        #expect(identity.tenant == nil)
        #expect(try JSON.parse(identity.rawUserInfo)["sub"] == "subject-1")
    }

    @Test(
        arguments: [
            ["picture": "javascript:alert(1)"], ["picture": "//cdn.example/x"], ["picture": 1], ["name": ["x"]],
            ["locale": ["country": "US"]],
            ["name": ""], ["name": .string(String(repeating: "n", count: 1025))], ["email": "no address"], ["email": "a@b@c"], ["email": 1],
        ] as [JSON.Object])
    func `claims of another shape are left out`(_ claims: JSON.Object) async throws {
        let identity = try await issuer.identity(claims)
        switch claims.first?.name {
        case "picture": #expect(identity.photoURL == nil)
        case "name": #expect(identity.displayName == nil)
        case "locale": #expect(identity.language == nil)
        default: #expect(identity.email == nil && !identity.emailVerified && !identity.emailAuthoritative)
        }
    }

    // MARK: E-mail

    @Test(arguments: [(true, true), ("true", true), (false, false), ("false", false)] as [(JSON, Bool)])
    func `email_verified counts as a boolean or its two spellings`(_ claim: JSON, _ expected: Bool) async throws {
        #expect(try await issuer.identity(["email_verified": claim]).emailVerified == expected)
    }

    @Test(arguments: ["TRUE", "True", 1, 1.0, "1", "yes", [], [true], ["x": true], .null] as [JSON])
    func `email_verified in any other form is false`(_ claim: JSON) async throws {
        #expect(try await issuer.identity(["email_verified": claim]).emailVerified == false)
    }

    @Test func `the operator can trust more or less than the claim`() async throws {
        let always = issuer.provider(issuer: { $0.emailTrust = .always })
        let never = issuer.provider(issuer: { $0.emailTrust = .never })
        #expect(try await always.verify(Credential(idToken: try issuer.token(["email_verified": false]))).identity.emailVerified)
        #expect(try await !always.verify(Credential(idToken: try issuer.token(["email": .null]))).identity.emailVerified)
        #expect(try await !never.verify(Credential(idToken: try issuer.token())).identity.emailVerified)
    }

    @Test func `an address joins accounts only when verified and of a domain that the operator listed`() async throws {
        #expect(try await !issuer.identity([:]).emailAuthoritative)
        #expect(try await issuer.identity([:]) { $0.authoritativeDomains = ["example.com"] }.emailAuthoritative)
        #expect(try await issuer.identity(["email": "Ada@EXAMPLE.com"]) { $0.authoritativeDomains = ["example.com"] }.emailAuthoritative)
        #expect(try await !issuer.identity(["email_verified": false]) { $0.authoritativeDomains = ["example.com"] }.emailAuthoritative)
        for email in ["ada@sub.example.com", "ada@example.com.evil.example", "ada@evilexample.com", "ada@example.org"] {
            #expect(try await !issuer.identity(["email": .string(email)]) { $0.authoritativeDomains = ["example.com"] }.emailAuthoritative)
        }
    }

    // MARK: Userinfo

    private func signIn(userInfo: JSON, _ changes: JSON.Object = [:]) async throws -> ProviderIdentity {
        issuer.upstream.answer(issuer.userInfoURL, userInfo)
        var claims = changes
        claims["nonce"] = "nonce-1"
        issuer.redeems(for: try issuer.token(claims))
        return try await issuer.provider(issuer: { $0.asksUserInfo = true }).redeem(["code": "code-1"]).identity
    }

    @Test func `userinfo adds what the token leaves out, and changes nothing else`() async throws {
        let identity = try await signIn(userInfo: [
            "sub": "subject-1", "name": "Other", "picture": "https://cdn.example/a.png", "groups": ["x"],
        ])
        #expect(identity.displayName == "Ada Lovelace")
        #expect(identity.photoURL == "https://cdn.example/a.png")
        #expect(try JSON.parse(identity.rawUserInfo)["groups"] == ["x"])
        #expect(issuer.upstream.requests.last?.headers["authorization"] == "Bearer access-1")
    }

    @Test(arguments: ["subject-2", "SUBJECT-1", "subject-1 ", 1, .null, ""] as [JSON])
    func `userinfo of another person is discarded`(_ subject: JSON) async throws {
        let identity = try await signIn(
            userInfo: ["sub": subject, "picture": "https://cdn.example/a.png", "email": "victim@example.com", "email_verified": true],
            ["email": .null, "email_verified": .null])
        #expect(identity.subject == "subject-1")
        #expect(identity.photoURL == nil)
        #expect(identity.email == nil)
        #expect(!identity.rawUserInfo.contains("victim"))
    }

    @Test func `an address and the word on it come from one source`() async throws {
        let mixed = try await signIn(userInfo: ["sub": "subject-1", "email": "victim@example.com"], ["email": .null])
        #expect(mixed.email == "victim@example.com")
        #expect(!mixed.emailVerified)
        let own = try await signIn(
            userInfo: ["sub": "subject-1", "email": "x@example.com", "email_verified": true], ["email_verified": .null])
        #expect(own.email == "ada@example.com")
        #expect(!own.emailVerified)
        let whole = try await signIn(
            userInfo: ["sub": "subject-1", "email": "x@example.com", "email_verified": true], ["email": .null, "email_verified": .null])
        #expect(whole.email == "x@example.com")
        #expect(whole.emailVerified)
    }

    @Test(arguments: [200, 401, 500])
    func `a failing userinfo fails nothing`(_ status: Int) async throws {
        issuer.upstream.answer(issuer.userInfoURL, text: "<html>", status: status)
        issuer.redeems(for: try issuer.token(["nonce": "nonce-1"]))
        let identity = try await issuer.provider(issuer: { $0.asksUserInfo = true }).redeem(["code": "code-1"]).identity
        #expect(identity.displayName == "Ada Lovelace")
    }

    @Test func `userinfo is not asked without an access token, nor where the entry says never`() async throws {
        _ = try await issuer.provider(issuer: { $0.asksUserInfo = true }).verify(Credential(idToken: try issuer.token()))
        _ = try await issuer.provider(issuer: { $0.asksUserInfo = false }).verify(Credential(idToken: try issuer.token(), accessToken: "a"))
        #expect(issuer.upstream.count(issuer.userInfoURL) == 0)
    }

    @Test func `there is no photo to fetch`() async throws {
        #expect(try await issuer.provider().photo(accessToken: "a") == nil)
        #expect(issuer.upstream.requests.isEmpty)
    }

    // MARK: Issuers with a path or a slash

    @Test(
        arguments: [
            ("https://a.example", "https://a.example/.well-known/openid-configuration"),
            ("https://a.example/", "https://a.example/.well-known/openid-configuration"),
            ("https://a.example/realms/x", "https://a.example/realms/x/.well-known/openid-configuration"),
        ])
    func `the document lies below the issuer`(_ name: String, _ url: String) { #expect(OpenIDConnect(issuer: name).documentURL == url) }

    @Test func `a slash at the end is part of the name`() async throws {
        let issuer = try FakeIssuer("https://tenant.auth.example/")
        #expect(await issuer.provider().refusal(of: try issuer.token()) == nil)
        #expect(await issuer.provider().refusal(of: try issuer.token(["iss": "https://tenant.auth.example"]))?.reason != nil)
    }

    @Test func `an address is read without spaces around it, and its domain in ASCII`() async throws {
        for (written, read) in [(" ada@example.com ", "ada@example.com"), ("ada@bücher.example", "ada@xn--bcher-kva.example")] {
            let identity = try await issuer.identity(["email": .string(written)]) { $0.authoritativeDomains = ["xn--bcher-kva.example"] }
            #expect(identity.email == read && identity.emailVerified && identity.kept.email == read)
            #expect(identity.emailAuthoritative == read.hasSuffix("xn--bcher-kva.example"))
            #expect(identity.rawUserInfo.contains(written))
        }
    }

    @Test func `an ID token of hundreds of groups is read, up to 64 KiB`() async throws {
        let groups = JSON.array((0..<1200).map { .string("0123456789abcdef0123456789abcdef\(1000 + $0)") })
        #expect(try await issuer.identity(["groups": groups]).subject == "subject-1")
        issuer.redeems(for: try issuer.token(["groups": groups, "nonce": "nonce-1"]))
        #expect(try await issuer.provider().redeem(["code": "code-1"]).identity.subject == "subject-1")
        let token = try issuer.token(["groups": .array([groups, groups])])
        #expect(await issuer.provider().refusal(of: token)?.reason == "The ID token is longer than 65536 bytes.")
    }
}

/// Azure AD B2C: the discovery document is not where the issuer's name says, and all policies share the issuer.
@Suite struct B2CTests {
    let data: ProviderData
    let issuer: FakeIssuer
    static let document = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_in/v2.0/.well-known/openid-configuration"

    init() throws {
        let url = "https://contoso.b2clogin.com/11111111-2222-4333-8444-555555555555/v2.0/"
        data = try ProviderData("azure-ad-b2c")
        let values: JSON.Object = [
            "issuer": .string(url), "base": "https://contoso.b2clogin.com/contoso.onmicrosoft.com", "policy": "b2c_1_in",
        ]
        issuer = try FakeIssuer(url, document: try data.answer("discovery", values))
        issuer.upstream.answer(Self.document, .object(issuer.document))
        issuer.upstream.fail(issuer.documentURL, .unreachable("no document here"))
    }

    private func provider(_ change: (inout OpenIDConnect) -> Void = { _ in }) -> ConfiguredProvider {
        issuer.provider(issuer: {
            $0.discoveryURL = Self.document
            $0.policy = "B2C_1_in"
            $0.subjectClaim = "oid"
            change(&$0)
        })
    }

    private func token(_ changes: JSON.Object = [:]) throws -> String {
        let person: JSON.Object = [
            "policy": "b2c_1_in", "oid": "oid-1", "sub": "Not supported currently. Use oid claim.", "name": "Ada Lovelace",
            "emails": ["ada@example.com", "other@example.com"],
        ]
        let claims = (try data.answer("claims", person).object ?? [:]).merging(["email": .null, "email_verified": .null])
        return try issuer.token(claims.merging(changes))
    }

    @Test func `the object id is the subject, and the first address the e-mail, unverified`() async throws {
        let identity = try await provider().verify(Credential(idToken: try token())).identity
        #expect(identity.subject == "oid-1")
        #expect(identity.email == "ada@example.com")
        #expect(!identity.emailVerified)
        let trusted = try await provider { $0.emailTrust = .always }.verify(Credential(idToken: try token())).identity
        #expect(trusted.emailVerified)
    }

    @Test func `a token of another policy is refused without any request`() async throws {
        #expect(await provider().refusal(of: try token(["tfp": "b2c_1_weak"]))?.reason == "The ID token comes from another policy.")
        #expect(await provider().refusal(of: try token(["tfp": .null]))?.reason == "The ID token comes from another policy.")
        #expect(issuer.upstream.requests.isEmpty)
        #expect(await provider().refusal(of: try token(["tfp": .null, "acr": "B2C_1_IN"])) == nil)
        #expect(await provider().refusal(of: try token(["tfp": "b2c_1_weak", "acr": "b2c_1_in"]))?.reason != nil)
    }

    @Test func `an app cannot choose another policy`() async {
        let error = await failure { () async throws(ProviderError) in _ = try await provider().authorize(["p": "b2c_1_weak"]) }
        #expect(error?.isBadParameter == true)
    }

    @Test func `a sub that all users share is refused`() async throws {
        let provider = provider { $0.subjectClaim = "sub" }
        #expect(await provider.refusal(of: try token())?.reason == "The ID token does not say who signed in.")
        #expect(await provider.refusal(of: try token(["sub": "any thing"]))?.reason == "The ID token does not say who signed in.")
        #expect(await provider.refusal(of: try token(["sub": "a-b-c"])) == nil)
        #expect(await self.provider().refusal(of: try token(["oid": .null]))?.reason == "The ID token does not say who signed in.")
    }

    @Test func `expires_in as a string and no access token are fine`() async throws {
        let token = try token(["nonce": "nonce-1"])
        let answer = try data.answer("token", ["id_token": .string(token)]).object ?? [:]
        issuer.redeems(for: token, adding: answer.merging(["access_token": .null, "refresh_token": .null]))
        let result = try await provider().redeem(["code": "code-1"])
        #expect(result.expiresIn == 3600)
        #expect(result.accessToken == nil)
    }

    @Test func `a code at the wrong policy is refused with B2C's code in the log`() async throws {
        issuer.upstream.answer(issuer.tokenURL, try data.error("other policy", ["actual": "b2c_1_weak", "expected": "b2c_1_in"]))
        let error = await failure { () async throws(ProviderError) in _ = try await provider().redeem(["code": "code-1"]) }
        #expect(error?.logDetail.contains("AADB2C90088") == true)
    }

    @Test func `the document must name the configured issuer`() async throws {
        issuer.upstream.answer(Self.document, .object(try FakeIssuer("https://contoso.b2clogin.com/other/v2.0/").document))
        #expect(await provider().refusal(of: try token())?.reason == "The provider does not work as configured.")
    }
}
