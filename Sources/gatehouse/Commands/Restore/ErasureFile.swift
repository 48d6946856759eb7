import FoundationEssentials
import Glibc
import JSON
import Runtime

/// The file that notes who was erased, outside the database, so that a restored backup does not bring people back: a JSON object a line.
struct ErasureFile {
    let path: String

    init(_ path: String) { self.path = path }

    struct Entry: Equatable {
        /// The `storageID` of the project.
        let project: String
        /// The account's name by `ErasedNames`.
        let account: String
        let time: Instant

        /// The person.
        struct Key: Hashable {
            let project: String
            let account: String
        }
        var key: Key { Key(project: project, account: account) }
    }

    /// Adds a line, and returns once the disk has it. Throws `Failed` when the file cannot be written.
    func append(_ entry: Entry) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw failure("flock") }
        try removeTornLine(descriptor)
        var rest = entry.line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw failure("fsync") }
        try syncFolder()
    }

    /// The lines of the file; none where there is no file yet. Throws `Failed` for a line that is not an erasure.
    func entries() throws -> [Entry] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw Failed("\(path), the file of erasures, cannot be read")
        }
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // The last one is empty, or was cut off before its erasure began.
        return try lines.dropLast().enumerated().map { index, line in
            guard let entry = Entry(line: Array(line)) else {
                throw Failed(
                    "line \(index + 1) of \(path), the file of erasures, is not an erasure; correct it, since its person would come back")
            }
            return entry
        }
    }

    /// A line without its end was being written when the machine failed, so its erasure did not begin.
    private func removeTornLine(_ descriptor: Int32) throws {
        guard let content = FileManager.default.contents(atPath: path), let last = content.last, last != UInt8(ascii: "\n") else { return }
        let kept = content.lastIndex(of: UInt8(ascii: "\n")).map { content.distance(from: content.startIndex, to: $0) + 1 } ?? 0
        guard ftruncate(descriptor, kept) == 0 else { throw failure("ftruncate") }
    }

    /// A new file is only there after a loss of power when its folder is on the disk, too.
    private func syncFolder() throws {
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let folder = open(path.contains("/") ? (parent.isEmpty ? "/" : parent) : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure("open") }
        defer { close(folder) }
        guard fsync(folder) == 0 || errno == EINVAL else { throw failure("fsync") }
    }

    private func failure(_ call: String) -> Failed {
        Failed("\(path), the file of erasures (erasures.path), cannot be written: \(SystemError(call)). Nothing was erased")
    }
}

extension ErasureFile.Entry {
    private struct Line: Codable {
        let project: String
        let account: String
        let erasedAt: Int64
    }

    fileprivate var line: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("project", project)
            writer.field("account", account)
            writer.field("erasedAt", time.milliseconds)
        }
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    fileprivate init?(line: [UInt8]) {
        guard let line = try? JSON.parse(line).decode(Line.self) else { return nil }
        self.init(project: line.project, account: line.account, time: Instant(milliseconds: line.erasedAt))
    }
}
