import Testing

@testable import Pages

@Suite struct MustacheTests {
    private let values: Template.Values = [
        "name": .text("Ada"), "words.title": .text("Hello"), "yes": .flag(true), "no": .flag(false), "none": .list([]),
        "people": .list([["name": .text("Bob")], ["age": .text("9")]]),
    ]

    private func filled(_ text: String, layouts: [String: String] = [:]) throws -> String {
        let layouts = try layouts.mapValues { try Template($0) }
        return try Template(text).render(values) { layouts[$0] }
    }

    @Test(arguments: [
        ("Dear {{name}}, {{ words.title }}{{absent}}!", "Dear Ada, Hello!"),
        ("{{#name}}one {{.}}{{/name}}{{#yes}} two{{/yes}}{{#no}} three{{/no}}{{#absent}} four{{/absent}}", "one Ada two"),
        ("{{^name}}one{{/name}}{{^yes}}two{{/yes}}{{^no}}three{{/no}}{{^absent}}four{{/absent}}{{^none}}five{{/none}}", "threefourfive"),
        ("{{#people}}{{name}}{{#age}}:{{age}}{{/age}};{{/people}}", "Bob;Ada:9;"), ("a{{! a comment }}b", "ab"),
        ("{{yes}}{{people}}", ""), ("{ {name} }} {{name}}", "{ {name} }} Ada"),
    ])
    func `fills values and sections`(text: String, filled: String) throws { #expect(try self.filled(text) == filled) }

    @Test(arguments: [
        ("a\n{{#yes}}\nb\n{{/yes}}\nc\n", "a\nb\nc\n"), ("a\n  {{#yes}} \t\n  b\n {{/yes}}\nc", "a\n  b\nc"),
        ("{{#no}}\nb\n{{/no}}\nc", "c"), ("a\r\n{{#yes}}\r\nb\r\n{{/yes}}\r\n", "a\r\nb\r\n"), ("a {{#yes}}\nb{{/yes}}\n", "a \nb\n"),
        ("{{#yes}}{{name}}{{/yes}}\nb", "Ada\nb"), ("{{name}}\nb", "Ada\nb"), ("{{! comment }}\nb", "b"), ("a\n{{#yes}}\n{{/yes}}", "a\n"),
    ])
    func `a tag that is alone on its line takes the line with it, unless it stands for a value`(text: String, filled: String) throws {
        #expect(try self.filled(text) == filled)
    }

    @Test func `a layout stands around a text, and the innermost block goes first`() throws {
        let layouts = [
            "page": "<{{$title}}page{{/title}}|{{$content}}page{{/content}}|{{$foot}}page{{/foot}}>\n",
            "form": """
            {{<page}}
            {{$title}}form {{name}}{{/title}}
            left out
            {{$content}}
            form({{$intro}}form{{/intro}})
            {{/content}}
            {{/page}}
            """,
        ]
        #expect(try filled("{{<form}}{{/form}}", layouts: layouts) == "<form Ada|form(form)\n|page>\n")
        let own = "{{<form}}{{$intro}}own{{/intro}}{{$title}}own{{/title}}{{/form}}"
        #expect(try filled(own, layouts: layouts) == "<own|form(own)\n|page>\n")
        #expect(try filled("a{{<elsewhere}}{{$title}}x{{/title}}{{/elsewhere}}b", layouts: layouts) == "ab")
    }

    @Test func `blocks that name themselves or one another come to an end`() throws {
        let layouts = ["page": "<{{$a}}page{{/a}}|{{$b}}page{{/b}}>"]
        #expect(try filled("{{<page}}{{$a}}1{{$a}}2{{/a}}3{{/a}}{{/page}}", layouts: layouts) == "<123|page>")
        let circle = "{{<page}}{{$a}}a{{$b}}x{{/b}}{{/a}}{{$b}}b{{$a}}y{{/a}}{{/b}}{{/page}}"
        #expect(try filled(circle, layouts: layouts) == "<aby|bax>")
    }

    @Test func `tags nested without end are a mistake, not a crash`() {
        let text = String(repeating: "{{#yes}}", count: 100_000)
        #expect(throws: Template.Problem(line: 1, message: "tags are nested more than 100 levels deep")) { try Template(text) }
    }

    @Test(arguments: [
        ("{{<page}}", 1, "{{<page}} has no {{/page}}"),
        ("a\n{{#yes}}", 2, "{{#yes}} has no {{/yes}}"), ("a\n\n{{name", 3, "a tag is not closed with }}"),
        ("{{#yes}}\n{{/no}}", 2, "{{/no}} closes nothing here; {{/yes}} comes first"),
        ("{{/no}}", 1, "{{/no}} closes nothing here; nothing is open"), ("{{}}", 1, "{{}} names nothing"),
        ("{{#yes}}{{<page}}{{/page}}{{/yes}}", 1, "{{<page}} must stand once and outermost"),
    ])
    func `says what is wrong, and in which line`(text: String, line: Int, message: String) {
        #expect(throws: Template.Problem(line: line, message: message)) { try Template(text) }
    }
}
