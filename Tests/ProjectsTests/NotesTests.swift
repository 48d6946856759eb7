import ProjectSettings
import Testing

@testable import Projects

/// What `gatehouse check` prints about a project besides faults.
@Suite struct NotesTests {
    private func notes(_ more: String, development: Bool = false) throws -> [String] {
        let read = try ReadProject(more)
        #expect(read.faults == [])
        return RedirectNotes.of(read.project, development: development)
    }

    private static let oneSite = "redirect: {publicURL: https://auth.app.example.com}\n"

    @Test func `names the redirect URI of each provider that is switched on, in alphabetical order`() throws {
        let entry = "{issuer: https://id.example.com, clientId: c, clientSecret: {env: SECRET}"
        let notes = try notes(
            """
            providers:
              oidc.fake: \(entry)}
              github.com: {clientId: c, clientSecret: {env: SECRET}}
              oidc.off: \(entry), enabled: false}

            """)
        #expect(
            notes == [
                "github.com  the redirect URI to register is https://auth.example.com/__/auth/handler/github.com",
                "oidc.fake  the redirect URI to register is https://auth.example.com/__/auth/handler",
            ])
    }

    @Test func `notes a domain whose browsers do not get the results of redirects`() throws {
        let foreign = "redirect: {publicURL: https://auth.example.org}\n"
        #expect(try notes(foreign).map { $0.prefix { $0 != " " } } == ["https://auth.example.org"])
        #expect(try notes(foreign).first?.contains("(redirect.publicURL) is not on the site of an authorized domain") == true)
        #expect(try notes(Self.oneSite) == [])
    }

    @Test func `notes each domain on another site than the pages, unless results come back by another way`() throws {
        let settings = try ReadProject().project.settings
        func notes(development: Bool = false, _ change: (inout ProjectSettings) -> Void = { _ in }) -> [String] {
            var settings = settings
            settings.authorizedDomains = ["app.example.com", "*.example.com", "app.example.org", "*.example.net"]
            change(&settings)
            let project = Project(settings: settings, providers: [], publicURL: ReadProject.publicURL)
            return RedirectNotes.of(project, development: development)
        }
        #expect(notes().map { $0.prefix { $0 != " " } } == ["app.example.org", "*.example.net"])
        #expect(notes().first?.contains("is on another site than auth.example.com: popups work there") == true)
        #expect(notes(development: true) == [])
        #expect(notes { $0.redirect.returnToken = true } == [])
    }

    @Test func `names the issuer and the documents of user flows to give to relying parties`() throws {
        let read = try ReadProject(
            """
            signIn: {password: true}
            openIDProvider:
              tenant: {id: 775527ff-9a37-4307-8b3d-cc311f58d925}
              clients: [{id: app, kind: native, redirectURIs: ["com.example.app:/cb"]}]
              userFlows: [{name: b2c_1_a, kind: signIn}, {name: b2c_1_b, kind: signIn, issuer: tfp}]

            """)
        #expect(read.faults == [])
        let base = "https://auth.example.com/acme"
        let document = ".well-known/openid-configuration, its issuer"
        #expect(
            OpenIDNotes.of(read.project, publicURL: ReadProject.publicURL) == [
                "openIDProvider  the issuer to give to relying parties is \(base)",
                "openIDProvider  the discovery document of b2c_1_a is \(base)/b2c_1_a/v2.0/\(document) \(base)/b2c_1_a/v2.0",
                "openIDProvider  the discovery document of b2c_1_b is \(base)/b2c_1_b/v2.0/\(document) "
                    + "https://auth.example.com/tfp/775527ff-9a37-4307-8b3d-cc311f58d925/b2c_1_b/v2.0/",
            ])
        #expect(try OpenIDNotes.of(ReadProject().project, publicURL: ReadProject.publicURL) == [])
    }
}
