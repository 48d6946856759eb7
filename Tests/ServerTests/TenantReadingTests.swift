import Config
import Glibc
import ProjectSettings
import Projects
import TestKit
import Testing

@testable import Server

/// The files of tenants: which are read, when they are read again, and what a fault in one of them does.
@Suite struct TenantReadingTests {
    private typealias Written = WrittenConfiguration

    private func written(_ files: [String: String], project: String = "") throws -> Written {
        var all = ["demo.yaml": Written.project("demo", project)]
        for (name, text) in files { all["demo/\(name)"] = text }
        return try Written(projects: all)
    }

    private func read(_ written: Written, _ cache: TenantCache = TenantCache()) throws -> ConfigurationReading {
        try ConfigurationReading(from: written.path, environment: written.environment, reusing: cache)
    }

    private func ids(_ tenants: Tenants?) -> [String]? { tenants?.all.compactMap(\.settings.tenant?.id) }

    @Test func `reads the files of the folder beside the project's`() throws {
        let written = try written([
            "tenants/customer-a.yaml": "displayName: A", "tenants/customer-b.yml": "signIn: {password: true}", "tenants/notes.txt": "",
            "tenants/.hidden.yaml": "x: [",
        ])
        let file = try #require(read(written).files.first)
        #expect(file.allFaults.isEmpty, "\(file.allFaults.report())")
        #expect(ids(file.tenants.tenants()) == ["customer-a", "customer-b"])
        #expect(file.tenants.tenants()?.all.map(\.fileName) == ["demo/tenants/customer-a.yaml", "demo/tenants/customer-b.yml"])
        #expect(file.faults.notes.map(\.message) == ["is ignored: files of tenants end in .yaml or .yml"])
    }

    @Test func `a project without a folder has no tenants, and one with an empty folder may have some`() throws {
        #expect(try read(written([:])).files.first?.tenants.tenants() == nil)
        #expect(try ids(read(written(["tenants/.keep": ""])).files.first?.tenants.tenants()) == [])
        let dynamic = try #require(read(written([:], project: "dynamicTenants: true")).files.first?.tenants.tenants())
        #expect(ids(dynamic) == [] && dynamic.template != nil)
    }

    @Test(arguments: ["Customer.yaml", "a.yaml", "customer_a.yaml", "customer-.yaml"])
    func `refuses a file that is not named after a tenant`(name: String) throws {
        let faults = try #require(read(written(["tenants/\(name)": "displayName: A"])).files.first).allFaults
        #expect(faults.all.map(\.message).first?.hasPrefix("is not named after a tenant") == true)
    }

    @Test func `refuses two files of one tenant, and two tenants of one directory`() throws {
        let provider =
            "openIDProvider: {tenant: {names: [a.example.com]}, clients: [{id: x, kind: native, redirectURIs: [\"com.x:/\"]}]}\nsignIn: {password: true}"
        let twice = try written(["tenants/aa.yaml": "displayName: A", "tenants/aa.yml": "displayName: A"])
        #expect(try read(twice).files.first?.allFaults.report().contains("is a second file of the tenant aa") == true)
        let shared = try written(["tenants/aa.yaml": provider, "tenants/bb.yaml": provider])
        #expect(try read(shared).files.first?.allFaults.report().contains("is used already, by") == true)
    }

