import ProjectSettings
import Testing

import Text
@testable import Projects

/// The directory of all projects: which project a name leads to.
@Suite struct ProjectLookupTests {
    private static let directory = "775527ff-9a37-4307-8b3d-cc311f58d925"
    private static let provider = """
        openIDProvider:
          tenant: {id: \(directory), names: [contoso.onmicrosoft.com]}
          clients:
            - {id: page, kind: browser, redirectURIs: ["https://spa.example.com:8443/cb", "https://other.example.com/cb"]}
            - {id: app, kind: native, redirectURIs: ["com.example.app:/cb"]}
        signIn: {password: true}
        """

    private func projects(development: String? = nil) throws -> Projects {
        Projects(
            [try ReadProject(Self.provider).project, try ReadProject(id: "other", number: 8).project], anyKey: development)
    }

    @Test func `finds a project by its id, and a realm by the id of its rows or by its name in addresses`() throws {
        let project = try ReadProject().project
        let tenant = Project(
            tenant: ProjectSettings(.init(id: "customer-a", displayName: "A"), of: project.settings), providers: [],
            templates: project.templates, of: project)
        let projects = Projects([project.having(Tenants([tenant])), try ReadProject(id: "other", number: 8).project])
        #expect(projects.project(id: "acme")?.settings.storageID == "acme")
        #expect(projects.realm(storageID: "acme")?.settings.tenant == nil)
        #expect(projects.realm(storageID: "acme/customer-a")?.settings.tenant?.id == "customer-a")
        #expect(projects.realm(addressName: "acme~customer-a")?.settings.storageID == "acme/customer-a")
        for name in [
            "acme/customer-b", "other/customer-a", "acme/", "/customer-a", "acme/customer-a/", "acme//customer-a", "acme~customer-a",
        ] {
            #expect(projects.realm(storageID: name) == nil, "\(name)")
        }
        for name: UTF8Text in ["acme~customer-b", "other~customer-a", "acme/customer-a", "Acme"] {
            #expect(projects.realm(addressName: name) == nil, "\(name)")
        }
        #expect(projects.project(id: "Acme") == nil && projects.project(id: "") == nil && projects.project(id: "acme/customer-a") == nil)
    }

    @Test(
        arguments: [
            ("acme", "acme"), ("ACME", "acme"), ("contoso.onmicrosoft.com", "acme"), ("Contoso.OnMicrosoft.com", "acme"),
            (UTF8Text(directory), "acme"), (UTF8Text(directory.uppercased()), "acme"), ("other", "other"), ("contoso", nil), ("", nil),
            // The sign for kelvin, whose lower case is k; and an o with a combining accent.
            ("contoso.onmicrosoft.com\u{301}", nil), ("\u{212A}", nil),
        ] as [(UTF8Text, String?)])
    func `finds a project by each name of its directory, in any case of ASCII letters`(name: UTF8Text, id: String?) throws {
        #expect(try projects().realm(directory: name)?.settings.id == id)
    }

    @Test func `lets the pages of browser clients read answers, and those of no other client`() throws {
        #expect(try projects().browserOrigins == ["https://spa.example.com:8443", "https://other.example.com"])
    }

    @Test func `has a development project only where the server names one`() throws {
        let named = try projects(development: "acme")
        let plain = try projects()
        let (acme, other) = (try #require(named.project(id: "acme")), try #require(named.project(id: "other")))
        #expect(named.development?.settings.id == "acme" && plain.development == nil)
        #expect(named.isOfDevelopment(acme) && !named.isOfDevelopment(other) && !plain.isOfDevelopment(acme))
        #expect(try projects(development: "gone").development == nil)
    }

    @Test func `says for each project which providers keep tokens, those that are switched off too`() throws {
        let entry = "{issuer: https://id.example.com, clientId: c, clientSecret: {env: SECRET}"
        let read = try ReadProject(
            """
            providers:
              oidc.keeps: \(entry), storeProviderTokens: true}
              oidc.plain: \(entry)}
              oidc.off: \(entry), enabled: false}
            """)
        #expect(read.faults == [])
        let keepers = Projects([read.project, try ReadProject(id: "other", number: 8).project]).tokenKeepers
        #expect(keepers.mapValues { $0.sorted() } == ["acme": ["oidc.keeps", "oidc.off"], "other": []])
    }

    @Test func `changes one project until its file is read again, and touches no other one`() throws {
        let directory = ProjectDirectory(try projects())
        let changed = directory.change("acme") { $0.emailEnumerationProtection = false }
        #expect(changed?.settings.emailEnumerationProtection == false)
        #expect(directory.current.project(id: "acme")?.settings.emailEnumerationProtection == false)
        #expect(directory.current.project(id: "other")?.settings.emailEnumerationProtection == true)
        #expect(directory.current.realm(directory: "contoso.onmicrosoft.com")?.settings.emailEnumerationProtection == false)
        #expect(directory.change("gone") { $0.emailEnumerationProtection = false } == nil)
        directory.replace(try projects())
        #expect(directory.current.project(id: "acme")?.settings.emailEnumerationProtection == true)
    }
}
