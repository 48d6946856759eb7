import Testing
import Text
@testable import JSON

/// The shape that is found out by letting a type decode itself.
@Suite struct ShapeTests {
    private enum Colour: String, WireEnum {
        static let unspecified = "none"
        case red, green
    }
    private enum Side: String, Codable, CaseIterable { case left, right }

    private struct Inner: Codable, Sendable {
        var kind = "inner"
        var flag: Bool?
        var side: Side
    }

    private struct Outer: Decodable {
        var text: UTF8Text
        var optional: UTF8Text?
        var clearable: FieldUpdate<UTF8Text>
        var whole: Int64?
        var small: Int32
        var number: Double?
        var colour: Colour?
        var colours: [Colour]?
        var inner: Inner
        var many: [Inner]
        var byName: [String: Int]
        var any: JSON?
    }

    @Test func `finds every member with its type`() throws {
        let inner = JSONShape.object([
            .init("kind", .text, isRequired: true), .init("flag", .flag, isRequired: false),
            .init("side", .choice(["left", "right"]), isRequired: true),
        ])
        #expect(
            try JSONShape(of: Outer.self)
                == .object([
                    .init("text", .text, isRequired: true), .init("optional", .text, isRequired: false),
                    .init("clearable", .text, isRequired: false, isNullable: true), .init("whole", .integer(bits: 64), isRequired: false),
                    .init("small", .integer(bits: 32), isRequired: true), .init("number", .number, isRequired: false),
                    .init("colour", .choice(["red", "green"]), isRequired: false),
                    .init("colours", .list(.choice(["red", "green"])), isRequired: false), .init("inner", inner, isRequired: true),
                    .init("many", .list(inner), isRequired: true), .init("byName", .map(.integer(bits: 64)), isRequired: true),
                    .init("any", .anything, isRequired: false),
                ]))
    }

    private struct Flat: Decodable {
        let first: First
        let second: Second
        struct First: Decodable { var a: String? }
        struct Second: Decodable { var b: Int? }

        init(from decoder: any Decoder) throws {
            first = try First(from: decoder)
            second = try Second(from: decoder)
        }
    }

    @Test func `puts types that read one object side by side`() throws {
        #expect(
            try JSONShape(of: Flat.self)
                == .object([.init("a", .text, isRequired: false), .init("b", .integer(bits: 64), isRequired: false)]))
    }

    private struct Even: Decodable {
        struct Odd: Error {}
        init(from decoder: any Decoder) throws { if try decoder.singleValueContainer().decode(String.self).isEmpty { throw Odd() } }
    }

    @Test func `throws for a type that does not accept a value that stands for nothing`() {
        #expect(throws: Even.Odd.self) { try JSONShape(of: Even.self) }
    }

    @Test func `finds what is in all samples, and what is in some`() throws {
        let samples = try [#"{"a": "x", "l": [{"n": 1}]}"#, #"{"a": "y", "b": true, "l": [{"n": 2, "m": 0.5}]}"#].map { try JSON.parse($0) }
        #expect(
            JSONShape(ofSamples: samples)
                == .object([
                    .init("a", .text, isRequired: true),
                    .init(
                        "l",
                        .list(
                            .object([.init("n", .integer(bits: 64), isRequired: true), .init("m", .number, isRequired: false)])),
                        isRequired: true),
                    .init("b", .flag, isRequired: false),
                ]))
        #expect(JSONShape(ofSamples: ["x", 1]) == .anything)
    }

    @Test func `indents JSON for people`() throws {
        let json = try JSON.parse(#"{"a":[1,{"b":"\n"}],"c":{},"d":[]}"#)
        #expect(json.indentedText() == "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"\\n\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}\n")
        #expect(try JSON.parse(json.indentedText()) == json)
    }
}
