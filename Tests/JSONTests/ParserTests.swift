import Testing

@testable import JSON
import Text

@Suite struct ParserTests {
    @Test(
        arguments: [
            ("null", JSON.null), (" \t\r\n true \n", true), ("false", false), ("0", 0), ("-1", -1),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("[]", []), ("{}", [:]), ("[ ]", []), ("{ }", [:]), ("\"\"", ""), ("[1,[2,[3]]]", [1, [2, [3]]]),
            (#"{"a":{"b":[true,null]}}"#, ["a": ["b": [true, nil]]]), (#"{"":0}"#, ["": 0]),
        ] as [(String, JSON)])
    func `reads every kind of value`(text: String, value: JSON) throws {
        #expect(try JSON.parse(text) == value)
    }

    @Test(arguments: [
        ("-0", -0.0), ("0.5", 0.5), ("1e3", 1000), ("1E+2", 100), ("1.5e-3", 0.0015), ("1e-400", 0), ("-0.0e0", -0.0),
        ("9223372036854775808", 9_223_372_036_854_775_808), ("-9223372036854775809", -9_223_372_036_854_775_808),
        ("123456789012345678901234567890", 1.2345678901234568e29), ("1.7976931348623157e308", .greatestFiniteMagnitude),
    ])
    func `keeps fractions, exponents and what exceeds 64 bits as floating point`(text: String, number: Double) throws {
        guard case .number(let read) = try JSON.parse(text) else {
            Issue.record("not a floating-point number")
            return
        }
        #expect(read == number)
        #expect(read.sign == number.sign)
    }

    @Test(arguments: [("1.0", 1), ("1e3", 1000), ("-0", 0), ("1.5", nil), ("1e19", nil), ("\"1\"", nil)] as [(String, Int64?)])
    func `counts integral doubles as whole numbers`(text: String, whole: Int64?) throws {
        #expect(try JSON.parse(text).integer == whole)
    }

    @Test(arguments: [
        ("", JSONError.unexpectedEnd), ("  ", .unexpectedEnd), ("[", .unexpectedEnd), ("{", .unexpectedEnd), ("[1", .unexpectedEnd),
        ("\"a", .unexpectedEnd), (#"{"a""#, .unexpectedEnd), (#"{"a":"#, .unexpectedEnd), ("tru", .unexpectedEnd), ("-", .unexpectedEnd),
        ("1.", .unexpectedEnd), ("1e", .unexpectedEnd), ("1e+", .unexpectedEnd), (#""\"#, .unexpectedEnd), (#""\u00"#, .unexpectedEnd),
        ("[1,]", .unexpected(at: 3)), ("[,1]", .unexpected(at: 1)), ("[1 2]", .unexpected(at: 3)), (#"{"a":1,}"#, .unexpected(at: 7)),
        ("{,}", .unexpected(at: 1)), (#"{"a" 1}"#, .unexpected(at: 5)), ("{a:1}", .unexpected(at: 1)), ("{'a':1}", .unexpected(at: 1)),
        ("{1:1}", .unexpected(at: 1)), ("[1}", .unexpected(at: 2)), (#"{"a":1]"#, .unexpected(at: 6)), ("]", .unexpected(at: 0)),
        ("NaN", .unexpected(at: 0)), ("Infinity", .unexpected(at: 0)), ("-Infinity", .unexpected(at: 1)), ("+1", .unexpected(at: 0)),
        (".5", .unexpected(at: 0)), ("-.5", .unexpected(at: 1)), ("1.e1", .unexpected(at: 2)), ("True", .unexpected(at: 0)),
        ("nulL", .unexpected(at: 3)), ("// c\n1", .unexpected(at: 0)), ("[1/*c*/]", .unexpected(at: 2)), ("\u{FEFF}1", .unexpected(at: 0)),
        ("\u{A0}1", .unexpected(at: 0)), ("\u{0B}1", .unexpected(at: 0)), ("\0", .unexpected(at: 0)),
        ("01", .trailing(at: 1)), ("-01", .trailing(at: 2)), ("0x1", .trailing(at: 1)), ("1 2", .trailing(at: 2)),
        ("{}{}", .trailing(at: 2)),
        ("[]]", .trailing(at: 2)), ("nullx", .trailing(at: 4)), ("1\0", .trailing(at: 1)), ("1e1.5", .trailing(at: 3)),
    ])
    func `refuses what is not JSON and says where`(text: String, error: JSONError) {
        #expect(throws: error) { try JSON.parse(text) }
    }

    @Test(arguments: ["1e400", "-1e400", "1e99999999999999999999", String(repeating: "9", count: 400)])
    func `refuses numbers beyond floating point`(text: String) {
        #expect(throws: JSONError.numberOutOfRange(at: 0)) { try JSON.parse(text) }
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00""#, "😀"),
        (#""\u0000""#, "\0"),
        ("\"é€😀\"", "é€😀"), (#""\uD834\uDD1E!""#, "𝄞!"), ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"), (#""\uFFFD""#, "\u{FFFD}"),
    ])
    func `reads escapes and plain text`(text: String, value: String) throws {
        #expect(try JSON.parse(text).string == UTF8Text(value))
    }

    @Test(arguments: [
        (#""\ud800""#, JSONError.loneSurrogate(at: 1)), (#""\udc00""#, .loneSurrogate(at: 1)), (#""\ud800x""#, .loneSurrogate(at: 1)),
        (#""\ud800\n""#, .loneSurrogate(at: 1)), (#""\ud800\u0041""#, .loneSurrogate(at: 1)), (#""a\ud800\ud800""#, .loneSurrogate(at: 2)),
        (#""\x41""#, .badEscape(at: 1)), (#""\u00g0""#, .badEscape(at: 1)), (#""\u+041""#, .badEscape(at: 1)),
        (#""\U0041""#, .badEscape(at: 1)),
        (#""\'""#, .badEscape(at: 1)), ("\"a\nb\"", .controlCharacter(at: 2)), ("\"\\n\0\"", .controlCharacter(at: 3)),
    ])
    func `refuses half pairs, unknown escapes and bare control characters`(text: String, error: JSONError) {
        #expect(throws: error) { try JSON.parse(text) }
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
            [0x5C, 0x6E, 0xFF],
        ] as [[UInt8]])
    func `refuses strings that are not UTF-8`(inside: [UInt8]) {
        #expect(throws: JSONError.notUTF8(at: 1)) { try JSON.parse([0x22] + inside + [0x22]) }
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, JSONError.duplicateKey("a", at: 7)), (#"{"a":1,"\u0061":2}"#, .duplicateKey("a", at: 7)),
        (#"{"x":{"b":0,"c":1,"b":2}}"#, .duplicateKey("b", at: 18)),
    ])
    func `SEC-12 refuses a name twice in one object`(text: String, error: JSONError) {
        #expect(throws: error) { try JSON.parse(text) }
    }

    @Test func `SEC-12 refuses a name twice in a large object`() {
        let members = (0..<40).map { "\"k\($0)\":0" } + ["\"k7\":1"]
        #expect(throws: JSONError.self) { try JSON.parse("{" + members.joined(separator: ",") + "}") }
        #expect(throws: Never.self) { try JSON.parse("{" + members.dropLast().joined(separator: ",") + "}") }
    }

    @Test func `SEC-49: names that Unicode calls equivalent are two names`() throws {
        let object = try JSON.parse("{\"\u{E9}\":1,\"e\u{301}\":2}")
        #expect(object["\u{E9}"] == 1 && object["e\u{301}"] == 2)
        #expect(JSON.string("\u{E9}") != JSON.string("e\u{301}"))
    }

    @Test func `SEC-49: a name has at most 256 bytes`() throws {
        let name = String(repeating: "é", count: 128)
        #expect(try JSON.parse("{\"\(name)\":1}")[UTF8Text(name)] == 1)
        #expect(throws: JSONError.nameTooLong(at: 7, limit: 256)) { try JSON.parse("{\"a\":0,\"\(name)x\":1}") }
    }

    @Test func `SEC-49: a mebibyte of combining marks is refused as a name, and read and compared as a value`() throws {
        let marks = String(repeating: "\u{316}\u{301}", count: 240_000)
        #expect(throws: JSONError.nameTooLong(at: 1, limit: 256)) { try JSON.parse("{\"\(marks)\":0}") }
        let value = try JSON.parse("{\"a\":\"\(marks)\"}")
        #expect(value["a"]?.string == UTF8Text(marks) && value["a"] != "a")
    }

    @Test func `SEC-49: an object of 100,000 names of marks is read, searched and compared`() throws {
        let names = (0..<100_000).map { UTF8Text("\($0)" + String(repeating: "\u{316}\u{301}", count: 20)) }
        var text = "{"
        for name in names { text += (text.utf8.count == 1 ? "\"" : ",\"") + name.asString + "\":0" }
        let object = try JSON.parse(text + "}", limits: JSON.Limits(bytes: 16 << 20))
        #expect(object.object?.count == 100_000)
        #expect(names.allSatisfy { object[$0] == 0 })
        #expect(object == object && object["0"] == nil)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `SEC-12 stops at 32 levels`(open: String, close: String) {
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth) + (open == "[" ? "" : "0") + String(repeating: close, count: depth)
        }
        #expect(throws: Never.self) { try JSON.parse(nested(32)) }
        #expect(throws: JSONError.tooDeep(limit: 32)) { try JSON.parse(nested(33)) }
        #expect(throws: JSONError.tooDeep(limit: 32)) { try JSON.parse(String(repeating: open, count: 100_000)) }
    }

    @Test func `takes no more bytes than the limit`() {
        #expect(throws: JSONError.tooLarge(limit: 3)) { try JSON.parse("    ", limits: .init(bytes: 3)) }
        #expect(throws: Never.self) { try JSON.parse("123", limits: .init(bytes: 3)) }
    }

    @Test func `survives every cut and every changed byte of a text`() throws {
        let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",true],"b":{"c":null,"ü":false}}"#.utf8)
        for end in 0..<text.count {
            #expect(throws: JSONError.self) { try JSON.parse(Array(text[..<end])) }
            for byte in [0x00, 0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x3A, 0x30, 0x2D, 0x65, 0xFF] as [UInt8] {
                var changed = text
                changed[end] = byte
                // A text that is still accepted must give the same value when it is written and read again.
                if let value = try? JSON.parse(changed) { #expect(try JSON.parse(value.bytes()) == value) }
            }
        }
    }
}
