import HTTP
import ProjectSettings
import Testing

import Text
@testable import Projects

/// Which project an API key leads to, and the projects that development mode makes on the fly.
@Suite struct APIKeyTests {
    private func directory(development: String? = "acme") throws -> ProjectDirectory {
        ProjectDirectory(
            Projects([try ReadProject().project, try ReadProject(id: "other", number: 8).project], anyKey: development))
    }

    /// A request of this machine, with these headers besides or in place of its own.
    private func request(_ headers: [(String, String)] = [], host: String? = "localhost:8080", from: Address = .loopback) -> Request {
        var all = Headers()
        if let host { all.add("host", host) }
        for (name, value) in headers { all.add(name, value) }
        return Request(method: .post, path: "/v1/accounts:signUp", headers: all, connectedFrom: from)
    }

    @Test func `leads to the project that has the key, and by no other key to any, in production`() throws {
        let directory = try directory(development: nil)
        #expect(directory.project(apiKey: "key-of-acme", for: request())?.settings.id == "acme")
        #expect(directory.project(apiKey: "key-of-other", for: request(host: "auth.example.com"))?.settings.id == "other")
        for key: UTF8Text in ["", "any", "Key-of-acme", "key-of-acme ", "acme", "project:suite"] {
            #expect(directory.project(apiKey: key, for: request()) == nil, "\(key)")
        }
        #expect(directory.projectOfDevelopment(named: "suite") == nil && directory.projectOfDevelopment(named: "acme") == nil)
    }

    @Test func `leads from every other key to the development project, for requests of this machine`() throws {
        let directory = try directory()
        #expect(directory.project(apiKey: "any", for: request())?.settings.id == "acme")
        #expect(directory.project(apiKey: "key-of-other", for: request())?.settings.id == "other")
        #expect(directory.project(apiKey: "", for: request()) == nil)
    }

    @Test func `SEC-22 knows only the keys of files for requests that are not of this machine`() throws {
        let directory = try directory()
        _ = try #require(directory.project(apiKey: "project:made-before", for: request()))
        let strangers = [
            request([("x-forwarded-for", "127.0.0.1")]), request([("via", "1.1 tunnel")]), request(host: "rebound.example.com"),
            request(host: nil), request(from: try #require(Address("192.0.2.1"))),
        ]
        for stranger in strangers {
            for key: UTF8Text in ["any", "project:suite", "project:made-before"] {
                #expect(directory.project(apiKey: key, for: stranger) == nil, "\(key)")
            }
            #expect(directory.project(apiKey: "key-of-acme", for: stranger)?.settings.id == "acme")
        }
        #expect(directory.current.all.map(\.settings.id) == ["acme", "other", "made-before"])
    }

    @Test func `makes a project like the development project, with an id, a number, a key and rows of its own`() throws {
        let signIn =
            "signIn: {password: true}\nopenIDProvider: {clients: [{id: app, kind: native, redirectURIs: [\"com.example.app:/cb\"]}]}\n"
        let entry = "providers: {oidc.fake: {issuer: https://id.example.com, clientId: c, clientSecret: {env: SECRET}}}"
        let acme = try ReadProject(signIn + entry).project
        let directory = ProjectDirectory(Projects([acme], anyKey: "acme"))
        let made = try #require(directory.project(apiKey: "project:first-suite", for: request()))
        #expect(made.settings.id == "first-suite" && made.settings.storageID == "first-suite")
        #expect(made.settings.apiKeys == ["project:first-suite"])
        #expect(made.isMadeOnTheFly && directory.current.isOfDevelopment(made))
        #expect(made.settings.signIn.password)
        // Clients and entries belong to the other one.
        #expect(acme.openIDProvider != nil && made.openIDProvider == nil)
        #expect(acme.namedProviders == ["oidc.fake"] && made.namedProviders.isEmpty && made.providers.isEmpty)
        #expect(made.fileName == nil && made.serverURL == acme.serverURL)
        // Always the same number, of twelve digits, and another one for another id.
        #expect(made.settings.number == Project(named: "first-suite", like: acme).settings.number)
        let second = try #require(directory.projectOfDevelopment(named: "second-suite"))
        #expect(second.settings.number != made.settings.number)
        for number in [made.settings.number, second.settings.number] { #expect((100_000_000_000...999_999_999_999).contains(number)) }
    }

    @Test func `makes a project once, and leads to the same one afterwards`() throws {
        let directory = try directory()
        let made = try #require(directory.project(apiKey: "project:suite", for: request()))
        #expect(directory.project(apiKey: "project:suite", for: request()) === made)
        #expect(directory.projectOfDevelopment(named: "suite") === made)
        #expect(directory.projectOfDevelopment(named: "acme")?.settings.id == "acme")
        #expect(directory.current.all.count == 3)
    }

    @Test(arguments: [
        "", "abc", "Upper-Case", "under_score", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "1st-project", "ends-", "emulator", "common",
    ])
    func `makes no project of a text that is not an id`(_ name: String) throws {
        let directory = try directory()
        #expect(directory.project(apiKey: UTF8Text("project:\(name)"), for: request()) == nil)
        #expect(directory.projectOfDevelopment(named: name) == nil)
        #expect(directory.current.all.count == 2)
    }

    @Test func `SEC-22 does not lead by its id to a project of a file that is not the development project`() throws {
        let directory = try directory()
        #expect(directory.project(apiKey: "project:other", for: request()) == nil)
        #expect(directory.projectOfDevelopment(named: "other") == nil)
    }

    @Test(
        arguments: [
            ([("origin", "http://localhost:3000")], true), ([("origin", "https://app.example.com")], false), ([("origin", "null")], false),
            ([("sec-fetch-site", "cross-site")], false), ([("sec-fetch-site", "same-origin")], true),
            ([("sec-fetch-site", "cross-site"), ("origin", "http://127.0.0.1:5000")], true),
            ([("origin", "http://localhost:3000"), ("origin", "https://app.example.com")], false),
        ] as [([(String, String)], Bool)])
    func `SEC-22 makes a project for a page of this machine alone`(_ headers: [(String, String)], isMade: Bool) throws {
        let directory = try directory()
        #expect((directory.project(apiKey: "project:suite", for: request(headers)) != nil) == isMade)
        #expect(directory.current.all.count == (isMade ? 3 : 2))
        #expect(directory.project(apiKey: "any", for: request(headers))?.settings.id == "acme")
    }

    @Test func `makes so many projects and no more`() throws {
        let acme = try ReadProject().project
        let made = (0..<Project.mostOnTheFly - 1).map { Project(named: "suite-\($0)", like: acme) }
        let directory = ProjectDirectory(Projects([acme] + made, anyKey: "acme"))
        #expect(directory.projectOfDevelopment(named: "the-last") != nil)
        #expect(directory.projectOfDevelopment(named: "one-more") == nil)
        #expect(directory.projectOfDevelopment(named: "suite-5") === made[5])
    }
}
