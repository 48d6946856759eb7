import Testing

@Suite struct LinkTests {
    private func said(_ text: String) -> [String] {
        let files = [
            File(path: "docs/a.md", text: text), File(path: "docs/b/c.md", text: "# One\n\n## `Two` words, and 3\n"),
            File(path: "config/d.yaml", text: ""),
        ]
        return Links.check(files).map(\.description)
    }

    @Test(arguments: [
        ("[x](b/d.md)", "b/d.md, which is not there"), ("[x](c.md) y", "c.md, which is not there"),
        ("a\n[y](b/c.md) [x](b/c.md#three)", "b/c.md#three, whose page has no such heading"),
        ("[x](#one)", "#one, whose page has no such heading"), ("[x](../config/e.yaml)", "../config/e.yaml, which is not there"),
    ])
    func `catches a link that leads nowhere`(text: String, message: String) {
        #expect(said(text) == ["docs/a.md:\(text.hasPrefix("a") ? 2 : 1) links to \(message)"])
    }

    @Test(arguments: [
        "[x](b/c.md) [y](b/c.md#two-words-and-3)", "# Own\n[x](#own)", "[x](b)", "[x](../config/d.yaml)", "[x](https://example.com/a.md#b)",
        "[x](mailto:a@b.c)", "```\n[x](no.md)\n```",
    ])
    func `leaves good links, other sites and code alone`(text: String) { #expect(said(text) == []) }

    @Test func `every link of a page leads somewhere`() { #expect(Links.check(Repository.files) == []) }
}
