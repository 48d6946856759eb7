import Config
import FoundationEssentials
import JOSE
import Runtime
import TestKit
import Testing

@testable import Providers
import Text

/// One entry of `providers:` as its reader reads it, and the faults that it finds.
func read(
    _ id: String, _ yaml: String, allowInsecure: Bool = false, environment: [String: String] = [:]
) throws -> (ProviderSettings?, [String]) {
    let lines = yaml.split(separator: "\n").map { "    \($0)\n" }.joined()
    let folder = try TestFolder(["p.yaml": "providers:\n  \(id):\n\(lines)"])
    let faults = Faults()
    let top = ConfigFile.read("\(folder.path)/p.yaml", environment: environment.merging(["SECRET": "s3cret"]) { $1 }, faults: faults)
    let entry = try #require(top.sections("providers").first)
    let settings = ProviderSettings(id: entry.name, section: entry.section, allowInsecure: allowInsecure)
    top.finish()
    return (settings, faults.all.map { "\($0.line) \($0.path): \($0.message)" })
}

@Suite struct SettingsTests {
    @Test func `an OpenID Connect entry of three lines is enough`() throws {
        let (settings, faults) = try read(
            "oidc.acme", "issuer: https://login.acme.example/\nclientId: web\nclientSecret: {env: SECRET}")
        #expect(faults == [])
        let acme = try #require(settings)
        #expect(acme.id == "oidc.acme")
        #expect(acme.name == "acme")
        #expect(acme.enabled)
        #expect(acme.clientID == "web")
        #expect(acme.clientSecret?.reveal() == "s3cret")
        #expect(acme.scopes == ["openid", "profile", "email"])
        #expect(acme.usesPKCE)
        #expect(acme.flow == .code)
        #expect(acme.nonceRule == .sha256)
        #expect(acme.algorithms == nil)
        #expect(acme.storedIssuer == "https://login.acme.example/")
        #expect(!acme.allowsPlainText)
    }

    @Test func `every key of an OpenID Connect entry is read`() throws {
        let (settings, faults) = try read(
            "oidc.b2c",
            """
            name: Contoso
            enabled: false
            issuer: https://contoso.b2clogin.com/x/v2.0/
            discoveryURL: https://contoso.b2clogin.com/contoso/v2.0/.well-known/openid-configuration?p=b2c_1_in
            policy: b2c_1_in
            clientId: web
            clientAuth: none
            allowedAudiences: [ios, android]
            authoritativeDomains: [Contoso.Example]
            scopes: [offline_access, openid]
            parameters: {prompt: login}
            flow: idToken
            pkce: off
            nonce: rawOrSha256
            emailTrust: always
            userinfo: never
            algorithms: [RS256, ES256]
            subjectClaim: oid
            """)
        #expect(faults == [])
        let b2c = try #require(settings)
        #expect(b2c.name == "Contoso")
        #expect(!b2c.enabled)
        #expect(b2c.clientAuthentication == .none)
        #expect(b2c.audiences == ["web", "ios", "android"])
        #expect(b2c.authoritativeDomains == ["contoso.example"])
        #expect(b2c.scopes == ["openid", "profile", "email", "offline_access"])
        #expect(b2c.parameters == ["prompt": "login"])
        #expect(b2c.flow == .idToken)
        #expect(!b2c.usesPKCE)
        #expect(b2c.nonceRule == .rawOrSha256)
        #expect(b2c.algorithms == [.rs256, .es256])
        let issuer = try #require(b2c.protocol.issuer as? OpenIDConnect)
        #expect(issuer.policy == "b2c_1_in")
        #expect(issuer.subjectClaim == "oid")
        #expect(issuer.emailTrust == .always)
        #expect(!issuer.asksUserInfo)
        #expect(issuer.documentURL.hasSuffix("?p=b2c_1_in"))
    }

