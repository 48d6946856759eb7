import Testing

@Suite struct ErrorPageTests {
    private func check(_ source: String, _ rows: String...) -> [String] {
        let table = "| Code | HTTP |\n|---|---|\n" + rows.map { "| `\($0)` | 400 |\n" }.joined()
        let page = "# Errors\n\n\(table)\n| Legacy error | Here |\n|---|---|\n| `OTHER` | `NOTHING` |\n"
        return ErrorPage.check([File(path: "Sources/Web/A.swift", text: source), File(path: "docs/errors.md", text: page)]).map(
            \.description)
    }

    @Test func `catches a code that the page does not tell of`() {
        #expect(check(#"throw Failure("A_B")"#, "A_B") == [])
        #expect(check(#"throw Failure("A_B")"#) == ["Sources/Web/A.swift:1 answers A_B, which docs/errors.md does not tell of"])
        #expect(check("\nFailure(\n    \"A_B\", \"text\")").count == 1)
        #expect(check(#"throw .refused("A_B", "text")"#).count == 1)
        #expect(check(#"throw .refused("A sentence.")"#) == [])
        #expect(check(#"Failure("Invalid. \(detail)")"#, "Invalid. …") == [])
    }

    @Test func `catches a code that nothing answers`() {
        #expect(check("", "A_B") == ["docs/errors.md:5 tells of A_B, which nothing answers"])
        #expect(check(#"// Failure("A_B")"#, "A_B").count == 1)
        #expect(check(#"throw StartFailure("A_B")"#, "A_B").count == 1)
        #expect(check(#"Failure(code, "A_B")"#, "A_B").count == 1)
    }

    @Test func `catches a missing page`() { #expect(ErrorPage.check([]).map(\.message) == ["is missing"]) }

    @Test func `the page tells of every code, and of no other`() { #expect(ErrorPage.check(Repository.files) == []) }
}
