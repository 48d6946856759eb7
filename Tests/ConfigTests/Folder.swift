import Glibc

@testable import Config

/// A temporary folder for one test, which is deleted with the test.
final class Folder {
    let path: String

    init() {
        var template = Array("/tmp/gatehouse-config-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
    }

    deinit {
        guard let list = opendir(path) else { return }
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink("\(path)/\(name)")
        }
        closedir(list)
        rmdir(path)
    }

    func write(_ name: String, _ bytes: [UInt8]) -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        defer { close(descriptor) }
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count ? file : ""
    }

    func write(_ name: String, _ text: String) -> String { write(name, Array(text.utf8)) }
}

/// Reads `yaml` and returns the result of `body` and every fault in full, without the folder's name.
func reading<Value>(_ yaml: String, environment: [String: String] = [:], _ body: (Section) -> Value) -> (value: Value, faults: [String]) {
    let folder = Folder()
    let faults = Faults()
    let section = ConfigFile.read(folder.write("c.yaml", yaml), environment: environment, faults: faults)
    let value = body(section)
    return (value, faults.all.map { String($0.description.dropFirst(folder.path.count + 1)) })
}
