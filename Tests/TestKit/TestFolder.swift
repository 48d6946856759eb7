import Glibc
import Runtime

/// A temporary folder of files for one test, deleted with it.
package final class TestFolder: Sendable {
    package let path: String

    package init(_ files: [String: String] = [:]) throws {
        var template = Array("/tmp/gatehouse-files-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError("mkdtemp") }
        path = String(cString: made)
        for (name, text) in files { try write(name, text) }
    }

    deinit { Self.delete(path) }

    private static func delete(_ path: String) {
        guard let directory = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != ".", name != ".." { delete("\(path)/\(name)") }
        }
        closedir(directory)
        rmdir(path)
    }

    /// - Parameter name: may have folders in front, which are made.
    package func write(_ name: String, _ text: String) throws {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
        guard let file = fopen("\(path)/\(name)", "w") else { throw SystemError("fopen") }
        defer { fclose(file) }
        fputs(text, file)
    }

    package func remove(_ name: String) {
        unlink("\(path)/\(name)")
    }
}
