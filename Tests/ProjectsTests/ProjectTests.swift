import JSON
import ProjectSettings
import Providers
import Testing

import Text
@testable import Projects

/// The values that a project derives from its file.
@Suite struct ProjectTests {
    private static let providers = """
        providers:
          github.com: {clientId: c, clientSecret: {env: SECRET}}
          oidc.fake: {issuer: https://id.example.com, clientId: c, clientSecret: {env: SECRET}, name: Fake Login}
          oidc.off: {issuer: https://id.example.com, clientId: c, clientSecret: {env: SECRET}, enabled: false}

        """
    private static let ownPages = "redirect: {publicURL: https://app.example.com}\n"
    private let site = Site(publicURL: ReadProject.publicURL, development: false)

    @Test func `has its providers in the order of its file, and apart those that are switched off`() throws {
        let read = try ReadProject(Self.providers)
        #expect(read.faults == [])
        let project = read.project
        #expect(project.orderedProviders.map(\.id) == ["github.com", "oidc.fake"])
        #expect(project.configuredProviders.map(\.id) == ["github.com", "oidc.fake", "oidc.off"])
        #expect(project.namedProviders == ["github.com", "oidc.fake", "oidc.off"])
        #expect(Set(project.providers.keys) == ["github.com", "oidc.fake"])
        #expect(project.name(ofProvider: "oidc.fake") == "Fake Login" && project.name(ofProvider: "github.com") == "GitHub")
        #expect(project.name(ofProvider: "oidc.off") == nil && project.name(ofProvider: "oidc.gone") == nil)
        #expect(project.fileName == "acme.yaml" && !project.isMadeOnTheFly)
    }

    @Test func `has its pages at the server's address, or at that of the app`() throws {
        let (plain, own) = (try ReadProject(Self.providers).project, try ReadProject(Self.providers + Self.ownPages).project)
        #expect(plain.pagesURL == "https://auth.example.com" && own.pagesURL == "https://app.example.com")
        #expect(plain.handlerURL() == "https://auth.example.com/__/auth/handler")
        #expect(own.handlerURL(of: own.providers["oidc.fake"]) == "https://app.example.com/__/auth/handler")
        #expect(own.handlerURL(of: own.providers["github.com"]) == "https://app.example.com/__/auth/handler/github.com")
    }

    @Test(
        arguments: [
            ("https://app.example.com/__/auth/handler", true), ("https://auth.example.com/__/auth/callback", true),
            ("https://app.example.com/emulator/auth/handler", true), ("https://auth.example.com/emulator/auth/callback", true),
            ("https://app.example.com/__/auth/handler/", false), ("https://app.example.com/__/auth/start", false),
            ("http://app.example.com/__/auth/handler", false), ("https://evil.example/__/auth/handler", false),
            ("https://app.example.com.evil.example/__/auth/handler", false), ("", false),
        ] as [(UTF8Text, Bool)])
    func `knows the addresses at which SDKs look for results`(address: UTF8Text, isHandler: Bool) throws {
        #expect(try ReadProject(Self.ownPages).project.isHandler(address, of: site) == isHandler)
    }

    @Test(
        arguments: [
            // The handler, and with a provider's own address.
            ("https://auth.example.com/__/auth/handler", nil), ("https://auth.example.com/__/auth/handler/oidc.fake", nil),
            ("https://app.example.com/cb", nil),
            ("https://auth.example.com/__/auth/handler/oidc.other", .unauthorized(host: "auth.example.com")),
            ("https://evil.example/cb", .unauthorized(host: "evil.example")), ("http://app.example.com/cb", .malformed),
            ("https://app.example.com/cb?a=b", .malformed), ("https://app.example.com/cb#a", .malformed), ("app.example.com", .malformed),
            ("", .malformed),
        ] as [(UTF8Text, RedirectURIFault?)])
    func `SEC-07 lets a provider send a browser to the handler and to authorized pages`(text: UTF8Text, fault: RedirectURIFault?) throws {
        let project = try ReadProject().project
        do throws(RedirectURIFault) {
            let taken = try project.redirectURI(text, of: "oidc.fake", handlers: [project.handlerURL()])
            #expect(fault == nil && UTF8Text(taken) == text)
        } catch { #expect(error == fault) }
    }

    @Test func `describes itself to back ends when it is not an OpenID provider`() throws {
        let read = try ReadProject("tokens: {issuer: gatehouse, algorithm: ES256}\n")
        #expect(read.faults == [])
        let document = try JSON.parse(read.project.discovery)
        #expect(document["issuer"] == "https://auth.example.com/acme")
        #expect(document["jwks_uri"] == "https://auth.example.com/acme/oauth2/jwks")
        #expect(document["id_token_signing_alg_values_supported"] == ["ES256"])
        #expect(document["authorization_endpoint"] == nil && read.project.openIDProvider == nil)
        #expect(try JSON.parse(try ReadProject().project.discovery)["issuer"] == "https://securetoken.google.com/acme")
    }

    @Test func `sends the document of its OpenID provider when it is one`() throws {
        let clients =
            "openIDProvider: {clients: [{id: app, kind: native, redirectURIs: [\"com.example.app:/cb\"]}]}\nsignIn: {password: true}\n"
        let project = try ReadProject(clients).project
        #expect(try JSON.parse(project.discovery)["authorization_endpoint"] == "https://auth.example.com/acme/oauth2/authorize")
        #expect(project.openIDProvider?.native.document == project.discovery)
    }

    @Test func `becomes one that signs its tokens and is the same otherwise`() throws {
        let unsigned = try ReadProject("tokens: {algorithm: none}\n" + Self.providers + Self.ownPages, development: true).project
        let signing = unsigned.signingTokens
        #expect(unsigned.settings.tokens.unsigned && !signing.settings.tokens.unsigned)
        #expect(signing.settings.id == "acme" && signing.pagesURL == unsigned.pagesURL && signing.serverURL == unsigned.serverURL)
        #expect(signing.orderedProviders.map(\.id) == unsigned.orderedProviders.map(\.id))
        #expect(signing.configuredProviders.map(\.id) == unsigned.configuredProviders.map(\.id))
        #expect(Set(signing.providers.keys) == Set(unsigned.providers.keys) && signing.namedProviders == unsigned.namedProviders)
        #expect(signing.fileName == unsigned.fileName && signing.discovery == unsigned.discovery)
    }
}
