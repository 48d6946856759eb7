import Testing

@Suite struct ShapeTests {
    private func source(_ text: String) -> File { File(path: "Sources/Web/A.swift", text: text) }

    @Test func `catches a file over 400 lines`() {
        #expect(Shape.size(source(String(repeating: "\n", count: 400))).isEmpty)
        #expect(Shape.size(source(String(repeating: "\n", count: 401))).count == 1)
    }

    @Test func `catches a record of a decision over 60 lines, and no other page`() {
        let text = String(repeating: "\n", count: 61)
        #expect(Shape.size(File(path: "docs/adr/0001-a.md", text: text)).count == 1)
        #expect(Shape.size(File(path: "docs/a.md", text: text)).isEmpty)
    }

    @Test(arguments: [
        ("Tests/EndToEnd/support/names.py", "", true), ("Sources/AuthPages/Scripts/iframe.js", "", true), ("bench/refresh.lua", "", true),
        ("scripts/test", "#!/usr/bin/env bash\n", true), ("docs/wire.md", "", false), ("Migrations/0001_start.sql", "", false),
    ])
    func `catches a long file in every language`(path: String, head: String, isLimited: Bool) {
        let file = File(path: path, text: head + String(repeating: "\n", count: 401))
        #expect(Shape.size(file).count == (isLimited ? 1 : 0))
    }

    @Test func `catches a folder with more than sixteen Swift files or suites, without those of its folders`() {
        func files(_ count: Int) -> [File] { (0..<count).map { File(path: "Sources/Web/\($0).swift", text: "") } }
        let others = ["Sources/Pages/A.swift", "Sources/Web/a.html"].map { File(path: $0, text: "") }
        #expect(Shape.crowded(files(16) + others).isEmpty)
        #expect(Shape.crowded(files(17)).map(\.path) == ["Sources/Web"])
        let suites = (0..<17).map { File(path: "Tests/EndToEnd/wire/test_\($0).py", text: "") }
        #expect(Shape.crowded(Array(suites.dropLast())).isEmpty)
        #expect(Shape.crowded(suites).map(\.path) == ["Tests/EndToEnd/wire"])
    }

    @Test func `catches two files of one name, in Sources alone`() {
        let files = ["Sources/Web/A.swift", "Sources/Curl/A.swift", "Sources/Curl/B.swift", "Tests/WebTests/B.swift"].map {
            File(path: $0, text: "")
        }
        #expect(Set(Shape.sameNames(files).map(\.path)) == ["Sources/Web/A.swift", "Sources/Curl/A.swift"])
    }

    @Test(arguments: [
        ("final class A: @unchecked Sendable {\n    let a = 1", false), ("nonisolated(unsafe) var a = 1", false),
        ("nonisolated(unsafe) var a = 1\n// why", false),
        ("final class A: @unchecked Sendable {\n    // @unchecked Sendable because of that", true),
        ("// @unchecked", true), ("let a = \"@unchecked\"", true),
    ])
    func `catches claims without a reason`(text: String, isAllowed: Bool) { #expect(Shape.reasons(source(text)).isEmpty == isAllowed) }

    @Test(arguments: [
        ("let a = b!", false), ("try! f()", false), ("a as! B", false), ("var a: Int!", false), ("f()!.x", false), ("a[0]! + 1", false),
        ("\"\\(a!)\"", false), ("\"a\"!", false), ("a?.b! == c", false), ("é!", false),
        ("!a && !b", true), ("a != b", true), ("a!=b", true), ("a !== b", true), ("f(!a)", true), ("\"Stop!\"", true), ("// Stop!", true),
        ("/* a! /* b! */ c! */ d", true), ("#\"a\\(b!)\"#", true), ("\"\"\"\n  a!\n  \"\"\"", true),
    ])
    func `catches what can trap`(text: String, isAllowed: Bool) { #expect(Shape.traps(source(text)).isEmpty == isAllowed) }

    @Test(arguments: [
        ("// TO" + "DO: later", false), ("FIX" + "ME", false), ("# HA" + "CK", false), ("fatalError(\"un" + "implemented\")", false),
        ("template-XX" + "XXXX", true), ("todos", true),
    ])
    func `catches what is unfinished`(text: String, isAllowed: Bool) {
        #expect(Shape.unfinished(File(path: "docs/a.md", text: text)).isEmpty == isAllowed)
    }

    @Test func `catches placeholders`() {
        #expect(Shape.placeholders(File(path: "Sources/Web/Placeholder.swift", text: "")).count == 1)
        #expect(Shape.placeholders(source("")).isEmpty)
    }

    @Test func `catches section marks in short files`() {
        #expect(Shape.marks(source("    // MA" + "RK: Values")).count == 1)
        #expect(Shape.marks(source("// MA" + "RK: Values" + String(repeating: "\n", count: 150))).isEmpty)
    }

    @Test(arguments: [
        ("@Test func works() {}", false), ("@Test(arguments: [1])\nfunc works() {}", false), ("@Test func `it works`() {}", true),
        ("@Test(arguments: [\n1,\n])\n    fileprivate func `it works`() {}", true),
    ])
    func `catches tests that are not named by a sentence`(text: String, isAllowed: Bool) {
        #expect(Shape.testNames(File(path: "Tests/WebTests/A.swift", text: text)).isEmpty == isAllowed)
    }

    @Test func `no file is over the wall`() { #expect(Repository.files.flatMap(Shape.size) == []) }
    @Test func `no folder is crowded`() { #expect(Shape.crowded(Repository.files) == []) }
    @Test func `no two files have one name`() { #expect(Shape.sameNames(Repository.files) == []) }
    @Test func `every claim has its reason`() { #expect(Repository.swift.flatMap(Shape.reasons) == []) }
    @Test func `nothing in Sources can trap by force`() { #expect(Repository.swift.flatMap(Shape.traps) == []) }
    @Test func `nothing is unfinished`() { #expect(Repository.files.flatMap(Shape.unfinished) == []) }
    @Test func `no target is a placeholder`() { #expect(Repository.swift.flatMap(Shape.placeholders) == []) }
    @Test func `short files have no section marks`() { #expect(Repository.swift.flatMap(Shape.marks) == []) }
    @Test func `SEC-71 each migration says which binaries go on beside it`() {
        let migrations = Repository.files.filter { $0.path.hasPrefix("Migrations/") && $0.path >= "Migrations/0040" }
        #expect(!migrations.isEmpty)
        #expect(migrations.filter { !"\n\($0.text)".contains("\n-- compatible: ") }.map(\.path) == [])
    }
    @Test func `tests are named by sentences`() { #expect(Repository.swift.flatMap(Shape.testNames) == []) }
}
