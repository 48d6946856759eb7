import ProjectSettings
import Projects
import Runtime
import TestKit
import Testing

@testable import Server

/// What a reload takes of the files, and what it keeps of before.
@Suite struct ReloadTests {
    private typealias Written = WrittenConfiguration

    private static let first = [
        "demo.yaml": Written.project(), "adas.yaml": Written.project("adas", number: 8, key: "key-of-ada"),
    ]

    /// A reload of these files by a server that has read `first`: a `nil` takes its file away.
    private func reload(_ changes: [String: String?], conflicts: [String: String] = [:]) throws -> ReloadedProjects? {
        let written = try Written(projects: Self.first)
        let former = try written.reading().reading.files.map(\.project)
        for (name, text) in changes {
            if let text { try written.projects.write(name, text) } else { written.projects.remove(name) }
        }
        return ReloadedProjects(try written.reading().reading, conflicts: conflicts, keeping: former)
    }

    private func keys(_ reloaded: ReloadedProjects?) -> [String: [String]]? {
        reloaded.map { Dictionary(uniqueKeysWithValues: $0.projects.map { ($0.settings.id, $0.settings.apiKeys) }) }
    }

    @Test func `takes all files that are sound: changed, new and gone ones`() throws {
        let reloaded = try reload([
            "demo.yaml": Written.project(key: "another"), "adas.yaml": nil, "new.yaml": Written.project("fresh", number: 9, key: "f"),
        ])
        #expect(keys(reloaded) == ["demo": ["another"], "fresh": ["f"]])
        #expect(reloaded?.refusals == [])
    }

    @Test func `keeps the former project of a file with a fault, and takes the others`() throws {
        let reloaded = try reload([
            "demo.yaml": Written.project(key: "another"),
            "adas.yaml": Written.project("adas", number: 8, key: "new-key-of-ada", "apiKye: x"),
        ])
        #expect(keys(reloaded) == ["demo": ["another"], "adas": ["key-of-ada"]])
        let refusal = try #require(reloaded?.refusals.first)
        #expect(reloaded?.refusals.count == 1)
        #expect(refusal.contains("/adas.yaml is not taken, and the project adas keeps its former configuration:\n"))
        #expect(refusal.contains("unknown key; did you mean \"apiKeys\"?"))
    }

    @Test func `leaves out a new file with a fault`() throws {
        let reloaded = try reload(["new.yaml": "nonsense: ["])
        #expect(keys(reloaded)?.keys.sorted() == ["adas", "demo"])
        #expect(reloaded?.refusals.first?.contains("/new.yaml is not taken, and its project is not in use:\n") == true)
    }

    @Test func `knows the file's project by the name of the file, also when its id is not there any more`() throws {
        let reloaded = try reload(["adas.yaml": "project: [\n"])
        #expect(keys(reloaded)?["adas"] == ["key-of-ada"])
    }

    @Test func `keeps the former project of a sound file whose people are stored under another issuer`() throws {
        let reloaded = try reload(
            ["demo.yaml": Written.project(key: "another"), "adas.yaml": Written.project("adas", number: 8, key: "new")],
            conflicts: ["adas": "its people have another issuer"])
        #expect(keys(reloaded) == ["demo": ["another"], "adas": ["key-of-ada"]])
        #expect(reloaded?.refusals.first?.hasSuffix("keeps its former configuration:\nits people have another issuer") == true)
    }

    @Test func `takes nothing when no file is sound`() throws {
        #expect(try reload(["demo.yaml": "project: [\n", "adas.yaml": "project: [\n"]) == nil)
    }

    /// A project that claims what `adas`, whose file has a fault, still has.
    @Test(
        arguments: [
            Written.project(key: "key-of-ada"), Written.project(number: 8), Written.project("adas", number: 9),
        ])
    func `takes nothing when a project claims what a kept one has`(claiming: String) throws {
        #expect(try reload(["demo.yaml": claiming, "adas.yaml": "project: [\n"]) == nil)
        #expect(try reload(["demo.yaml": Written.project(key: "another"), "adas.yaml": "project: [\n"]) != nil)
    }

    @Test func `records whether the last reload took all files, and when one last did`() throws {
        let (metrics, time) = (Metrics(), TestTime())
        let record = ReloadRecord(metrics: metrics, clock: time.clock)
        let began = time.clock.now().seconds
        func said(_ name: String) -> String? {
            metrics.text().split(separator: "\n").first { $0.hasPrefix("gatehouse_config_last_reload_\(name) ") }
                .map { String($0.drop { $0 != " " }.dropFirst()) }
        }
        #expect(said("successful") == "1" && said("success_timestamp_seconds") == "\(began)")
        for outcome in [ReloadOutcome.refused("a fault"), .takenInPart("a fault")] {
            time.advance(.seconds(10))
            record.note(outcome)
            #expect(said("successful") == "0" && said("success_timestamp_seconds") == "\(began)")
        }
        time.advance(.seconds(10))
        record.note(.taken)
        #expect(said("successful") == "1" && said("success_timestamp_seconds") == "\(began + 30)")
    }
}
