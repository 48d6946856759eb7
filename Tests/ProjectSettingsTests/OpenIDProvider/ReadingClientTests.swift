import JOSE
import Runtime
import TestKit
import Testing

@testable import ProjectSettings

/// What an entry of `clients:` says, as `OAuthClient` has it.
@Suite struct ReadingClientTests {
    private static let native = "kind: native, redirectURIs: [\"com.example.app:/callback\"]"
    private static let server = "kind: confidential, redirectURIs: [\"https://rp.example.com/callback\"]"
    private static let rsa = """
        {"kty": "RSA", "kid": "one", "e": "AQAB", "n": "\(String(repeating: "v", count: 341))w"}
        """
    private static let ec = """
        {"kty": "EC", "crv": "P-256", "kid": "two", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """

    private static let nameless = ec.replacing("\"kid\": \"two\", ", with: "")

    @Test func `has the defaults of its kind where the entry says nothing`() throws {
        let read = try ReadOpenIDProvider(client: Self.native)
        #expect(read.faults == [])
        let native = try #require(read.client)
        #expect(native.id == "app" && native.name == "app" && native.kind == .native && native.authentication == .none)
        #expect(native.scopes == ["openid", "profile", "email", "offline_access"])
        #expect(native.accessTokenLifetime == .seconds(3600))
        #expect(native.refreshLifetime == .seconds(90 * 86400) && native.refreshIdle == .seconds(14 * 86400))
        #expect(native.refreshGrace == .seconds(30))
        #expect(native.requiresPKCE && !native.asksConsent && !native.profileInIDToken && !native.requiresPushedRequests)

        let script = try #require(
            try ReadOpenIDProvider(client: "kind: browser, redirectURIs: [\"https://app.example.com/callback\"]").client)
        #expect(script.authentication == .none)
        #expect(script.refreshLifetime == .seconds(86400) && script.refreshIdle == .seconds(86400))

