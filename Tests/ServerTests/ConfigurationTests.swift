import ProjectSettings
import Projects
import Testing

@testable import Server

/// All files together, and what commands about one project make of them.
@Suite struct ConfigurationTests {
    private typealias Written = WrittenConfiguration

    private func faults(_ projects: [String: String], _ more: String = "") throws -> [String] {
        try Written(more, projects: projects).reading().faults
    }

    @Test func `has the projects in the order of their files, with all notes`() throws {
        let written = try Written(
            "outbound: {allow: [169.254.169.254/32]}",
            projects: [
                "b.yaml": Written.project("alpha", key: "a"),
                "a.yml": Written.project("beta", number: 8, key: "b", "signIn: {emailLink: true}"),
            ])
        let configuration = try Configuration.load(from: written.path, environment: written.environment)
        #expect(configuration.projects.map(\.settings.id) == ["beta", "alpha"])
        #expect(configuration.projects.map(\.fileName) == ["a.yml", "b.yaml"])
        #expect(configuration.projects[0].pagesURL == "https://auth.example.com")
        #expect(configuration.notes.count == 2)
        #expect(
            configuration.notes.contains {
                $0.hasSuffix("signIn.emailLink: is true, but gatehouse.yaml has no mail, so no sign-in link can be sent")
            })
    }

    @Test func `throws the faults of all files at once`() throws {
        let written = try Written("loop: 2", projects: ["a.yaml": "project: [\n", "b.yaml": Written.project("beta", "apiKye: x")])
        let error = try #require(throws: Configuration.Faulty.self) {
            try Configuration.load(from: written.path, environment: written.environment)
        }
        #expect(error.faults.count == 3)
        #expect(error.description.contains("\n3 faults.") && error.description.hasSuffix("Nothing was done."))
        #expect(throws: Configuration.Faulty.self) { try Configuration.server(from: written.path, environment: written.environment) }
        let sound = try Written(projects: ["a.yaml": "project: [\n"])
        #expect(try Configuration.server(from: sound.path, environment: sound.environment).publicURL == "https://auth.example.com")
    }

    /// The second project's file, which has something that the first one's has.
    @Test(
        arguments: [
            (Written.project("demo", number: 8, key: "b"), "b.yaml:1:10  project: is used already, by"),
            (Written.project("beta", number: 7, key: "b"), "b.yaml:2:9  number: is used already, by"),
            (Written.project("beta", number: 8, key: "key"), "b.yaml:3:10  apiKeys: is used already, by"),
            (Written.project("beta", number: 8, key: "b, b"), "b.yaml:3:10  apiKeys: is given twice; remove one of them"),
        ])
    func `refuses what two projects claim, at the second one`(second: String, fault: String) throws {
        let faults = try faults(["a.yaml": Written.project(), "b.yaml": second])
        #expect(faults.count == 1 && faults.first?.hasPrefix(fault) == true, "\(faults)")
    }

    private static func provider(_ directory: String) -> String {
        """
        signIn: {password: true}
        openIDProvider:
          tenant: {\(directory)}
          clients: [{id: app, kind: native, redirectURIs: ["com.example.app:/cb"]}]

        """
    }

    @Test(
        arguments: [
            ("names: [Contoso.example]", "names: [contoso.EXAMPLE]", "openIDProvider.tenant.names: contoso.EXAMPLE is used already, by"),
            (
                "id: 775527ff-9a37-4307-8b3d-cc311f58d925", "id: 775527FF-9a37-4307-8b3d-cc311f58d925",
                "openIDProvider.tenant.id: is used already, by"
            ),
        ])
    func `refuses a directory that two projects claim, in any case`(first: String, second: String, fault: String) throws {
        let faults = try faults([
            "a.yaml": Written.project("alpha", number: 7, key: "a", Self.provider(first)),
            "b.yaml": Written.project("beta", number: 8, key: "b", Self.provider(second)),
        ])
        #expect(faults.count == 1 && faults.first?.contains("  \(fault)") == true, "\(faults)")
    }

    @Test func `needs a file for the development project`() throws {
        let lines = "development: true\ndevelopmentProject: gone"
        func faults(_ files: [String: String]) throws -> [String] {
            try Written(lines, publicURL: "http://localhost:8080", projects: files).reading().faults
        }
        #expect(try faults(["a.yaml": Written.project()]) == ["gatehouse.yaml:6:21  developmentProject: no project file has the id gone"])
        #expect(try faults(["a.yaml": Written.project("gone")]) == [])
        // A file that cannot be read may be the one.
        #expect(try faults(["a.yaml": Written.project(), "b.yaml": "project: [\n"]).count == 1)
    }

    @Test func `SEC-22 takes tokens without a signature for the development project alone`() throws {
        let none = "tokens: {algorithm: none}"
        let written = try Written(
            "development: true\ndevelopmentProject: demo", publicURL: "http://localhost:8080",
            projects: ["a.yaml": Written.project("demo", none), "b.yaml": Written.project("beta", number: 8, key: "b", none)])
        let faults = try written.reading().faults
        #expect(faults.count == 1 && faults.first?.hasPrefix("b.yaml:5:") == true)
        #expect(faults.first?.contains("tokens.algorithm: none is only for the project that developmentProject names") == true, "\(faults)")
    }

    @Test func `needs a folder with project files, and notes what else is in it`() throws {
        let written = try Written(projects: ["demo.yml.bak": "", ".demo.yaml.swp": "an editor's"])
        let (_, faults, notes) = try written.reading()
        #expect(faults.count == 1 && faults.first?.contains("has no project file; add one <project>.yaml for each project") == true)
        #expect(notes == ["demo.yml.bak  is ignored: project files end in .yaml or .yml, and folders in here are not looked through"])
    }

    @Test func `leaves a command about one project alone with faults of another one`() throws {
        let written = try Written(projects: [
            "a.yaml": Written.project(), "b.yaml": Written.project("beta", number: 8, key: "b", "apiKye: x"), "c.yaml": "project: [\n",
        ])
        let sound = try SoundConfiguration.load(from: written.path, environment: written.environment)
        #expect(sound.projects.map(\.settings.id) == ["demo"] && sound.project("demo") != nil && sound.project("beta") == nil)
        #expect(sound.faultyFiles.map { $0.split(separator: "/").last } == ["b.yaml", "c.yaml"])
        #expect(sound.reasonWhyUnknown("demo") == nil)
        #expect(sound.reasonWhyUnknown("beta")?.hasPrefix("the file of the project beta has faults:\n") == true)
        #expect(sound.reasonWhyUnknown("beta")?.contains("did you mean \"apiKeys\"?") == true)
        let unknown = try #require(sound.reasonWhyUnknown("gone"))
        #expect(unknown.hasPrefix("the configuration does not have a project gone; its projects are beta, demo; "))
        #expect(unknown.hasSuffix("/c.yaml cannot be read: gatehouse check says why"))
        // The file that cannot be read may be that of any project.
        #expect(sound.mayBeFaulty("gone"))
    }

    @Test func `knows whether a project may be among the files with faults`() throws {
        let written = try Written(projects: [
            "a.yaml": Written.project(), "b.yaml": Written.project("beta", number: 8, key: "b", "apiKye: x"),
        ])
        let sound = try SoundConfiguration.load(from: written.path, environment: written.environment)
        #expect(sound.mayBeFaulty("beta") && !sound.mayBeFaulty("gone") && !sound.mayBeFaulty("demo"))
        #expect(sound.reasonWhyUnknown("gone") == "the configuration does not have a project gone; its projects are beta, demo")
        let faulty = try written.copied("loop: 2")
        #expect(throws: Configuration.Faulty.self) { try SoundConfiguration.load(from: faulty.path, environment: faulty.environment) }
    }
}
