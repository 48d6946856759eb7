import Accounts
import Migration
import Testing

struct InputFileTests {
    @Test(arguments: [
        ([0x1F, 0x8B, 8, 0], "gunzip"), ([0x50, 0x4B, 3, 4], "unzip"), ([0x28, 0xB5, 0x2F, 0xFD], "unzstd"),
        ([0x50, 0x47, 0x44, 0x4D, 0x50], "pg_restore"), ([0xFF, 0xFE, 0x5B, 0], "iconv"), ([0xFE, 0xFF, 0, 0x5B], "iconv"),
    ])
    func `says what to do with a file that is not text`(bytes: [UInt8], remedy: String) throws {
        let failure = try #require(throws: SourceFailure.self) { try TestFile.of(bytes) }
        #expect(failure.description.contains(remedy))
        #expect(!failure.isCut)
    }

    @Test func `names a file that cannot be opened`() throws {
        let failure = try #require(throws: SourceFailure.self) { try InputFile(path: "/nonexistent/users.json") }
        #expect(failure.description == "/nonexistent/users.json cannot be opened: open: No such file or directory")
    }

    @Test func `names a folder that is not a file`() throws {
        let failure = try #require(throws: SourceFailure.self) { try InputFile(path: "/tmp") }
        #expect(failure.description.contains("Is a directory"))
    }

    @Test(arguments: 1...7) func `counts lines over the borders of pieces`(piece: Int) throws {
        var lines = FileLines(try TestFile.of(Array("\u{FEFF}one\r\n\ntwo\r\nthree".utf8), piece: piece))
        var read: [FileRow<[UInt8]>] = []
        var terminated: [Bool] = []
        while let line = try lines.next() {
            read.append(line)
            terminated.append(lines.isTerminated)
        }
        #expect(
            read == [
                .row(Array("one".utf8), line: 1), .row([], line: 2), .row(Array("two".utf8), line: 3), .row(Array("three".utf8), line: 4),
            ])
        #expect(terminated == [true, true, true, false])
    }

    @Test func `refuses a row of more than 1 MiB and reads the next`() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        var lines = FileLines(try TestFile.of(long + [UInt8(ascii: "\n")] + long + Array("y\nnext\n".utf8)))
        #expect(try lines.next() == .row(long, line: 1))
        let fault = try #require(try lines.next())
        guard case .fault(let reason) = fault else { throw SourceFailure("no fault") }
        #expect(reason.place == 2)
        #expect(reason.message == "the row is longer than 1 MiB")
        #expect(try lines.next() == .row(Array("next".utf8), line: 3))
    }

    @Test func `has no row in an empty file`() throws {
        var lines = FileLines(try TestFile.of(""))
        #expect(try lines.next() == nil)
    }
}
