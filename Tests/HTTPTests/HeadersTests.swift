import HTTP
import Testing
import Text

@Suite struct HeadersTests {
    @Test func `finds the first value and all values`() {
        let headers: Headers = ["a": "1", "b": "2", "a": "3", "long-name-of-a-header-field": ""]
        #expect(headers["a"] == "1")
        #expect(headers.values("a") == ["1", "3"])
        #expect(headers["long-name-of-a-header-field"] == "")
        #expect(headers["c"] == nil)
        #expect(headers.count == 4)
        #expect(headers.fields.map(\.name) == ["a", "b", "a", "long-name-of-a-header-field"])
    }

    @Test func `replaces and removes all values of a name`() {
        var headers: Headers = ["a": "1", "b": "2", "a": "3"]
        headers["a"] = "4"
        #expect(headers == ["b": "2", "a": "4"])
        headers["b"] = nil
        #expect(headers == ["a": "4"])
        headers["c"] = nil
        #expect(headers.count == 1)
    }

    @Test func `keeps names in lower case`() {
        var headers = Headers([("Content-Type", "Text/Plain")])
        headers.add("X-Y", "Z")
        #expect(headers["content-type"] == "Text/Plain")
        #expect(headers["x-y"] == "Z")
    }

    @Test func `SEC-19 lets no value become a header of its own`() {
        let headers: Headers = ["location": "/a\r\nset-cookie: b\0"]
        #expect(headers["location"] == "/a  set-cookie: b ")
    }
}
