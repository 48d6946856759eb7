import Testing

@testable import JSON
import Text

private enum Kind: String, Codable { case email = "EMAIL", phone = "PHONE" }

private struct Person: Decodable, Equatable {
    struct Link: Decodable, Equatable {
        var rawId: String
        var seen: Int64?
    }

    var localId: String
    var email: String?
    var returnSecureToken: Bool?
    var age: Int?
    var weight: Double?
    var kind: Kind?
    var tags: [String]?
    var links: [Link]?
    var claims: [String: Int]?
    var extra: JSON?
}

@Suite struct DecodingTests {
    @Test func `decodes nested types and ignores what they do not know`() throws {
        let value: JSON = [
            "localId": "u", "email": nil, "age": 7, "weight": 1, "kind": "PHONE", "tags": ["a", "b"], "unknown": [1],
            "links": [["rawId": "r", "seen": 5], ["rawId": "s"]], "claims": ["some_name": 1], "extra": ["k": [nil]],
        ]
        let person = try value.decode(Person.self)
        #expect(
            person
                == Person(
                    localId: "u", age: 7, weight: 1, kind: .phone, tags: ["a", "b"],
                    links: [.init(rawId: "r", seen: 5), .init(rawId: "s")],
                    claims: ["some_name": 1], extra: ["k": [nil]]))
    }

    @Test(arguments: [
        (#"{"local_id":"u","return_secure_token":true}"#, Person(localId: "u", returnSecureToken: true)),
        (#"{"localId":"u","age":"42"}"#, Person(localId: "u", age: 42)),
        (#"{"localId":"u","age":42.0}"#, Person(localId: "u", age: 42)),
        (#"{"localId":"u","weight":"1.5"}"#, Person(localId: "u", weight: 1.5)),
        (#"{"localId":"u","weight":"2"}"#, Person(localId: "u", weight: 2)),
        (#"{"localId":"u","returnSecureToken":"true"}"#, Person(localId: "u", returnSecureToken: true)),
        (#"{"localId":"u","links":[{"raw_id":"r","seen":"-5"}]}"#, Person(localId: "u", links: [.init(rawId: "r", seen: -5)])),
        (#"{"localId":"u","claims":{"some_name":"3"}}"#, Person(localId: "u", claims: ["some_name": 3])),
    ])
    fileprivate func `reads the wire's spellings`(text: String, person: Person) throws {
        #expect(try JSON.parse(text).decode(Person.self, spelling: .wire) == person)
    }

    @Test func `a field in both its spellings is refused`() {
        #expect(throws: JSONError.bothSpellings(path: "localId")) {
            try JSON.parse(#"{"localId":"u","local_id":"v"}"#).decode(Person.self, spelling: .wire)
        }
        #expect(throws: JSONError.bothSpellings(path: "localId")) {
            try JSON.parse(#"{"local_id":"u","local__id":"v"}"#).decode(Person.self, spelling: .wire)
        }
    }

    @Test(arguments: [
        (#"{"local_id":"u"}"#, JSONError.missing(path: "localId")),
        (#"{"localId":"u","age":"42"}"#, .typeMismatch(path: "age", expected: "a whole number that fits")),
        (#"{"localId":"u","returnSecureToken":"true"}"#, .typeMismatch(path: "returnSecureToken", expected: "true or false")),
    ])
    func `takes only the exact spelling unless told otherwise`(text: String, error: JSONError) {
        #expect(throws: error) { try JSON.parse(text).decode(Person.self) }
    }

    @Test(arguments: [
        (#"{}"#, JSONError.missing(path: "localId")),
        (#"{"localId":null}"#, .typeMismatch(path: "localId", expected: "a string")),
        (#"{"localId":1}"#, .typeMismatch(path: "localId", expected: "a string")),
        (#"{"localId":"u","age":1.5}"#, .typeMismatch(path: "age", expected: "a whole number that fits")),
        (#"{"localId":"u","age":"1x"}"#, .typeMismatch(path: "age", expected: "a whole number that fits")),
        (#"{"localId":"u","age":"+1"}"#, .typeMismatch(path: "age", expected: "a whole number that fits")),
        (#"{"localId":"u","age":"9223372036854775808"}"#, .typeMismatch(path: "age", expected: "a whole number that fits")),
        (#"{"localId":"u","weight":"NaN"}"#, .typeMismatch(path: "weight", expected: "a number")),
        (#"{"localId":"u","kind":"FAX"}"#, .invalidValue(path: "kind", reason: "not one of the accepted values")),
        (#"{"localId":"u","tags":"a"}"#, .typeMismatch(path: "tags", expected: "an array")),
        (#"{"localId":"u","tags":["a", 1]}"#, .typeMismatch(path: "tags[1]", expected: "a string")),
        (#"{"localId":"u","tags":["a", null]}"#, .typeMismatch(path: "tags[1]", expected: "a string")),
        (#"{"localId":"u","links":[{"rawId":"r"}, {}]}"#, .missing(path: "links[1].rawId")),
        (
            #"{"localId":"u","links":[{"rawId":"r","seen":true}]}"#,
            .typeMismatch(path: "links[0].seen", expected: "a whole number that fits")
        ),
        (#"{"localId":"u","links":[[]]}"#, .typeMismatch(path: "links[0]", expected: "an object")),
        (#"{"localId":"u","claims":{"x":"y"}}"#, .typeMismatch(path: "claims.x", expected: "a whole number that fits")),
        (#"[]"#, .typeMismatch(path: "", expected: "an object")),
        (#""x""#, .typeMismatch(path: "", expected: "an object")),
    ])
    func `names the field that is wrong`(text: String, error: JSONError) {
        #expect(throws: error) { try JSON.parse(text).decode(Person.self, spelling: .wire) }
    }

    @Test func `SEC-21 errors say where and what, never the value`() {
        #expect(
            JSONError.typeMismatch(path: "links[0].seen", expected: "a string").description
                == "Invalid value at 'links[0].seen': expected a string.")
        #expect(JSONError.missing(path: "localId").description == "Missing value at 'localId'.")
        #expect(throws: JSONError.invalidValue(path: "", reason: "not one of the accepted values")) {
            try JSON.string("hunter2").decode(Kind.self)
        }
    }

    @Test func `decodes bare values, arrays with holes and small integers in range`() throws {
        #expect(try JSON.integer(5).decode(Int.self) == 5)
        #expect(try JSON.string("x").decode(String.self) == "x")
        #expect(try JSON.array([1, nil]).decode([Int?].self) == [1, nil])
        #expect(try JSON.array([[1], []]).decode([[UInt8]].self) == [[1], []])
        #expect(try JSON.number(0.5).decode(Float.self) == 0.5)
        #expect(try JSON.null.decode(Int?.self) == nil)
        #expect(throws: JSONError.typeMismatch(path: "", expected: "a whole number that fits")) { try JSON.integer(256).decode(UInt8.self) }
        #expect(throws: JSONError.typeMismatch(path: "", expected: "a whole number that fits")) { try JSON.integer(-1).decode(UInt.self) }
    }

    @Test func `tells a null that is there from an absent member`() throws {
        struct Update: Decodable {
            var clearsName: Bool
            enum CodingKeys: CodingKey { case displayName }
            init(from decoder: any Decoder) throws {
                let fields = try decoder.container(keyedBy: CodingKeys.self)
                clearsName = try fields.contains(.displayName) && fields.decodeNil(forKey: .displayName)
            }
        }
        #expect(try JSON.parse(#"{"display_name":null}"#).decode(Update.self, spelling: .wire).clearsName)
        #expect(try !JSON.parse("{}").decode(Update.self, spelling: .wire).clearsName)
    }

    @Test func `walks nested containers by hand`() throws {
        struct Flat: Decodable {
            var inner: String
            var second: Int
            enum Outer: CodingKey { case box, list }
            enum Inner: CodingKey { case inner }
            init(from decoder: any Decoder) throws {
                let fields = try decoder.container(keyedBy: Outer.self)
                inner = try fields.nestedContainer(keyedBy: Inner.self, forKey: .box).decode(String.self, forKey: .inner)
                var list = try fields.nestedUnkeyedContainer(forKey: .list)
                _ = try list.decode(Int.self)
                second = try list.decode(Int.self)
                if !list.isAtEnd { throw JSONError.invalidValue(path: "list", reason: "too long") }
                _ = try list.decode(Int.self)
            }
        }
        #expect(throws: JSONError.missing(path: "list[2]")) { try JSON.parse(#"{"box":{"inner":"x"},"list":[1,2]}"#).decode(Flat.self) }
        #expect(throws: JSONError.invalidValue(path: "list", reason: "too long")) {
            try JSON.parse(#"{"box":{"inner":"x"},"list":[1,2,3]}"#).decode(Flat.self)
        }
    }
}
