import Testing

@Suite struct OutsideTextTests {
    private func source(_ text: String, _ target: String = "AuthPages") -> File { File(path: "Sources/\(target)/A.swift", text: text) }

    @Test(arguments: [
        ("if a.asString == b { }", false), ("if b == a.b?.asString { }", false), ("a.asString != b", false), ("x[a.asString]", false),
        ("switch a.asString { }", false), ("Kind(rawValue: a.asString)", false), ("a.asString.hasPrefix(b)", false),
        ("a?.asString.lowercased()", false), ("a.asString?.count", false), ("a.asString < b", false),
        ("f(a.asString)", true), ("a.asString.utf8 == b.utf8", true), ("a.asString.unicodeScalars.count", true), ("[a.asString, b]", true),
        ("a.asStrings == b", true), ("// a.asString == b", true), ("\"a.asString == b\"", true), ("a == b, let c = d.asString", true),
    ])
    func `SEC-49: catches a decision on outside text as a String`(text: String, isAllowed: Bool) {
        #expect(OutsideText.decisions(source(text)).isEmpty == isAllowed)
        #expect(OutsideText.decisions(source(text, "Config")).isEmpty)
    }

    @Test(arguments: [
        ("struct Input: Decodable {\n    var a: String?\n}", false),
        ("struct Input: Decodable {\n    var a: FieldUpdate<String>\n}", false),
        ("struct A: Decodable {\n    struct B: Decodable { }\n    var a: [String: String]\n}", false),
        ("struct Input: Decodable {\n    var a: UTF8Text?\n}", true), ("struct Output: Encodable {\n    var a: String?\n}", true),
        ("struct Input: Decodable {\n    var a: UTF8Text?\n}\nstruct B {\n    var a: String\n}", true),
    ])
    func `SEC-49: catches an input's field that is a String`(text: String, isAllowed: Bool) {
        #expect(OutsideText.inputs(source(text)).isEmpty == isAllowed)
    }

    @Test func `SEC-49: catches a case that is looked up by its raw value`() {
        #expect(OutsideText.rawValues(source("Kind(rawValue: text)")).count == 1)
        #expect(OutsideText.rawValues(source("query.flatMap(Kind.init(rawValue:))")).count == 1)
        #expect(OutsideText.rawValues(source("Kind(exactly: text)")).isEmpty)
    }

    @Test func `SEC-49: text from outside stays UTF8Text`() {
        #expect(Repository.swift.flatMap(OutsideText.decisions) == [])
        #expect(Repository.swift.flatMap(OutsideText.inputs) == [])
        #expect(Repository.swift.flatMap(OutsideText.rawValues) == [])
    }
}
