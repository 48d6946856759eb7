import Testing

@Suite struct WordingTests {
    private func said(_ path: String, _ text: String) -> [String] { Wording.check(File(path: path, text: text)).map(\.description) }

    @Test(arguments: [
        (#"throw Failure("A_B", "The text is no host.")"#, "is no"), (#"log.error("these are no keys")"#, "are no"),
        (#"log.error("Nobody answers")"#, "nobody"), (#"f("\(a) or somebody else")"#, "somebody"),
        (#"f("it is " + "no host")"#, "is no"), (#"f("whoever asks, anybody")"#, "whoever"),
    ])
    func `catches a phrase in the string literals of the sources`(text: String, phrase: String) {
        #expect(said("Sources/Web/A.swift", text).first?.hasSuffix(#"says "\#(phrase)"; write a plainer sentence"#) == true)
    }

    @Test(arguments: [
        "// is no host, and nobody asks", "let isNo = somebody", #"f("is no longer there")"#, #"f("it is not a host")"#,
        #"f("has no host")"#, #"f("nobody_asks")"#,
    ])
    func `leaves comments, code and good texts alone`(text: String) { #expect(said("Sources/Web/A.swift", text) == []) }

    @Test func `looks at pages, mails, scripts, examples and documents`() {
        #expect(said("docs/a.md", "# A\n\nThere is\nno B.") == [#"docs/a.md:4 says "is no"; write a plainer sentence"#])
        #expect(said("README.md", "Nobody.").count == 1)
        #expect(said("Sources/Pages/Templates/words.en.yaml", "text: \"Somebody asked\"").count == 1)
        #expect(said("Sources/AuthPages/Scripts/a.js", "show(\"anybody\");").count == 1)
        #expect(said("scripts/run", "fail \"there is no server\"").count == 1)
        #expect(said("config/gatehouse.yaml", "# nobody\n").count == 1)
    }

    @Test func `leaves comments of scripts, code in documents and other files alone`() {
        #expect(said("Sources/AuthPages/Scripts/a.js", "// anybody\n  /* nobody\n   * somebody\n   */") == [])
        #expect(said("scripts/run", "# there is no server\n") == [])
        #expect(said("docs/a.md", "`is no host`\n\n```sh\necho nobody\n```\n") == [])
        #expect(said("Tests/WebTests/A.swift", #"f("nobody")"#) == [])
        #expect(said("CHANGELOG.md", "nobody") == [])
    }

    @Test func `finds doc comments that begin with What`() {
        let found = { (path: String, text: String) in Wording.comments(File(path: path, text: text)).map(\.line) }
        #expect(found("Sources/Web/A.swift", "/// What a call answers.\nlet a = 1\n    /// What it costs.\n    let b = 2") == [1, 3])
        #expect(found("Sources/Web/A.swift", "/// An answer.\n/// What it costs is here.\n// What for?\n/// Whatever fits.") == [])
        #expect(found("Tests/WebTests/A.swift", "/// What a test asks.") == [])
    }

    @Test func `doc comments of the sources begin with a noun or a verb`() {
        #expect(Repository.files.flatMap(Wording.comments) == [])
    }

    @Test func `users' texts are free of these phrases`() { #expect(Repository.files.flatMap(Wording.check) == []) }
}