        let server = try #require(try ReadOpenIDProvider(client: Self.server + ", secrets: {env: SECRET}").client)
        #expect(server.authentication == .basic)
        #expect(server.secrets.map { $0.reveal() } == [ReadOpenIDProvider.secret])
    }

    @Test func `reads every key`() throws {
        let read = try ReadOpenIDProvider(
            client: Self.server + """
                , name: Orders, postLogoutRedirectURIs: ["https://rp.example.com/"], authentication: post, secrets: [{env: SECRET}, {file: other}],
                scopes: [openid, phone], apiScopes: ["https://contoso.onmicrosoft.com/api/read"], accessTokenLifetime: 10m,
                refresh: {lifetime: 7d, grace: 0s}, pkce: optional, consent: true, profileInIDToken: true, pushedRequests: required,
                backChannelLogoutURI: "https://rp.example.com/logout?a=b"
                """, files: ["other": "nmlkjihgfedcba9876543210"])
        #expect(read.faults == [])
        let client = try #require(read.client)
        #expect(client.name == "Orders" && client.authentication == .post && client.secrets.count == 2)
        #expect(client.postLogoutRedirectURIs == ["https://rp.example.com/"])
        #expect(client.scopes == ["openid", "phone"])
        #expect(client.apiScopes.map(OAuthClient.audience) == ["https://contoso.onmicrosoft.com/api"])
        #expect(client.accessTokenLifetime == .seconds(600))
        #expect(client.refreshLifetime == .seconds(7 * 86400) && client.refreshIdle == client.refreshLifetime)
        #expect(client.refreshGrace == .zero)
        #expect(!client.requiresPKCE && client.asksConsent && client.profileInIDToken && client.requiresPushedRequests)
        #expect(client.backChannelLogoutURI == "https://rp.example.com/logout?a=b")
    }

    @Test func `reads the public keys of a client that signs`() throws {
        let entry = Self.server + ", authentication: privateKeyJwt, keys: app.jwks.json"
        let read = try ReadOpenIDProvider(client: entry, files: ["app.jwks.json": "{\"keys\": [\(Self.rsa), \(Self.ec)]}"])
        #expect(read.faults == [])
        #expect(read.client?.keys?.keys.map(\.kty) == ["RSA", "EC"])
    }

    @Test(
        arguments: [
            ("{}", "is not a JWK set"), ("no json", "is not a JWK set"), ("{\"keys\": []}", "has no key"),
            ("{\"keys\": [{\"kty\": \"oct\", \"k\": \"c2VjcmV0\"}]}", "has a key that is not taken (secret keys)"),
            (
                "{\"keys\": [{\"kty\": \"OKP\", \"crv\": \"Ed25519\", \"x\": \"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}",
                "has a key for neither RS256 nor ES256"
            ),
            ("{\"keys\": [\(rsa), \(nameless)]}", "has several keys, of which one has no kid"),
        ] as [(String, String)])
    func `refuses a file of keys that cannot verify every assertion`(keys: String, message: String) throws {
        let entry = Self.server + ", authentication: privateKeyJwt, keys: app.jwks.json"
        let faults = try ReadOpenIDProvider(client: entry, files: ["app.jwks.json": keys]).faults
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("clients[0].keys: the file app.jwks.json \(message)") == true, "\(faults)")
    }

    @Test(
        arguments: [
            ("native", "kind2: x", "kind2: unknown key"), ("", "redirectURIs: [\"com.example.app:/callback\"]", "kind: is missing"),
            ("", "kind: web, redirectURIs: [\"https://rp.example.com/callback\"]", "kind: expected one of: native, browser, confidential"),
            ("", "kind: native", "redirectURIs: is empty"), ("", "kind: native, redirectURIs: []", "redirectURIs: is empty"),
            (
                "native", "authentication: basic, secrets: {env: SECRET}",
                "authentication: is basic, but a native client cannot keep a secret"
            ),
            ("native", "secrets: {env: SECRET}", "secrets: has no use"), ("native", "keys: none.json", "keys: has no use"),
            ("server", "", "secrets: is missing"), ("server", "secrets: []", "secrets: is missing"),
            ("server", "secrets: hunter2", "secrets: secrets come by reference only"),
            ("server", "secrets: {env: UMLAUT}", "secrets: has a character outside ASCII"),
            ("server", "authentication: none", "authentication: is none, but a confidential client proves itself"),
            ("server", "authentication: privateKeyJwt", "keys: is missing"),
            ("server", "authentication: privateKeyJwt, keys: nowhere.json", "keys: the file nowhere.json cannot be read"),
            ("native", "pkce: optional", "pkce: must be required for a native client"),
            ("native", "scopes: [openid, groups]", "scopes[1]: expected one of openid, profile"),
            ("native", "scopes: []", "scopes: is empty"), ("native", "apiScopes: [read]", "apiScopes[0]: expected an absolute URI"),
            ("native", "apiScopes: [\"acme/read\"]", "apiScopes[0]: expected an absolute URI"),
            ("native", "apiScopes: [\"https://read\"]", "apiScopes[0]: expected an absolute URI"),
            ("native", "apiScopes: [\"https://api.example.com/\"]", "apiScopes[0]: expected an absolute URI"),
            ("native", "refresh: {lifetime: 1h, idle: 2h}", "refresh.idle: is longer than lifetime"),
            ("native", "refresh: {grace: 6m}", "refresh.grace: expected a time from 0s to 5m"),
            ("native", "backChannelLogoutURI: \"http://127.0.0.1/\"", "backChannelLogoutURI: expected an https URL"),
            ("native", "backChannelLogoutURI: \"https://rp.example.com/#x\"", "backChannelLogoutURI: expected an https URL"),
            ("native", "accessTokenLifetime: 2d", "accessTokenLifetime: expected a time from 5m to 1d"),
        ] as [(String, String, String)])
    func `says what is wrong with a client, once`(base: String, more: String, message: String) throws {
        let entry = [base == "native" ? Self.native : base == "server" ? Self.server : "", more].filter { !$0.isEmpty }
        let faults = try ReadOpenIDProvider(client: entry.joined(separator: ", ")).faults
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("clients[0].\(message)") == true, "\(faults)")
    }

    @Test(arguments: [
        ("acme", "is the project's own id"), ("acme/account", "is the id by which the account page of the project asks"),
        ("openid", "is the name of a scope"), ("with space", "expected 1 to 200 characters of ASCII"),
        ("n\u{E4}me", "expected 1 to 200 characters of ASCII"), ("", "expected 1 to 200 characters of ASCII"),
        (String(repeating: "x", count: 201), "expected 1 to 200 characters of ASCII"),
    ])
    func `refuses ids that a client must not have`(id: String, message: String) throws {
        let faults = try ReadOpenIDProvider("clients: [{id: \"\(id)\", \(Self.native)}]").faults
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("clients[0].id: \(message)") == true, "\(faults)")
    }

    @Test func `takes loopback addresses for log-outs in development mode`() throws {
        let entry = Self.native + ", backChannelLogoutURI: \"http://127.0.0.1:9000/logout\""
        #expect(try ReadOpenIDProvider(client: entry, development: true).faults == [])
    }

    @Test(arguments: [
        ("secret", false), ("123456789012345678901", false), ("abababababababababababababab", false),
        ("a1b2c3d4e5f60718293a4b5c6d7e8f90", true), ("x7Qm2pRk9VbT4wLz8NcYsA", true),
    ])
    func `in production a secret has as many characters, and as many different ones, as 128 random bits need`(secret: String, isGood: Bool)
        throws
    {
        let entry = Self.server + ", secrets: {file: secret}"
        let read = try ReadOpenIDProvider(client: entry, files: ["secret": secret])
        func guessed(_ notes: [String]) -> [String] { notes.filter { $0.contains("may be guessed") } }
        #expect(read.faults.isEmpty == isGood && guessed(read.notes) == [], "\(read.faults)")
        if !isGood { #expect(read.faults.first?.hasSuffix("make one: openssl rand -hex 32") == true) }
        let developed = try ReadOpenIDProvider(client: entry, development: true, files: ["secret": secret])
        #expect(developed.faults == [] && guessed(developed.notes).isEmpty == isGood)
    }

    @Test func `notes what an operator may not have meant`() throws {
        let unused = try ReadOpenIDProvider(client: Self.server + ", secrets: {env: SECRET}, scopes: [openid], refresh: {idle: 1d}")
        #expect(unused.notes.first?.hasPrefix("clients[0].refresh: has no effect") == true)
    }
}
