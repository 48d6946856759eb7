import Config
import Curl
import Logging
import Runtime

/// Writes messages into the log, for development.
struct LogTransport: TextTransport {
    static let name = "log"

    init() {}

    init?(_ section: Section, development: Bool) {
        section.finish()
        guard development.orFault(section) else { return nil }
    }

    func send(_ message: TextMessage, by upstream: any Upstream, at time: Instant, log: Logger) async throws(TextMessageError) {
        log.notice("text message", metadata: ["to": "\(message.to)", "text": "\(message.text)"])
    }
}

extension TextTransports {
    /// The way of a server in development mode whose file names none.
    package static var development: any TextTransport { LogTransport() }
}

extension Bool {
    /// Whether this is development mode. Elsewhere it is a fault, since a reader of the messages could sign in as their people.
    func orFault(_ section: Section) -> Bool {
        if !self { section.fault("", "is for development mode alone") }
        return self
    }
}
