import Accounts
import Migration
import Testing

struct JSONElementsTests {
    private func read(_ text: String, piece: Int = 1 << 18) throws -> [String] {
        var elements = JSONElements(try TestFile.of(Array(text.utf8), piece: piece), member: "users")
        var read: [String] = []
        while let element = try elements.next() {
            guard case .row(let bytes, let line) = element else { throw SourceFailure("a fault") }
            read.append("\(line) \(String(decoding: bytes, as: UTF8.self))")
        }
        return read
    }

    @Test(arguments: [
        (#"{"users":[{"a":1},{"b":[{}]}]}"#, [#"1 {"a":1}"#, #"1 {"b":[{}]}"#]),
        ("\u{FEFF}{\r\n\"users\": [\r\n{\r\n\"a\": 1}\r\n,\n {}]\n}\n", ["3 {\r\n\"a\": 1}", "6 {}"]),
        (#"{"users":[]}"#, []), (#"{"users": [ ] , "x": 1}"#, []), ("[]", []), (" [1 , 2]\n", ["1 1", "1 2"]),
        (#"{"realm":"a","x":{"users":[1]},"n":12,"t":true,"users":[{}],"l":[[]]}"#, ["1 {}"]),
        (#"[{"a":"]}\"\\"},"]"]"#, [#"1 {"a":"]}\"\\"}"#, #"1 "]""#]),
        (#"{"us\"ers":"users","users":[null]}"#, ["1 null"]),
    ])
    func `finds the elements`(text: String, expected: [String]) throws {
        for piece in [1, 2, 3, 7, 1 << 18] { #expect(try read(text, piece: piece) == expected) }
    }

    @Test(arguments: [
        (#"{"users":[{"a":1},"#, "behind an account"), (#"{"users":[{"a":1}"#, "before its last bracket"),
        (#"{"users":[{"a":1},{"b"#, "in the middle of an account"), (#"{"users":["#, "at the beginning of the array"),
        (#"{"users":[]"#, "before its last bracket"), ("[", "at the beginning of the array"), ("{", "in the name of a member"),
        (#"{"x":{"#, "in the middle of a member"), (#"{"users"#, "in the name of a member"),
    ])
    func `says that a file is cut`(text: String, place: String) throws {
        let failure = try #require(throws: SourceFailure.self) { try read("\n" + text) }
        #expect(failure.isCut)
        #expect(failure.description.hasPrefix("test ends at line 2 \(place), so the file is cut. The accounts before that line can be"))
    }

    @Test(arguments: [
        ("", "test is empty"), ("  \n", "test is empty"), ("uid1,a@example.com", "test is not JSON: it must begin with { or ["),
        ("{}", "has no member users"), (#"{"user":[]}"#, "has no member users"), (#"{"users":{}}"#, "the member users is not an array"),
        (#"{"users":[],"users":[]}"#, "the member users stands twice"), ("[]\n]", "test:2: there is text behind the end"),
        (#"{"users":[]} x"#, "there is text behind the end"), ("[1 2]", "test:1: this is not JSON"),
        ("{users:[]}", "test:1: this is not JSON"), (#"{"users"=[]}"#, "test:1: this is not JSON"),
        (#"{"users":[]"a":1}"#, "test:1: this is not JSON"),
    ])
    func `says why another file cannot be read`(text: String, reason: String) throws {
        let failure = try #require(throws: SourceFailure.self) { try read(text) }
        #expect(failure.description.contains(reason))
        #expect(!failure.isCut)
    }

    @Test func `refuses an element of more than 1 MiB and reads the next`() throws {
        let long = String(repeating: "x", count: 1 << 20)
        var elements = JSONElements(try TestFile.of("[\n\"\(long)\",\n{}]"), member: "users")
        guard case .fault(let fault) = try elements.next() else { throw SourceFailure("no fault") }
        #expect(fault.place == 2)
        #expect(try elements.next() == .row(Array("{}".utf8), line: 3))
    }
}
