import Testing

@testable import JSON
import Text

private struct Answer: Encodable {
    struct Link: Encodable { var providerId: String }
    enum Kind: String, Encodable { case email = "EMAIL" }

    var kind = Kind.email
    var localId = "u"
    var email: String?
    var createdAt: Int64 = 1_700_000_000_000
    var period = 30
    var ratio = 0.5
    var isNew = true
    var links: [Link] = [Link(providerId: "a.com"), Link(providerId: "b.com")]
    var claims = ["n": 1]
    var extra: JSON = ["x": nil]
    var empty: [String] = []
}

@Suite struct EncodingTests {
    @Test func `keeps the order of the type and leaves out nil`() throws {
        #expect(
            try JSON(encoding: Answer()).text()
                == #"{"kind":"EMAIL","localId":"u","createdAt":1700000000000,"period":30,"ratio":0.5,"isNew":true,"#
                + #""links":[{"providerId":"a.com"},{"providerId":"b.com"}],"claims":{"n":1},"extra":{"x":null},"empty":[]}"#)
    }

    @Test func `writes an Int64 as a string on the wire and an Int as a number`() throws {
        let value = try JSON(encoding: Answer(), spelling: .wire)
        #expect(value["createdAt"] == "1700000000000")
        #expect(value["period"] == 30)
        #expect(try JSON(encoding: [1 as Int64, 2], spelling: .wire) == ["1", "2"])
    }

    @Test func `an empty type is an empty object and bare values are themselves`() throws {
        struct Empty: Encodable {}
        #expect(try JSON(encoding: Empty()) == [:])
        #expect(try JSON(encoding: "x") == "x")
        #expect(try JSON(encoding: [1, nil] as [Int?]) == [1, nil])
        #expect(try JSON(encoding: ["a": [true]]) == ["a": [true]])
    }

    @Test func `refuses numbers JSON does not have, naming the field`() {
        struct Odd: Encodable { var list: [Double] }
        #expect(throws: JSONError.invalidValue(path: "list[1]", reason: "not a number that JSON can express")) {
            try JSON(encoding: Odd(list: [1, .nan]))
        }
        #expect(throws: JSONError.invalidValue(path: "", reason: "does not fit 64 bits")) { try JSON(encoding: UInt64.max) }
    }

    @Test func `what it encodes decodes to the same`() throws {
        struct Pair: Codable, Equatable {
            var left: Int64
            var right: [String: [Double?]]
        }
        let pair = Pair(left: .min, right: ["a": [1.5, nil], "b": []])
        for spelling in [JSON.Spelling.exact, .wire] {
            #expect(try JSON(encoding: pair, spelling: spelling).decode(Pair.self, spelling: spelling) == pair)
        }
    }
}
