import Testing

@testable import Config

@Suite struct FileTests {
    @Test(arguments: [
        ("", "c.yaml  is empty"), ("# nothing\n", "c.yaml  is empty"), ("---\n", "c.yaml  is empty"), ("null", "c.yaml  is empty"),
        ("- a\n- b\n", "c.yaml:1:1  must be a mapping of keys to values"), ("just text", "c.yaml:1:1  must be a mapping of keys to values"),
        ("a: 1\nb: [1, 2\nc: 3\n", "c.yaml:3:2  is not YAML: did not find expected ',' or ']'"),
        ("a: 1\n\tb: 2\n", "c.yaml:2:1  is not YAML: found a tab character that violates indentation"),
        ("a: b: c\n", "c.yaml:1:5  is not YAML: mapping values are not allowed in this context"),
        ("a: *nobody\n", "c.yaml:1:4  is not YAML: found undefined alias"),
        ("a: 'open\n", "c.yaml:2:1  is not YAML: found unexpected end of stream"),
        ("a: 1\n---\nb: 2\n", "c.yaml:2:1  has a second document here; a configuration is one document"),
        ("a: 1\nb: 2\na: 3\n", "c.yaml:3:1  the key \"a\" is given twice in one mapping"),
        ("x:\n  '1': a\n  1: b\n", "c.yaml:3:3  the key \"1\" is given twice in one mapping"),
        ("a: \u{0}\n", "c.yaml  is not YAML: control characters are not allowed"),
    ])
    func `one fault says why a file is not a configuration`(yaml: String, fault: String) {
        #expect(reading(yaml) { $0.string("a") }.faults == [fault])
    }