    @Test func `a fault stops the start, and names the tenant's file`() throws {
        let written = try written(["tenants/customer-a.yaml": "singIn: {password: true}"])
        let error = #expect(throws: Configuration.Faulty.self) {
            try Configuration.load(from: written.path, environment: written.environment)
        }
        #expect(error?.report.contains("demo/tenants/customer-a.yaml:1:1  singIn: unknown key; did you mean \"signIn\"?") == true)
    }

    @Test func `in a reload, a tenant whose file has a fault stays as it was, and touches no other`() throws {
        let written = try written(["tenants/customer-a.yaml": "displayName: A", "tenants/customer-b.yaml": "displayName: B"])
        let former = try Configuration.load(from: written.path, environment: written.environment).projects
        try written.projects.write("demo/tenants/customer-a.yaml", "displayName: [")
        try written.projects.write("demo/tenants/customer-b.yaml", "displayName: Bee")
        try written.projects.write("demo/tenants/customer-c.yaml", "nonsense: 1")
        let reloaded = try #require(ReloadedProjects(read(written), keeping: former))
        let tenants = try #require(reloaded.projects.first?.tenants)
        #expect(tenants.all.map(\.settings.tenant?.displayName) == ["A", "Bee"])
        #expect(reloaded.refusals.count == 2)
        #expect(
            reloaded.refusals.contains { $0.contains("customer-a.yaml is not taken, and the tenant keeps its former configuration:\n") })
        #expect(reloaded.refusals.contains { $0.contains("customer-c.yaml is not taken, and its tenant is not in use:\n") })
    }

    @Test func `a tenant that conflicts with the database stays as it was`() throws {
        let written = try written(["tenants/customer-a.yaml": "displayName: A"])
        let former = try Configuration.load(from: written.path, environment: written.environment).projects
        try written.projects.write("demo/tenants/customer-a.yaml", "displayName: Changed")
        let reloaded = try #require(ReloadedProjects(read(written), conflicts: ["demo/customer-a": "another issuer"], keeping: former))
        #expect(reloaded.projects.first?.tenants?.all.map(\.settings.tenant?.displayName) == ["A"])
        #expect(reloaded.refusals.first?.hasSuffix("another issuer") == true)
    }

    @Test func `reads again only what changed`() throws {
        let written = try written([
            "tenants/customer-a.yaml": "displayName: A", "tenants/customer-b.yaml": "displayName: B",
            "tenants/customer-c.yaml": "providers: {google.com: {clientId: x, clientSecret: {file: c.secret}}}", "tenants/c.secret": "one",
        ])
        chmod("\(written.projects.path)/demo/tenants/c.secret", 0o600)
        let cache = TenantCache()
        var before = try #require(read(written, cache).files.first?.tenants.tenants()?.all)
        #expect(before.count == 3)
        func again() throws -> [Bool] {
            let after = try #require(read(written, cache).files.first?.tenants.tenants()?.all)
            return zip(before, after).map { $0 === $1 }
        }
        #expect(try again() == [true, true, true])
        let other = try written.copied("loops: 3")
        let after = try #require(read(other, cache).files.first?.tenants.tenants()?.all)
        #expect(after[0] !== before[0], "the server's own file has changed")
        before = try #require(read(written, cache).files.first?.tenants.tenants()?.all)
        #expect(before[0] !== after[0])
        try written.projects.write("demo/tenants/customer-b.yaml", "displayName: Bee")
        #expect(try again() == [true, false, true])
        try written.projects.write("demo/tenants/c.secret", "two")
        #expect(try again() == [true, false, false], "a secret that a file names counts as a part of it")
        try written.projects.write("demo.yaml", Written.project("demo", "signIn: {password: true}"))
        #expect(try again() == [false, false, false], "what a tenant takes from its project may be another now")
    }

    @Test func `templates are a part of the project whose file names them`() throws {
        let written = try written(
            ["tenants/customer-a.yaml": "inherit: [mail]", "looks/words.en.yaml": "mail: {common: {phone: A telephone}}"],
            project: """
                mail: {templates: demo/looks}
                openIDProvider: {clients: [{id: app, name: App, kind: browser, redirectURIs: ["https://app.example.com/"]}]}
                """)
        let cache = TenantCache()
        func tenant() throws -> Project { try #require(read(written, cache).files.first?.tenants.tenants()?.all.first) }
        let first = try tenant()
        #expect(try tenant() === first)
        try written.projects.write("demo/looks/words.en.yaml", "mail: {common: {phone: A cell phone}}")
        let second = try tenant()
        #expect(second !== first, "a file of the folder has changed")
        try written.projects.write("demo/looks/words.de.yaml", "mail: {common: {phone: Ein Telefon}}")
        #expect(try tenant() !== second, "the folder has one file more")
    }

    @Test func `a note about a file that is not read again is still told`() throws {
        let written = try written([
            "tenants/customer-a.yaml": "providers: {google.com: {clientId: x, clientSecret: {file: a.secret}}}", "tenants/a.secret": "one",
        ])
        let secret = "\(written.projects.path)/demo/tenants/a.secret"
        let cache = TenantCache()
        func reading() throws -> TenantReading { try #require(read(written, cache).files.first?.tenants.readings.first) }
        chmod(secret, 0o644)
        let first = try reading()
        let second = try reading()
        #expect(first.faults.notes.count == 1 && second.faults.notes == first.faults.notes && second.tenant === first.tenant)
        chmod(secret, 0o600)
        #expect(try reading().faults.notes.isEmpty)
    }
}
