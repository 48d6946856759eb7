package import Curl
package import Logging
import FoundationEssentials

/// A way that mail takes from here.
package protocol MailTransport: Sendable {
    /// Returns once somebody else is responsible for the mail.
    func send(_ message: MailMessage) async throws(MailError)
}

/// Why a mail did not get away. Reasons are for the log: they hold nobody's address and nothing of the mail.
package enum MailError: Error, Equatable, Sendable {
    /// May go better later: no connection, a server that says 4xx, a log-in that needs mending, a full disk.
    case temporary(String)
    /// Will never go better for this mail: the server said 5xx.
    case permanent(String)

    package var reason: String {
        switch self {
        case .temporary(let reason), .permanent(let reason): reason
        }
    }
}

/// To a mail server, by SMTP.
package struct SMTPTransport: MailTransport {
    private let client: HTTPClient
    private let server: SMTPServer

    package init(client: HTTPClient, server: SMTPServer) {
        self.client = client
        self.server = server
    }

    package func send(_ message: MailMessage) async throws(MailError) {
        let delivery = SMTPDelivery(from: message.from.address, to: message.to.address, message: message.bytes())
        do {
            try await client.send(delivery, by: server)
        } catch {
            throw error.isPermanent ? .permanent(error.reason) : .temporary(error.reason)
        }
    }
}

/// Into a folder, one `.eml` file a mail, for development and for other programs that send mail on.
///
/// A file appears whole or not at all; an attempt repeated after a crash replaces the same file.
package struct FileTransport: MailTransport {
    private let folder: String

    package init(folder: String) { self.folder = folder }

    package func send(_ message: MailMessage) async throws(MailError) {
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(message.bytes()).write(to: URL(filePath: "\(folder)/\(message.id).eml"), options: .atomic)
        } catch {
            throw .temporary("cannot write into \(folder)")
        }
    }
}

/// Into the log: who gets what, and in development the text with its link.
package struct LogTransport: MailTransport {
    private let log: Logger
    private let showsText: Bool

    /// - Parameter showsText: a reader of the log can then use the links; for development.
    package init(log: Logger, showsText: Bool) {
        self.log = log
        self.showsText = showsText
    }

    package func send(_ message: MailMessage) async throws(MailError) {
        var metadata: Logger.Metadata = [
            "to": "\(message.to.address)", "subject": "\(message.subject)", "message_id": "\(message.messageID)",
        ]
        if showsText { metadata["text"] = "\(message.text)" }
        log.notice("mail", metadata: metadata)
    }
}
