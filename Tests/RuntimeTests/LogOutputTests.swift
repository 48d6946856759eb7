import Glibc
import Synchronization
import Testing

@testable import Runtime

@Suite struct LogOutputTests {
    @Test func `writes what it was given, each kind in its order`() throws {
        let pipe = try Pipe()
        let output = try LogOutput(LogSink(descriptor: pipe.end))
        for number in 0..<100 {
            output.write("event \(number)\n", .event)
            output.write("access \(number)\n", .access)
        }
        output.finish(within: .seconds(60))
        let lines = pipe.read().split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("event") } == (0..<100).map { "event \($0)" })
        #expect(lines.filter { $0.hasPrefix("access") } == (0..<100).map { "access \($0)" })
    }

    @Test func `SEC-76 neither a writer nor a stop waits for a reader that stands still, and what is dropped is counted`() throws {
        let pipe = try Pipe()
        let metrics = Metrics()
        let output = try LogOutput(LogSink(descriptor: pipe.end))
        output.count(in: metrics)
        let line = String(repeating: "x", count: 999) + "\n"
        // More than the pipe, the thread and the queue can hold. A caller that waited here would wait for ever.
        for _ in 0..<20_000 { output.write(line, .access) }
        output.finish(within: .milliseconds(1))
        #expect(dropped("access", metrics) > 5000)
        // Events have separate room, even then.
        output.write("an event\n", .event)
        #expect(dropped("event", metrics) == 0)

        let taken = 20_000 - dropped("access", metrics)
        let lines = pipe.read(bytes: taken * 1000 + 9).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == taken + 1)
        #expect(lines.count { $0.elementsEqual("an event".utf8) } == 1)
        #expect(lines.count { $0.count == 999 } == taken)
    }

    @Test func `counts the lines that could not be written`() throws {
        let output = try LogOutput(path: "/dev/full")
        let metrics = Metrics()
        output.count(in: metrics)
        output.write("one\ntwo\n", .event, lines: 2)
        output.finish(within: .seconds(60))
        #expect(dropped("event", metrics) == 2)
    }

    @Test func `goes on in a new file after the former one was moved away`() throws {
        let folder = try Folder()
        let path = folder.path + "/log"
        let output = try LogOutput(path: path)
        output.write("before\n", .event)
        output.finish(within: .seconds(60))
        #expect(rename(path, path + ".1") == 0)
        output.reopen()
        output.write("after\n", .event)
        output.finish(within: .seconds(60))
        #expect(folder.text("log.1") == "before\n")
        #expect(folder.text("log") == "after\n")
    }

    @Test func `writes on in the former file when the new one cannot be opened`() throws {
        let folder = try Folder()
        let path = folder.path + "/log"
        let output = try LogOutput(path: path)
        #expect(rename(folder.path, folder.path + ".moved") == 0)
        output.reopen()
        output.write("after\n", .event)
        output.finish(within: .seconds(60))
        #expect(rename(folder.path + ".moved", folder.path) == 0)
        #expect(folder.text("log").contains("cannot reopen the log file"))
        #expect(folder.text("log").contains("after\n"))
    }

    @Test func `refuses a file that cannot be made`() {
        #expect(throws: SystemError.self) { try LogOutput(path: "/nonexistent/log") }
    }
}

extension LogOutput {
    fileprivate func write(_ text: String, _ kind: Kind, lines: Int = 1) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0), lines: lines, of: kind) }
    }
}

private func dropped(_ kind: String, _ metrics: Metrics) -> Int {
    let line = metrics.text().split(separator: "\n").first { $0.hasPrefix("gatehouse_log_lines_dropped_total{kind=\"\(kind)\"}") }
    return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
}

private final class Pipe: Sendable {
    let start, end: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (start, end) = (ends[0], ends[1])
    }

    // `end` belongs to the log thread, which lives as long as the process.
    deinit { close(start) }

    /// The bytes that are in the pipe now.
    func read() -> String {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(start, &bytes, bytes.count)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }

    /// Exactly this number of bytes, however long they take to arrive.
    func read(bytes count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while bytes.count < count {
            let got = Glibc.read(start, &buffer, buffer.count)
            guard got > 0 else { break }
            bytes += buffer[..<got]
        }
        return bytes
    }
}

private final class Folder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/gatehouse-log-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in ["log", "log.1"] { unlink(path + "/" + name) }
        rmdir(path)
    }

    func text(_ name: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let descriptor = open(path + "/" + name, O_RDONLY)
        defer { close(descriptor) }
        return String(decoding: bytes[..<max(0, Glibc.read(descriptor, &bytes, bytes.count))], as: UTF8.self)
    }
}