    @Test func `a file that is not there or a folder is a fault with the system's reason`() {
        let folder = Folder()
        let faults = Faults()
        _ = ConfigFile.read("\(folder.path)/none.yaml", environment: [:], faults: faults)
        _ = ConfigFile.read(folder.path, environment: [:], faults: faults)
        #expect(
            faults.all.map(\.description) == [
                "\(folder.path)  cannot be read (read: Is a directory)",
                "\(folder.path)/none.yaml  cannot be read (open: No such file or directory)",
            ])
    }

    @Test func `bytes that are not UTF-8 and more than a mebibyte are faults`() {
        let folder = Folder()
        let faults = Faults()
        _ = ConfigFile.read(folder.write("a.yaml", [0x61, 0x3A, 0x20, 0xFF]), environment: [:], faults: faults)
        _ = ConfigFile.read(folder.write("b.yaml", [UInt8](repeating: 0x23, count: 1 << 20 + 1)), environment: [:], faults: faults)
        #expect(faults.all.map(\.message) == ["is not UTF-8 text; save it as UTF-8", "is larger than 1024 KiB"])
    }

    /// `a: 1` and `b: Käse`, as other editors save them.
    static let encodings: [([UInt8], String)] = [
        ([0xEF, 0xBB, 0xBF, 0x61, 0x3A, 0x31], "c.yaml:1:1  begins with a byte order mark (BOM); save it as UTF-8 without BOM"),
        ([0xFF, 0xFE, 0x61, 0, 0x3A, 0], "c.yaml:1:1  is UTF-16 text; save it as UTF-8"),
        ([0xFE, 0xFF, 0, 0x61, 0, 0x3A], "c.yaml:1:1  is UTF-16 text; save it as UTF-8"),
        ([0x61, 0x3A, 0x31, 0x0A, 0x62, 0x3A, 0x4B, 0xE4, 0x73, 0x65], "c.yaml:2:1  is not UTF-8 text; save it as UTF-8"),
    ]

    @Test(arguments: encodings)
    func `a file in another encoding is one fault that names it`(bytes: [UInt8], fault: String) {
        let folder = Folder()
        let faults = Faults()
        let section = ConfigFile.read(folder.write("c.yaml", bytes), environment: [:], faults: faults)
        _ = section.required("a")
        _ = section.requiredSecret("b")
        section.finish()
        #expect(section.isUnreadable)
        #expect(faults.all.map { String($0.description.dropFirst(folder.path.count + 1)) } == [fault])
    }

    @Test(arguments: ["[", "- ", "{a: ", "? "])
    func `a file nested without end is a fault, not a crash`(open: String) {
        let (_, faults) = reading("a: " + String(repeating: open, count: 100_000)) { $0.strings("a") }
        #expect(faults.count == 1)
    }

    @Test func `a file may be nested as deep as the limit says, and no deeper`() {
        func faults(_ depth: Int) -> [String] {
            reading("a: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)) { _ in () }.faults
        }
        #expect(faults(99) == [])
        #expect(faults(100) == ["c.yaml:1:103  is nested more than 100 levels deep"])
    }

    @Test func `aliases that multiply without end are a fault`() {
        let yaml = "l0: &l0 x\n" + (1...30).map { "l\($0): &l\($0) [*l\($0 - 1), *l\($0 - 1)]\n" }.joined()
        let (_, faults) = reading(yaml) { $0.strings("l0") }
        #expect(faults == ["c.yaml:19:18  holds more than 1000000 values, those of aliases counted each time"])
    }

    @Test func `aliases stand for what their anchor names, also when they multiply`() {
        let yaml =
            "base: &base {scope: mail}\none: *base\nl0: &l0 x\n" + (1...10).map { "l\($0): &l\($0) [*l\($0 - 1), *l\($0 - 1)]\n" }.joined()
        let (scope, faults) = reading(yaml) { $0.section("one").string("scope") }
        #expect(scope == "mail")
        #expect(faults.isEmpty)
    }

    @Test func `merge keys and tags are faults with a remedy`() {
        let (_, faults) = reading("a: &a {k: v}\nb:\n  <<: *a\n  k: !env NAME\nc:\n  <<: *a\n") { file in
            _ = file.section("a").string("k")
            let section = file.section("b")
            _ = section.string("k")
            section.finish()
            _ = file.texts("c")
            file.finish()
        }
        #expect(
            faults == [
                "c.yaml:3:3  b.<<: merge keys are not taken; write the keys out", "c.yaml:4:6  b.k: expected text",
                "c.yaml:6:3  c.<<: merge keys are not taken; write the keys out",
            ])
    }

    @Test(arguments: [
        ("a: !set {k: v}\n", "c.yaml:1:4  has a tag here; write the value without it"),
        ("a:\n  - !!omap [k]\n", "c.yaml:2:5  has a tag here; write the value without it"),
    ])
    func `a tag of a list or of a mapping is a fault`(yaml: String, fault: String) {
        #expect(reading(yaml) { _ in () }.faults == [fault])
    }

    @Test(arguments: [("a: !env\n", "c.yaml:1:4  a: expected text"), ("a: !env ~\n", "c.yaml:1:4  a: expected text")])
    func `a tagged value is not an absent one`(yaml: String, fault: String) {
        #expect(reading(yaml) { $0.string("a") }.faults == [fault])
    }

    @Test func `what is tagged as text is neither null nor a number`() {
        let (text, faults) = reading("a: !!str null\nn: !!str 5\n") { file in
            _ = file.int("n", default: 1, in: 1...9)
            return file.string("a")
        }
        #expect(text == "null")
        #expect(faults == ["c.yaml:2:4  n: expected a whole number from 1 to 9, without quotes"])
    }

    @Test func `tags that say what a value is anyway are taken`() {
        let (texts, faults) = reading("a: !!map {k: !!str v, l: !!seq [x], m: ! y}\n") { file in
            let section = file.section("a")
            return [section.string("k"), section.strings("l").first, section.string("m")]
        }
        #expect(texts == ["v", "x", "y"])
        #expect(faults.isEmpty)
    }

    @Test func `all faults come at once, in the order of files and lines, in columns`() {
        let folder = Folder()
        let faults = Faults()
        for (name, yaml) in [("b.yaml", "x: 1\n"), ("a.yaml", "  \n\n\n\n\n\n\n\n\n\n\nlimit: lots\nnam: me\n")] {
            let section = ConfigFile.read(folder.write(name, yaml), environment: [:], faults: faults)
            section.finish()
            _ = section.int("limit", default: 5, in: 1...9)
            _ = section.required("name")
        }
        #expect(
            faults.report().replacing("\(folder.path)/", with: "") == """
                a.yaml:12:1  limit: unknown key
                a.yaml:12:1  name: is missing
                a.yaml:12:8  limit: expected a whole number from 1 to 9, without quotes
                a.yaml:13:1  nam: unknown key
                b.yaml:1:1   x: unknown key
                b.yaml:1:1   name: is missing
                6 faults.
                """)
    }

    @Test func `paths are seen from the file's own folder`() {
        for (file, seen) in [("config/a.yaml", "config/p/q"), ("a.yaml", "p/q"), ("/a.yaml", "/p/q"), ("/x/y/a.yaml", "/x/y/p/q")] {
            #expect(Source(file: file, environment: [:], faults: Faults()).resolved("p/q") == seen)
        }
        #expect(Source(file: "config/a.yaml", environment: [:], faults: Faults()).resolved("/abs") == "/abs")
    }
}
