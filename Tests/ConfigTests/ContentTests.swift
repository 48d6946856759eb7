import Runtime
import Testing

@testable import Config

@Suite struct ContentTests {
    private func content(_ text: String, _ environment: [String: String] = ["SECRET": "one"]) -> [UInt8] {
        let folder = Folder()
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", Array(text.utf8)), environment: environment, faults: faults)
        _ = section.secret("key")
        #expect(faults.isEmpty)
        return section.content
    }

    private static let base = "a: 1\nb: {c: [x, y]}\nkey: {env: SECRET}\n"

    @Test(arguments: [
        "# a comment\na: 1 # another\n\nb:\n  c:\n    - x\n    # between\n    - y\nkey: {env: SECRET}\n",
        "key: {env: SECRET}\nb: {c: [x, y]}\na: 1\n",
    ])
    func `is the same with other comments, layout and order of keys`(text: String) {
        #expect(content(text) == content(Self.base))
    }

    @Test(arguments: [
        "a: 2\nb: {c: [x, y]}\nkey: {env: SECRET}\n", "a: '1'\nb: {c: [x, y]}\nkey: {env: SECRET}\n",
        "a: 1\nb: {c: [y, x]}\nkey: {env: SECRET}\n", "a: 1\nb: {c: [x], y: }\nkey: {env: SECRET}\n",
        "a: 1\nb: {c: [xy]}\nkey: {env: SECRET}\n", "a: 1\nkey: {env: SECRET}\n",
    ])
    func `is another when anything is said otherwise`(text: String) {
        #expect(content(text) != content(Self.base))
    }

    @Test func `is another when a secret changes`() {
        #expect(content(Self.base, ["SECRET": "two"]) != content(Self.base))
    }
}
