import Testing

@testable import JSON
import Text

@Suite struct WriterTests {
    @Test(
        arguments: [
            (JSON.null, "null"), (true, "true"), (false, "false"), (-7, "-7"), (.integer(.min), "-9223372036854775808"), (1.5, "1.5"),
            (.number(1), "1.0"), (.number(-0.0), "-0.0"), (.number(1e300), "1e+300"), (.number(.nan), "null"),
            (.number(-.infinity), "null"),
            ("a\"b\\c/d", #""a\"b\\c/d""#), ("\n\r\t\u{8}\0\u{1F}\u{7F}é😀", "\"\\n\\r\\t\\u0008\\u0000\\u001f\u{7F}é😀\""), ([], "[]"),
            ([:], "{}"),
            (["a\"b": "\n", "\\": "x\"", "c": "\"y"], #"{"a\"b":"\n","\\":"x\"","c":"\"y"}"#),
            (["b": 1, "a": [nil, [], [:], "x"], "": false], #"{"b":1,"a":[null,[],{},"x"],"":false}"#),
        ] as [(JSON, String)])
    func `writes compact text, members in their order`(value: JSON, text: String) {
        #expect(value.text() == text)
    }

    @Test(arguments: ["0", "-1.5e-7", "1e+300", #""\"\\é\u0000""#, #"{"z":[1,{"y":[]}],"a":"b"}"#])
    func `reads back what it wrote`(text: String) throws {
        let value = try JSON.parse(text)
        #expect(try JSON.parse(value.bytes()) == value)
    }

    @Test func `writes fields one by one and leaves out nil`() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("kind", "a\"b")
            writer.field("absent", nil as String?)
            writer.field("none", nil as Int64?)
            writer.field("count", 3)
            writer.field("big", Int64.max)
            writer.field("text", decimal: Int64.min)
            writer.field("flag", true)
            writer.field("json", json: ["x": nil])
            writer.field("raw", verbatim: "[1,2]".utf8)
            writer.object("inner") { _ in }
            writer.array("list") { writer in
                writer.value(1 as Int64)
                writer.value("two")
                writer.object { $0.field("three", false) }
                writer.array { _ in }
                writer.value(0.5)
            }
        }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(
            text
                == #"{"kind":"a\"b","count":3,"big":9223372036854775807,"text":"-9223372036854775808","flag":true,"json":{"x":null},"raw":[1,2],"inner":{},"#
                + #""list":[1,"two",{"three":false},[],0.5]}"#)
    }

    @Test func `objects are equal in any order and keep their own`() {
        let one: JSON = ["a": 1, "b": 2]
        let other: JSON = ["b": 2, "a": 1]
        #expect(one == other)
        #expect(one != ["a": 1, "b": 3])
        #expect(one != ["a": 1])
        #expect(one.text() != other.text())
    }

    @Test(arguments: [3, 40])
    func `members are found, replaced, appended and removed`(count: Int) {
        var object = JSON.Object((0..<count).map { ("k\($0)", .integer(Int64($0))) })
        object["k1"] = "new"
        object["last"] = true
        object["k0"] = nil
        object["unknown"] = nil
        #expect(object["k1"] == "new")
        #expect(object["k2"] == 2)
        #expect(object["k0"] == nil)
        #expect(object.last == JSON.Object.Member(name: "last", value: true))
        #expect(object.count == count)
    }

    @Test func `accessors answer only for their kind`() {
        let value: JSON = ["list": [1, "two"], "flag": true, "nothing": nil]
        #expect(value["list"]?[0]?.integer == 1)
        #expect(value["list"]?[1]?.string == "two")
        #expect(value["list"]?[2] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value["flag"]?.bool == true)
        #expect(value["flag"]?.integer == nil)
        #expect(value["nothing"]?.isNull == true)
        #expect(value["none"] == nil)
        #expect(value.array == nil)
        #expect(JSON.string("x")["a"] == nil)
    }
}
