import Config
package import Curl
import HTTP
import Logging
import Mail
import Messaging
import ProjectSettings

/// How this server sends mail: `mail` in `gatehouse.yaml`.
package struct MailSettings: Sendable {
    package enum Way: Sendable {
        case smtp(SMTPServer)
        case file(String)
        case log
    }

    private enum Transport: String, CaseIterable { case smtp, file, log }

    package let way: Way
    let sender: MailDelivery.Sender
    private let development: Bool

    /// The settings of a server in development mode that does not configure mail.
    static var development: MailSettings? {
        Mailbox("Gatehouse <no-reply@localhost>").map {
            MailSettings(way: .log, sender: MailDelivery.Sender(from: $0, replyTo: nil), development: true)
        }
    }

    /// `nil` when the sender is missing or cannot be used, which is a fault.
    static func read(_ section: Section, publicURL: String, development: Bool) -> MailSettings? {
        let from = section.mailbox("from")
        section.require("from", "the sender of mails, such as \"Example <no-reply@example.com>\"")
        let replyTo = section.mailbox("replyTo")
        let transport = section.choice("transport", default: Transport.smtp)
        let smtp = section.section("smtp")
        let way: Way
        switch transport {
        case .smtp:
            way = .smtp(SMTPServer(smtp, localName: URI.parse(publicURL)?.host ?? "localhost"))
        case .file:
            if !section.has("folder") { section.fault("folder", "is missing; the folder that mails are written into") }
            way = .file(section.path("folder", default: "mails"))
        case .log: way = .log
        }
        section.finish()
        return from.map { MailSettings(way: way, sender: MailDelivery.Sender(from: $0, replyTo: replyTo), development: development) }
    }

    func transport(_ client: HTTPClient, _ log: Logger) -> any MailTransport {
        switch way {
        case .smtp(let server): SMTPTransport(client: client, server: server)
        case .file(let folder): FileTransport(folder: folder)
        case .log: LogTransport(log: log, showsText: development)
        }
    }
}

extension ServerSettings {
    package var sendsBySMTP: Bool { if case .smtp? = mail?.way { true } else { false } }
}

extension SMTPServer {
    fileprivate init(_ section: Section, localName: String) {
        let security = section.choice("security", default: Security.starttls)
        let host = section.value("host", expected: "the name or address of a mail server") { text in
            text.isEmpty || text.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || "/@[]?#%\\".utf8.contains($0) } ? nil : text
        }
        if !section.has("host") { section.fault("host", "is missing; the mail server that takes our mail") }
        let standard =
            switch security {
            case .starttls: 587;
            case .tls: 465;
            case .none: 25
            }
        self.init(
            host: host ?? "", port: section.int("port", default: standard, in: 1...65535), security: security, user: section.string("user"),
            password: section.secret("password"),
            authorities: section.authorities("authorities"),
            localName: localName,
            timeout: section.duration("timeout", default: .seconds(30), in: .seconds(1)...(.seconds(45))))
        if section.has("user") != section.has("password") { section.fault("user", "must be set together with password") }
        if security == .starttls, port == 465 {
            section.note("port", "465 is for TLS from the first byte; use security: tls, or port 587 with starttls")
        } else if security == .tls, [25, 587].contains(port) {
            section.note("port", "\(port) is for STARTTLS; use security: starttls, or port 465 with tls")
        }
        let isLoopback = host.map { $0 == "localhost" || Address($0)?.isLoopback == true } ?? false
        if password != nil, security == .none, !isLoopback {
            section.fault("security", "is none, so the password would be sent without encryption; use starttls or tls")
        }
        section.finish()
    }
}
