import TestKit
import Testing

@testable import Config

/// The settings of a file as an operator sees them.
@Suite struct EffectiveSettingsTests {
    private func settings(_ yaml: String) throws -> [String] {
        let folder = try TestFolder(["file.yaml": yaml])
        return withExtendedLifetime(folder) {
            ConfigFile.effectiveSettings(of: folder.path + "/file.yaml", environment: [:]) { file in
                _ = file.bool("on", default: true)
                _ = file.string("name")
                _ = file.strings("hosts")
                _ = file.secret("password")
                let part = file.section("part")
                _ = part.int("size", default: 8, in: 1...9)
                for entry in file.list("entries") { _ = entry.string("id") }
                for (_, entry) in file.sections("named") { _ = entry.string("id") }
            }.map { setting in
                let value =
                    switch setting.value {
                    case .text(let text): text
                    case .secret(let reference): "secret: \(reference)"
                    case .none: "none"
                    }
                return "\(setting.path) = \(value) (\(setting.line.map { "\($0)" } ?? "default"))"
            }
        }
    }

    @Test func `each stands there with its line, or as a default`() throws {
        let yaml = """
            name: demo
            hosts: [a, b]
            part:
              size: 3
            entries:
              - {id: one}
              - {id: two}
            named: {x: {id: y}}
            """
        #expect(
            try settings(yaml) == [
                "entries[0].id = one (6)", "entries[1].id = two (7)", "hosts = a, b (2)", "name = demo (1)", "named.x.id = y (8)",
                "on = true (default)", "part.size = 3 (4)", "password = none (default)",
            ])
        #expect(try settings("on: false").contains("part.size = 8 (default)"))
    }

    @Test func `of a secret, only the reference stands there`() throws {
        #expect(try settings("password: {env: PASSWORD}").contains("password = secret: env PASSWORD (1)"))
        #expect(try settings("password: hunter2").contains("password = secret:  (1)"))
    }

    @Test func `a file that cannot be read has none`() throws {
        #expect(try settings("- a list") == [])
        #expect(ConfigFile.effectiveSettings(of: "/nowhere.yaml", environment: [:]) { _ in }.isEmpty)
    }
}