    @Test func `every key of a Microsoft entry is read`() throws {
        let id = "11111111-AAAA-4333-8444-555555555555"
        let (settings, faults) = try read(
            "microsoft.com",
            """
            clientId: web
            clientSecret: {env: SECRET}
            tenant: organizations
            allowedTenants: [\(id)]
            deniedTenants: \(id)
            authority: https://login.microsoftonline.us/
            graphBase: https://graph.microsoft.us/
            fetchProfile: false
            scopes: [mail.read]
            """)
        #expect(faults == [])
        let entry = try #require(settings)
        #expect(entry.name == "Microsoft")
        #expect(entry.clientAuthentication == .post)
        #expect(entry.scopes == ["openid", "profile", "email", "User.Read", "mail.read"])
        #expect(entry.storedIssuer == "https://login.microsoftonline.us")
        let issuer = try #require(entry.protocol.issuer as? MicrosoftIssuer)
        #expect(issuer.tenant == .organizations)
        #expect(issuer.allowedTenants == [id.lowercased()])
        #expect(issuer.deniedTenants == [id.lowercased()])
        #expect(issuer.graphBase == "https://graph.microsoft.us")
        #expect(!issuer.fetchesProfile)
    }

    @Test func `Microsoft without a tenant is for all accounts`() throws {
        let (settings, faults) = try read("microsoft.com", "clientId: web\nclientSecret: {env: SECRET}")
        #expect(faults == [])
        #expect((settings?.protocol.issuer as? MicrosoftIssuer)?.tenant == .common)
        #expect((settings?.protocol.issuer as? MicrosoftIssuer)?.fetchesProfile == true)
    }

