package import Config
package import Curl
package import Logging
package import Runtime

/// A way to send text messages, with its settings.
package protocol TextTransport: Sendable {
    /// Its key in a project's file, and its name in metrics.
    static var name: String { get }

    /// Reads its settings and finishes the section. `nil` after a fault.
    init?(_ section: Section, development: Bool)

    /// Returns once another program is responsible for the message.
    func send(_ message: TextMessage, by upstream: any Upstream, at time: Instant, log: Logger) async throws(TextMessageError)
}

/// The reason why a message was not sent, for the log: it has no number and no part of the message.
package enum TextMessageError: Error, Equatable, Sendable {
    /// Another attempt may succeed, and cannot send the message twice.
    case temporary(String)
    /// No further attempt is made: it could not succeed, or the message may have been sent.
    case permanent(String)
}

/// The list of all ways to send text messages.
package enum TextTransports {
    /// To add a way, add a file in `Gateways` and a line here.
    package static let all: [any TextTransport.Type] = [
        Hook.self, Twilio.self, Vonage.self, SNS.self, LogTransport.self, FileTransport.self,
    ]

    /// Reads the section `transport`, which names one way. `nil` where it names none, or after a fault.
    package static func read(_ section: Section, development: Bool) -> (any TextTransport)? {
        let named = all.filter { section.has($0.name) }
        let entries = all.map { (way: $0, entry: section.section($0.name)) }
        let found = entries.filter { section.has($0.way.name) }.compactMap { $0.way.init($0.entry, development: development) }
        if named.count > 1 { section.fault("", "names several ways to send messages; leave one") }
        section.finish()
        return named.count == 1 ? found.first : nil
    }
}
