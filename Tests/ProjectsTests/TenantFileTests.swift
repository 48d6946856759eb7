import Config
import ProjectSettings
import Providers
import TestKit
import Testing

@testable import Projects

/// A tenant's file: what is the tenant's own, and what it takes from its project.
@Suite struct TenantFileTests {
    private static let project = """
        signIn: {password: true, recentLogin: 10m}
        branding: {name: Acme, accent: "#112233"}
        mail: {actionURL: "https://app.example.com/action"}
        passwordPolicy: {enforcement: enforce, minLength: 12}
        emailEnumerationProtection: false
        providers:
          google.com: {clientId: g, clientSecret: {env: SECRET}}
          github.com: {clientId: h, clientSecret: {env: SECRET}}
        openIDProvider:
          tenant: {id: 775527ff-9a37-4307-8b3d-cc311f58d925, names: [acme.onmicrosoft.com]}
          clients: [{id: app, kind: native, redirectURIs: ["com.example.app:/cb"]}]
        """

    private func read(_ text: String, of project: String = project) throws -> (tenant: Project, faults: [String]) {
        let faults = Faults()
        let section = ConfigFile.read(text: "displayName: Customer A\n" + text, name: "customer-a.yaml", faults: faults)
        let tenant = TenantFile.read(
            "customer-a", section, of: try ReadProject(project).project, development: false, publicURL: ReadProject.publicURL)
        return (tenant, faults.all.map { "\($0.path) \($0.message)" })
    }

    @Test func `everything is off until the file says otherwise`() throws {
        let (tenant, faults) = try read("")
        let settings = tenant.settings
        #expect(faults == [])
        #expect(settings.storageID == "acme/customer-a" && settings.addressName == "acme~customer-a" && settings.id == "acme")
        #expect(!settings.signIn.password && !settings.signIn.emailLink && !settings.signIn.anonymous && tenant.providers.isEmpty)
        #expect(settings.branding.name == "Customer A" && settings.mail.actionURL == nil && settings.openIDProvider == nil)
        #expect(settings.passwordPolicy == PasswordPolicy() && settings.emailEnumerationProtection)
    }

    @Test func `the project's keys, apps and domains are the tenant's`() throws {
        let project = try ReadProject(Self.project).project.settings
        let settings = try read("").tenant.settings
        #expect(settings.apiKeys == project.apiKeys && settings.authorizedDomains == project.authorizedDomains)
        #expect(settings.number == project.number && settings.sessionNumber < 0 && project.sessionNumber == project.number)
    }

    @Test func `takes what it names, and no more`() throws {
        let (tenant, faults) = try read(
            "inherit: [signIn, mail, branding, passwordPolicy, emailEnumerationProtection, providers.google.com]\nproviders: {apple.com: {enabled: false, clientId: a}}"
        )
        #expect(faults.allSatisfy { $0.hasPrefix("providers.apple.com") }, "\(faults)")
        let settings = tenant.settings
        #expect(settings.signIn.password && settings.signIn.recentLogin == .seconds(600))
        #expect(settings.branding.name == "Acme" && settings.mail.actionURL == "https://app.example.com/action")
        #expect(settings.passwordPolicy.minLength == 12 && !settings.emailEnumerationProtection)
        #expect(tenant.configuredProviders.map(\.id) == ["google.com", "apple.com"])
    }

    @Test func `takes all providers by one word`() throws {
        #expect(try read("inherit: providers").tenant.configuredProviders.map(\.id) == ["google.com", "github.com"])
    }

    @Test func `a provider for relying parties is an issuer of its own, without the directory of the project`() throws {
        let tenant = try read("inherit: openIDProvider").tenant
        #expect(tenant.openIDProvider?.native.urls.issuer == "https://auth.example.com/acme~customer-a")
        #expect(tenant.settings.openIDProvider?.clients.map(\.id) == ["app"])
        #expect(tenant.settings.directoryNames == ["acme~customer-a"])
    }