    @Test func `all faults come at once, each with its line and remedy`() throws {
        let (_, faults) = try read(
            "oidc.acme",
            """
            issuer: http://login.acme.example
            clientSecret: plain-text
            clientAuth: maybe
            flow: hybrid
            scopes: ["a b"]
            parameters: {Client_ID: x}
            algorithms: [HS256]
            authoritativeDomains: [nowhere, "a/b.example"]
            tenant: common
            clientID: typo
            """)
        #expect(
            faults == [
                "3 providers.oidc.acme.clientId: is missing", "3 providers.oidc.acme.issuer: expected an https URL",
                "4 providers.oidc.acme.clientSecret: secrets come by reference only: write {env: NAME}, {file: path} or {credential: name}",
                "5 providers.oidc.acme.clientAuth: expected one of: basic, post, none, auto, privateKeyJwt",
                "6 providers.oidc.acme.flow: expected one of: code, idToken",
                "7 providers.oidc.acme.scopes: a scope has no space; write a list: [a, b]",
                "8 providers.oidc.acme.parameters: Client_ID is the protocol's own; remove it (use clientId)",
                "9 providers.oidc.acme.algorithms[0]: expected one of RS256, ES256, PS256, EdDSA",
                "10 providers.oidc.acme.authoritativeDomains[0]: expected a mail domain such as example.com",
                "10 providers.oidc.acme.authoritativeDomains[1]: expected a mail domain such as example.com",
                "11 providers.oidc.acme.tenant: unknown key", "12 providers.oidc.acme.clientID: unknown key; did you mean \"clientId\"?",
            ])
    }

    @Test(arguments: [
        "https://a.example/?x=1", "https://a.example/#x", "https://u@a.example", "a.example", "ftp://a.example", "https://a.example/ b",
    ])
    func `an issuer is a plain https URL`(_ issuer: String) throws {
        let (_, faults) = try read("oidc.acme", "issuer: \"\(issuer)\"\nclientId: a\nclientSecret: {env: SECRET}")
        #expect(faults == ["3 providers.oidc.acme.issuer: expected an https URL"])
    }

    @Test func `plain http is for development`() throws {
        let yaml = "issuer: http://127.0.0.1:9000\nclientId: a\nclientSecret: {env: SECRET}"
        #expect(try read("oidc.acme", yaml).1.count == 1)
        let (settings, faults) = try read("oidc.acme", yaml, allowInsecure: true)
        #expect(faults == [])
        #expect(settings?.allowsPlainText == true)
    }

    @Test func `a code flow needs a secret or says that it has none`() throws {
        let base = "issuer: https://a.example\nclientId: a\n"
        #expect(try read("oidc.acme", base).1.count == 1)
        #expect(try read("oidc.acme", base + "clientAuth: none").1 == [])
        #expect(try read("oidc.acme", base + "flow: idToken").1 == [])
        #expect(try read("oidc.acme", base + "clientAuth: none\npkce: off").1.count == 1)
        #expect(try read("oidc.acme", "clientId: a\nclientAuth: none").1.count == 1)
    }

    @Test func `an app cannot be sent to another tenant or policy by the entry's parameters`() throws {
        let base = "clientId: a\nclientSecret: {env: SECRET}\n"
        #expect(try read("microsoft.com", base + "parameters: {tenant: common}").1.count == 1)
        #expect(try read("microsoft.com", base + "parameters: {claims: x}").1.count == 1)
        #expect(try read("microsoft.com", base + "tenant: nowhere\nallowedTenants: [contoso.com]").1.count == 2)
    }

    @Test(arguments: [
        ("gc.apple.com", "does not check the signatures of Game Center"),
        ("playgames.google.com", "does not redeem the server codes of Google Play Games"),
    ])
    func `a provider of Firebase that is not there is refused with the reason`(_ id: String, _ reason: String) throws {
        let (settings, faults) = try read(id, "clientId: a")
        #expect(settings == nil && faults.count == 1)
        #expect(faults.first?.contains("\(id): is not supported: this server \(reason)") == true)
    }

    @Test func `a server that refuses foreign scopes is asked for its own`() throws {
        let base = "issuer: https://a.example\nclientId: a\nclientSecret: {env: SECRET}\n"
        let (settings, faults) = try read("oidc.acme", base + "standardScopes: false\nscopes: [\"user:read:email\"]")
        #expect(faults == [] && settings?.scopes == ["openid", "user:read:email"])
        #expect(try read("oidc.acme", base + "standardScopes: false\nscopes: [email]").0?.scopes == ["openid", "email"])
        #expect(try read("google.com", "clientId: a\nclientSecret: {env: SECRET}\nstandardScopes: false").1.count == 1)
    }

    @Test func `an implicit flow without a nonce is a fault`() throws {
        let base = "issuer: https://a.example\nclientId: a\nnonce: unsupported\n"
        #expect(
            try read("oidc.acme", base + "flow: idToken").1 == [
                "5 providers.oidc.acme.nonce: must not be unsupported with flow: idToken: nothing else shows that a token belongs to the "
                    + "sign-in"
            ])
        #expect(try read("oidc.acme", base + "clientSecret: {env: SECRET}\npkce: off").1 == [])
    }

    @Test(arguments: ["oidc.", "oidc.A", "oidc.a_b", "oidc.a.b", "oidc", "gooogle.com", "Microsoft.com"])
    func `refuses an id that no provider has`(_ id: String) throws {
        let (settings, faults) = try read(id, "clientId: a")
        #expect(settings == nil)
        #expect(faults.count == 1)
        let known = Provider.catalog.map(\.id).joined(separator: ", ")
        #expect(faults.first?.contains("is not the id of a provider; use \(known), or oidc. and a name") == true)
    }

    @Test(arguments: [
        ("google", "google.com"), ("Microsoft.com", "microsoft.com"), ("x.com", "twitter.com"), ("gitlab.com", "oidc.gitlab"),
        ("okta", "oidc.okta"), ("oidc", nil),
        ("oidc.A", nil),
    ])
    func `an id that no provider has gets the one that may be meant`(_ id: String, _ meant: String?) throws {
        let fault = try #require(try read(id, "clientId: a").1.first)
        #expect(fault.hasSuffix(meant.map { "; did you mean \"\($0)\"?" } ?? "letters, digits and hyphens"), "\(fault)")
    }

    @Test func `what the protocol itself sends has keys of its own`() throws {
        let base = "issuer: https://a.example\nclientId: a\nclientSecret: {env: SECRET}\n"
        #expect(
            try read("oidc.acme", base + "scopes: user repo").1 == [
                "6 providers.oidc.acme.scopes: a scope has no space; write a list: [user, repo]"
            ])
        #expect(
            try read("oidc.acme", base + "parameters: {state: x, scope: y}").1 == [
                "6 providers.oidc.acme.parameters: scope is the protocol's own; remove it (use scopes)",
                "6 providers.oidc.acme.parameters: state is the protocol's own; remove it",
            ])
        #expect(
            try read("apple.com", "clientId: a\nclientSecret: {env: SECRET}").1.contains(
                "4 providers.apple.com.clientSecret: unknown key; Gatehouse makes it from privateKey, so remove it"))
    }

    @Test func `a key that cannot have an effect is a fault or noted`() throws {
        let base = "clientId: a\nclientSecret: {env: SECRET}\n"
        let issuer = "issuer: https://a.example\n" + base
        #expect(
            try read("oidc.acme", issuer + "emailTrust: never\nauthoritativeDomains: [a.example]").1 == [
                "7 providers.oidc.acme.authoritativeDomains: has no effect with emailTrust: never, since an address that is not verified joins "
                    + "no account"
            ])
        let (own, other) = (FakeMicrosoft.contoso, FakeMicrosoft.fabrikam)
        #expect(
            try read("microsoft.com", base + "tenant: \(own)\nallowedTenants: [\(other)]").1 == [
                "6 providers.microsoft.com.allowedTenants: has no tenant of those that tenant: \(own) lets in, so no person could sign in"
            ])
        #expect(try read("microsoft.com", base + "tenant: \(own)\nallowedTenants: [\(other), \(own)]").1 == [])
        #expect(try read("microsoft.com", base + "tenant: contoso.com\nallowedTenants: [\(other)]").1 == [], "its GUID is not known here")
        #expect(try notes("linkedin.com", base + "pkce: s256") == ["5 pkce"])
        #expect(try notes("linkedin.com", base + "nonce: ifPosted") == ["5 nonce"])
        #expect(try notes("linkedin.com", base + "pkce: off\nnonce: unsupported").allSatisfy { !$0.hasSuffix("nonce") })
        #expect(try notes("facebook.com", base + "authoritativeDomains: [a.example]") == ["5 authoritativeDomains"])
    }

    /// Line and key of each note on an entry.
    private func notes(_ id: String, _ yaml: String) throws -> [String] {
        let lines = yaml.split(separator: "\n").map { "    \($0)\n" }.joined()
        let folder = try TestFolder(["p.yaml": "providers:\n  \(id):\n\(lines)"])
        let faults = Faults()
        let top = ConfigFile.read("\(folder.path)/p.yaml", environment: ["SECRET": "s3cret"], faults: faults)
        let entry = try #require(top.sections("providers").first)
        _ = ProviderSettings(id: entry.name, section: entry.section, allowInsecure: false)
        #expect(faults.all.isEmpty)
        return faults.notes.map { "\($0.line) \($0.path.split(separator: ".").last ?? "")" }
    }
}

@Suite struct CatalogTests {
    @Test func `the folder and the list are the same`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources/Providers/Catalog").path()
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != "Catalog.swift" }
        // Each has a file of its name, or a folder.
        let names = files.map { $0.hasSuffix(".swift") ? String($0.dropLast(6)) : $0 }
        let made = Provider.catalog.map(\.name) + RefusedProvider.refused.map(\.name)
        #expect(names.sorted() == made.map { $0.filter { $0 != " " } }.sorted())
        #expect(Set(Provider.catalog.map(\.id) + RefusedProvider.refused.map(\.id)).count == made.count)
    }
}
