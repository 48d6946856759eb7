import HTTP
import Testing
import Text

@Suite struct FormTests {
    @Test func `keeps order and duplicates`() throws {
        let form = try #require(Form("a=1&b=2&a=3&&c&=d&e=f=g"))
        #expect(form.fields.map(\.name) == ["a", "b", "a", "c", "", "e"])
        #expect(form.all("a") == ["1", "3"])
        #expect(form["c"] == "")
        #expect(form["e"] == "f=g")
        #expect(form["x"] == nil)
    }

    @Test func `names the first field that has several values, of all or of some`() throws {
        let form = try #require(Form("a=1&b=2&b=2&a=3"))
        #expect(form.firstRepeated() == "a")
        #expect(form.firstRepeated(of: ["c", "b", "a"]) == "b")
        #expect(form.firstRepeated(of: ["c"]) == nil)
        #expect(Form("a=1&b=1")?.firstRepeated() == nil)
    }

    @Test func `reads percent and plus`() throws {
        let form = try #require(Form("a%20b=%C3%A4+%2B&r=%ff"))
        #expect(form["a b"] == "ä +")
        #expect(form["r"] == "\u{FFFD}")
    }

    @Test(arguments: ["a=%", "a=%1", "a=%zz", "%g0=a", "a=% 1"]) func `refuses a percent sign without two hex digits`(text: String) {
        #expect(Form(text) == nil)
    }

    @Test func `refuses more fields than it should ever need`() {
        #expect(Form(String(repeating: "a&", count: 256)) != nil)
        #expect(Form(String(repeating: "a&", count: 257)) == nil)
    }

    @Test func `SEC-49: names of marks are compared by bytes, and have at most 256 of them`() throws {
        let marks = String(repeating: "\u{316}\u{301}", count: 250_000)
        #expect(Form("\(marks)=1") == nil)
        let form = try #require(Form("a=\(marks)&\u{E9}=1&e\u{301}=2&\(String(repeating: "n", count: 256))=3"))
        #expect(form["a"] == UTF8Text(marks) && form["a"] != "1")
        #expect(form["\u{E9}"] == "1" && form["e\u{301}"] == "2" && form.all("\u{E9}").count == 1)
        #expect(Form("\(String(repeating: "n", count: 257))=3") == nil)
    }

    @Test func `writes what it reads`() throws {
        let form: Form = ["scope": "openid email", "state": "ä&=+%/~-._", "empty": ""]
        #expect(form.encoded() == "scope=openid+email&state=%C3%A4%26%3D%2B%25%2F~-._&empty=")
        #expect(try #require(Form(form.encoded())).fields.map(\.value) == form.fields.map(\.value))
        #expect(try #require(Form("")).fields.isEmpty)
    }

    @Test func `percent-encodes all but unreserved characters`() {
        #expect(PercentEncoding.encode("a b/ä~") == "a%20b%2F%C3%A4~")
        #expect(PercentEncoding.decode("a%20b%2f") == "a b/")
        #expect(PercentEncoding.decode("%ff") == nil)
        #expect(PercentEncoding.decode("%f") == nil)
        #expect(PercentEncoding.decode("a+b") == "a+b")
    }
}