    @Test(arguments: [
        ("inherit: [signIn]\nsignIn: {password: true}", "signIn is among inherit, too"),
        ("inherit: [providers]\nproviders: {google.com: {clientId: x, clientSecret: {env: A}}}", "google.com is among inherit, too"),
        ("inherit: [singIn]", "expected a name that can be taken from the project"),
        ("inherit: [providers.facebook.com]", "providers.facebook.com is not a provider of the project"),
        ("project: acme", "unknown key"), ("apiKeys: [k]", "unknown key"), ("dynamicTenants: true", "unknown key"),
        ("firestore: {}", "unknown key"), ("tokens: {algorithm: ES256}", "unknown key"), ("enabled: maybe", "expected true or false"),
        ("authorizedDomains: [a.example.com]", "unknown key"),
    ])
    func `refuses what is given twice, is not there, or is the project's`(text: String, fault: String) throws {
        let faults = try read(text).faults
        #expect(faults.contains { $0.contains(fault) }, "\(faults)")
    }

    @Test func `its sessions lead to it, and to no other`() throws {
        let project = try ReadProject(Self.project).project
        let tenants = Tenants(
            ["a-one", "b-two"].map { id in
                Project(
                    tenant: ProjectSettings(.init(id: id, displayName: id), of: project.settings), providers: [],
                    templates: project.templates, of: project)
            })
        for tenant in tenants.all { #expect(tenants.tenant(sessionNumber: tenant.settings.sessionNumber) === tenant) }
        #expect(tenants.tenant(sessionNumber: project.settings.number) == nil)
    }

    @Test(arguments: ["ab", "a-1", "customer-a", String(repeating: "a", count: 64)])
    func `may have this id`(id: String) { #expect(ProjectSettings.Tenant.isID(id)) }

    @Test(arguments: ["", "a", "A-tenant", "1a", "a-", "a/b", "a~b", "a.b", "ä-b", String(repeating: "a", count: 65)])
    func `may not have this id`(id: String) { #expect(!ProjectSettings.Tenant.isID(id)) }
}

/// Tenants that calls make, over the template of their project.
@Suite struct TenantRecordTests {
    private func project(template: String = "") throws -> Project {
        let project = try ReadProject("dynamicTenants: true\nsignIn: {password: true}").project
        let section = ConfigFile.read(text: "displayName: Template\n" + template, name: "template.yaml", faults: Faults())
        let template = TenantFile.read("template", section, of: project, development: false, publicURL: ReadProject.publicURL)
        return project.having(Tenants(template: template))
    }

    @Test func `has what the template says and nothing was set of`() throws {
        var record = TenantRecord()
        record.displayName = "Shop"
        record.emailLink = true
        let tenant = try #require(project(template: "signIn: {password: true}\nemailEnumerationProtection: false").tenant("shop-1", record))
        let settings = tenant.settings
        #expect(settings.signIn.password && settings.signIn.emailLink && !settings.emailEnumerationProtection)
        #expect(settings.storageID == "acme/shop-1" && settings.tenant?.displayName == "Shop" && settings.branding.name == "Shop")
        #expect(tenant.fileName == nil)
    }

    @Test func `reads again what it stored`() throws {
        var record = TenantRecord()
        (record.displayName, record.enabled, record.password, record.anonymous) = ("Ä \"quoted\"", false, true, true)
        (record.signUp, record.deletion, record.emailEnumerationProtection) = (false, false, false)
        var factors = ProjectSettings.MultiFactor()
        (factors.state, factors.sms) = (.mandatory, true)
        record.secondFactors = .init(factors)
        var policy = PasswordPolicy()
        (policy.enforcement, policy.minLength) = (.enforce, 9)
        record.passwordPolicy = .init(policy)
        record.testNumbers = ["+16505550101": "123456"]
        #expect(TenantRecord(try record.text) == record)
        let settings = try #require(project().tenant("shop-1", record)).settings
        #expect(settings.tenant?.enabled == false && settings.multiFactor == factors && settings.passwordPolicy == policy)
        #expect(!settings.signIn.signUp && !settings.signIn.deletion && settings.phone.testNumbers == ["+16505550101": "123456"])
    }

    @Test(arguments: ["", "[]", "{\"enabled\": \"perhaps\"}", "{"])
    func `cannot read another text`(text: String) { #expect(TenantRecord(text) == nil) }

    @Test func `a project without a template has none`() throws {
        #expect(try ReadProject().project.tenant("shop-1", TenantRecord()) == nil)
    }
}
