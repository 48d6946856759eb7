import Curl
import HTTP
import JSON
import TestKit
import Testing

@testable import Providers
import Text

/// The keys of an entry of GitHub, and what `gatehouse check --live` finds of it.
@Suite struct GitHubSettingsTests {
    private let gitHub: FakeGitHub

    init() throws { gitHub = try FakeGitHub() }

    @Test func `an entry of two lines is enough`() throws {
        let settings = try gitHub.provider().settings
        #expect(settings.name == "GitHub")
        #expect(settings.scopes == ["user:email"])
        #expect(settings.usesPKCE)
        #expect(settings.clientAuthentication == .post)
        #expect(settings.hasOwnCallback)
    }

    @Test func `an Enterprise Server has its API below its own address`() async throws {
        let settings = try gitHub.provider("baseURL: https://git.example/").settings
        #expect(settings.storedIssuer == "https://git.example")
        let rules = try #require(settings.protocol.rules as? GitHub)
        #expect(rules.endpoints.token == "https://git.example/login/oauth/access_token")
        #expect(rules.apiBase == "https://git.example/api/v3")
        let cloud = try gitHub.provider("baseURL: https://acme.ghe.com").settings
        #expect((cloud.protocol.rules as? GitHub)?.apiBase == "https://api.acme.ghe.com")
        let other = try gitHub.provider("baseURL: https://git.example\napiBase: https://api.git.example").settings
        #expect((other.protocol.rules as? GitHub)?.apiBase == "https://api.git.example")
    }

    @Test(arguments: [
        ("flow: code", "flow: unknown key"), ("nonce: sha256", "nonce: unknown key"), ("tenant: common", "tenant: unknown key"),
        ("allowedAudiences: [a]", "allowedAudiences: unknown key"), ("baseURL: http://git.example", "baseURL: expected an https URL"),
        ("emailTrust: always", "emailTrust: expected one of: never, claim"),
        ("clientAuth: none", "clientAuth: expected one of: post, basic"), ("clientAuth: auto", "clientAuth: expected one of: post, basic"),
        ("pkce: off", "pkce: must stay on: without ID tokens, nothing else shows that a code belongs to the sign-in"),
        (
            "authoritativeDomains: [example.com]",
            "authoritativeDomains: needs emailTrust: claim, since an address that is not verified joins no account"
        ),
    ])
    func `a key that cannot be is a fault`(_ line: String, _ fault: String) throws {
        let (_, faults) = try read("github.com", "clientId: a\nclientSecret: {env: SECRET}\n\(line)")
        #expect(faults == ["5 providers.github.com.\(fault)"])
    }

    private func findings(_ changes: (FakeUpstream) -> Void = { _ in }) async throws -> [String] {
        gitHub.upstream.answer(FakeGitHub.tokenURL, try gitHub.data.error("bad_verification_code"))
        gitHub.upstream.answer(FakeGitHub.checkURL, try gitHub.data.error("not found"))
        changes(gitHub.upstream)
        return try await gitHub.provider().diagnose(redirectURI: FakeIssuer.handler)
    }

    @Test func `a client that GitHub accepts has nothing to mend`() async throws { #expect(try await findings() == []) }

    @Test(
        arguments: [
            (401, ["message": "Bad credentials"], "status 401"), (404, ["message": "Not Found"], "status 404"),
            (200, [], "not a JSON object"),
            (200, ["error": "incorrect_client_credentials"], "incorrect_client_credentials"),
            (200, ["error": "redirect_uri_mismatch"], "redirect_uri_mismatch"),
            (200, ["access_token": "a"], "redeems a code that does not exist"),
        ] as [(Int, JSON, String)])
    func `a token endpoint that does not know our client is named`(_ status: Int, _ answer: JSON, _ words: String) async throws {
        let findings = try await findings { $0.answer(FakeGitHub.tokenURL, answer, status: status) }
        #expect(findings.count == 1 && findings.first?.contains(FakeGitHub.tokenURL) == true && findings.first?.contains(words) == true)
    }

    @Test func `nothing is said about the client when nothing answers`() async throws {
        #expect(
            try await findings { $0.fail(FakeGitHub.tokenURL, .unreachable("Could not resolve host: github.com")) } == [
                "The token endpoint \(FakeGitHub.tokenURL) cannot be reached: Could not resolve host: github.com."
            ])
        let down = try await findings { $0.answer(FakeGitHub.tokenURL, [:], status: 503) }
        #expect(down == ["The token endpoint \(FakeGitHub.tokenURL) does not work with this entry. token endpoint: status 503"])
    }

    @Test func `a client that GitHub does not accept is told from an address that it does not know`() async throws {
        let client = try await findings { $0.answer(FakeGitHub.tokenURL, ["error": "incorrect_client_credentials"]) }
        #expect(client.first?.hasPrefix("The provider does not accept clientId and clientSecret.") == true)
        let address = try await findings { $0.answer(FakeGitHub.tokenURL, ["error": "redirect_uri_mismatch"]) }
        #expect(address.first?.hasPrefix("The provider does not know the redirect URI \(FakeIssuer.handler)") == true)
    }

    @Test func `a check of access tokens that does not work is named`() async throws {
        for (status, answer) in [(401, ["message": "Bad credentials"]), (301, [:])] as [(Int, JSON)] {
            let findings = try await findings { $0.answer(FakeGitHub.checkURL, answer, status: status) }
            #expect(findings == ["GitHub's check of an access token, below apiBase, answers with status \(status)."])
        }
        let lenient: JSON = ["app": ["client_id": "client-1"], "user": ["id": 1]]
        #expect(
            try await findings { $0.answer(FakeGitHub.checkURL, lenient) } == [
                "The check of access tokens accepts one that does not exist."
            ])
        #expect(
            try await findings { $0.fail(FakeGitHub.checkURL, .unreachable("Could not resolve host: api.github.com")) } == [
                "The address \(FakeGitHub.checkURL) cannot be reached: Could not resolve host: api.github.com."
            ])
    }
}
