import JSON
import Testing
import Text

@Suite struct MemberReaderTests {
    private let object = Array(
        #"""
        {"before\"": {"sub": ["}", {"\\": "]"}, -1.5e3, true, null]}, "sub": "ad\u0061", "empty": {}, "list": [ ],
         "iat": 1700000000, "inside": {"a": 1, "sub": "other", "deep": {"b": [2]}}, "whole": 2.0, "exp": "soon", "last": false}
        """#.utf8)

    @Test func `reads the members that it is asked for, and passes all others`() throws {
        var members = try MemberReader(object: object)
        var read: [String] = []
        while try members.next() {
            if members.isNamed("sub"), let text = try members.text() { read.append("sub \(text)") }
            if members.isNamed("iat"), let number = try members.integer() { read.append("iat \(number)") }
            if members.isNamed("whole"), let number = try members.integer() { read.append("whole \(number)") }
            if members.isNamed("exp"), let number = try members.integer() { read.append("exp \(number)") }
            if members.isNamed("last") { read.append("last") }
        }
        #expect(read == ["sub ada", "iat 1700000000", "whole 2", "last"])
    }

    @Test func `goes into an object and out of it`() throws {
        var members = try MemberReader(object: object)
        var (inner, outer): ([String], [String]) = ([], [])
        while try members.next() {
            if members.isNamed("inside"), try members.enter() {
                while try members.next() {
                    if members.isNamed("sub") { inner.append(try #require(try members.text()).asString) }
                    if members.isNamed("deep") { inner.append("deep") }
                }
            } else if members.isNamed("empty"), try members.enter() {
                #expect(try !members.next())
            } else if members.isNamed("list") {
                #expect(try !members.enter())
            } else if members.isNamed("whole") || members.isNamed("last") {
                outer.append("behind")
            }
        }
        #expect(inner == ["other", "deep"] && outer == ["behind", "behind"])
    }

    @Test func `finds the members that a parser finds`() throws {
        let value = try #require(try JSON.parse(object).object)
        var members = try MemberReader(object: JSON.object(value).bytes())
        var count = 0
        while try members.next() { count += 1 }
        #expect(count == value.count)
    }

    @Test func `reads an object without members`() throws {
        var members = try MemberReader(object: Array(" { } ".utf8))
        #expect(try !members.next())
    }

    @Test(arguments: [
        "", "[]", "1", "{", #"{"a"#, #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":[1"#, #"{"a":"\"#, #"{"a":1 "b":2}"#, "{,}", #"{a:1}"#,
    ])
    func `ends at what is no object`(text: String) {
        #expect(throws: JSONError.self) {
            var members = try MemberReader(object: Array(text.utf8))
            while try members.next() {}
        }
    }
}
