import FoundationEssentials
import ProjectSettings
import Runtime

extension GoogleServiceAccount {
    /// Reads a key file. Throws `Failed`.
    init(path: String) throws {
        guard let bytes = FileManager.default.contents(atPath: path) else { throw Failed("\(path) cannot be read") }
        do { try self.init(Secret(String(decoding: bytes, as: UTF8.self))) } catch { throw Failed("\(path) \(error)") }
    }
}
