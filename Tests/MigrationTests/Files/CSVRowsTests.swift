import Accounts
import Migration
import Testing
import Text

struct CSVRowsTests {
    private func read(_ text: String, piece: Int = 1 << 18) throws -> [String] {
        var rows = CSVRows(try TestFile.of(Array(text.utf8), piece: piece))
        var read: [String] = []
        while let row = try rows.next() {
            switch row {
            case .row(let fields, let line): read.append("\(line) " + fields.map(\.asString).joined(separator: "|"))
            case .fault(let fault): read.append("\(fault.place) fault: \(fault.message)")
            }
        }
        return read
    }

    @Test(arguments: [
        ("a,b\nc,\n", ["1 a|b", "2 c|"]), ("\u{FEFF}a,b\r\n\r\nc,d", ["1 a|b", "3 c|d"]), ("", []), (",\n", ["1 |"]),
        (#""a,b",c"#, ["1 a,b|c"]), (#""say ""hi""",c"#, [#"1 say "hi"|c"#]), (#"a "quoted" word,c"#, [#"1 a "quoted" word|c"#]),
        ("\"two\nlines\",c\nd,e\n", ["1 two\nlines|c", "3 d|e"]), (#""","""#, ["1 |"]), (#""",a"#, ["1 |a"]),
        ("\"a\"b,c\nd,e\n", ["1 fault: field 1 of the row has text behind its closing quote", "2 d|e"]),
    ])
    func `reads records`(text: String, expected: [String]) throws {
        for piece in [1, 2, 5, 1 << 18] { #expect(try read(text, piece: piece) == expected) }
    }

    @Test func `refuses a field that is not UTF-8 and reads the next record`() throws {
        var rows = CSVRows(try TestFile.of([0x61, 0x2C, 0xFF, 0x0A, 0x62]))
        guard case .fault(let fault) = try rows.next() else { throw SourceFailure("no fault") }
        #expect(fault.message == "field 2 of the row is not UTF-8")
        #expect(try rows.next() == .row(["b"], line: 2))
    }

    @Test func `says that a file is cut in a field in quotes`() throws {
        let failure = try #require(throws: SourceFailure.self) { try read("a,b\n\"c,\nd") }
        #expect(failure.isCut)
        #expect(failure.description.contains("in a field in quotes that began on line 2"))
    }

    @Test func `gives up a quote that is not closed`() throws {
        let failure = try #require(throws: SourceFailure.self) { try read("\"a\n" + String(repeating: "b,c\n", count: 200)) }
        #expect(!failure.isCut)
        #expect(failure.description.hasPrefix("test:1: a quote begins a field and is never closed"))
    }
}
