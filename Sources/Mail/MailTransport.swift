package import Curl
package import Logging
import FoundationEssentials

/// A way to send mail.
package protocol MailTransport: Sendable {
    /// Returns once another program is responsible for the mail.
    func send(_ message: MailMessage) async throws(MailError)
}

/// The reason why a mail was not sent. Reasons are for the log: they contain no address and no part of the mail.
package enum MailError: Error, Equatable, Sendable {
    /// Another attempt may succeed: no connection, a 4xx reply, a log-in that the operator must correct, a full disk.
    case temporary(String)
    /// No further attempt can succeed for this mail: the server replied 5xx.
    case permanent(String)

    package var reason: String {
        switch self {
        case .temporary(let reason), .permanent(let reason): reason
        }
    }
}

/// Sends mail to a mail server by SMTP.
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

/// Writes mails into a folder, one `.eml` file for each mail, for development and for other programs that send them.
///
/// A file appears completely or not at all. An attempt that is repeated after a crash replaces the same file.
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

/// Writes mails into the log: recipient and subject, and in development mode the text with its link.
package struct LogTransport: MailTransport {
    private let log: Logger
    private let showsText: Bool

    /// - Parameter showsText: whether the log contains the text, whose links every reader of the log can then use; for development.
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
