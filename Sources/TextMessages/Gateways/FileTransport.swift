import Config
import Curl
import FoundationEssentials
import Logging
import Runtime

/// Writes messages into a folder, one file for each, for development.
struct FileTransport: TextTransport {
    static let name = "file"

    let folder: String

    init?(_ section: Section, development: Bool) {
        section.require("folder", "the folder that messages are written into")
        folder = section.path("folder", default: "messages")
        section.finish()
        guard development.orFault(section) else { return nil }
    }

    func send(_ message: TextMessage, by upstream: any Upstream, at time: Instant, log: Logger) async throws(TextMessageError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("\(message.to)\n\(message.text)\n".utf8).write(to: URL(filePath: "\(folder)/\(message.id).txt"), options: .atomic)
        } catch {
            throw .temporary("cannot write into \(folder)")
        }
    }
}
