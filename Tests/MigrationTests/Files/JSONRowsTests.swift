import Accounts
import JSON
import Migration
import Testing
import Text

struct JSONRowsTests {
    @Test func `reads an object on each line`() throws {
        var rows = JSONRows(lines: try TestFile.of("{\"a\":1}\n\n  \n[]\n{\"a\":\"\\x\"}\n{}\n"))
        #expect(try rows.next() == .row(["a": 1], line: 1))
        guard case .fault(let array) = try rows.next() else { throw SourceFailure("no fault") }
        #expect((array.place, array.message) == (4, "the row is not a JSON object"))
        guard case .fault(let escape) = try rows.next() else { throw SourceFailure("no fault") }
        #expect((escape.place, escape.code) == (5, .malformed))
        #expect(try rows.next() == .row([:], line: 6))
        #expect(try rows.next() == nil)
    }

    @Test func `says that a file of lines is cut`() throws {
        var rows = JSONRows(lines: try TestFile.of("{\"a\":1}\n{\"a\""))
        _ = try rows.next()
        let failure = try #require(throws: SourceFailure.self) { try rows.next() }
        #expect(failure.isCut)
        #expect(failure.description.contains("line 2"))
    }

    @Test func `reads a last line without a line feed`() throws {
        var rows = JSONRows(lines: try TestFile.of("{}"))
        #expect(try rows.next() == .row([:], line: 1))
    }

    @Test func `goes on behind an element that is not an object`() throws {
        var rows = JSONRows(try TestFile.of("{\"users\":[{\"a\":tru},7,{\"a\":1}]}"), member: "users")
        for _ in 0..<2 { guard case .fault = try rows.next() else { throw SourceFailure("no fault") } }
        #expect(try rows.next() == .row(["a": 1], line: 1))
    }
}
