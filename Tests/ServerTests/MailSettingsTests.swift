import Curl
import Mail
import Messaging
import Runtime
import Testing

@testable import Server

@Suite struct MailSettingsTests {
    private func read(_ mail: String) throws -> (mail: MailSettings?, faults: [String], notes: [String]) {
        let (settings, faults, notes) = try WrittenConfiguration("mail: {\(mail)}").settings()
        return (settings.mail, faults, notes)
    }

    @Test func `sends by SMTP with STARTTLS unless the file says otherwise`() throws {
        let (mail, faults, notes) = try read("from: no-reply@example.com, replyTo: help@example.com, smtp: {host: smtp.example.com}")
        #expect(faults == [] && notes == [])
        guard case .smtp(let server)? = mail?.way else { throw Failed() }
        #expect(server.host == "smtp.example.com" && server.port == 587 && server.security == .starttls)
        #expect(server.localName == "auth.example.com" && server.timeout == .seconds(30) && server.password == nil)
        #expect(mail?.sender.from.address == "no-reply@example.com" && mail?.sender.replyTo?.address == "help@example.com")
    }

    @Test(arguments: [("tls", 465), ("none", 25), ("starttls", 587)]) func `has the port of each kind of encryption`(
        security: String, port: Int
    ) throws {
        let (mail, faults, _) = try read(
            "from: a@example.com, smtp: {host: 127.0.0.1, security: \(security), user: u, password: {env: PASSWORD}}")
        #expect(faults == [])
        guard case .smtp(let server)? = mail?.way else { throw Failed() }
        #expect(server.port == port && server.user == "u" && server.password?.reveal() == "a password")
    }

    @Test func `writes mails into a folder or the log`() throws {
        guard case .file(let folder)? = try read("from: a@example.com, transport: file, folder: /var/mails").mail?.way else {
            throw Failed()
        }
        #expect(folder == "/var/mails")
        guard case .log? = try read("from: a@example.com, transport: log").mail?.way else { throw Failed() }
        let byMail = try WrittenConfiguration("mail: {from: a@example.com, smtp: {host: h.example}}").settings().settings
        let byLog = try WrittenConfiguration("mail: {from: a@example.com, transport: log}").settings().settings
        #expect(byMail.sendsBySMTP && !byLog.sendsBySMTP)
    }

    @Test(
        arguments: [
            ("smtp: {host: smtp.example.com}", "mail.from: is missing; the sender of mails"),
            ("from: a@example.com", "mail.smtp.host: is missing; the mail server that takes our mail"),
            ("from: a@example.com, smtp: {host: smtp://example.com}", "mail.smtp.host: expected the name or address of a mail server"),
            ("from: a@example.com, transport: file", "mail.folder: is missing; the folder that mails are written into"),
            ("from: a@example.com, transport: pigeon, smtp: {host: h.example}", "mail.transport: expected one of: smtp, file, log"),
            ("from: a@example.com, smtp: {host: h.example, user: u}", "mail.smtp.user: must be set together with password"),
            (
                "from: a@example.com, smtp: {host: h.example, user: u, password: {env: NOT_SET}}",
                "mail.smtp.password: the environment variable NOT_SET is not set"
            ),
            (
                "from: a@example.com, smtp: {host: h.example, security: none, user: u, password: {env: PASSWORD}}",
                "mail.smtp.security: is none, so the password would be sent without encryption"
            ),
        ])
    func `says what is wrong`(mail: String, fault: String) throws {
        let faults = try read(mail).faults
        #expect(faults.count == 1 && faults.first?.contains("  \(fault)") == true, "\(faults)")
    }

    @Test(
        arguments: [
            ("port: 465", "465 is for TLS from the first byte; use security: tls"), ("security: tls, port: 587", "587 is for STARTTLS"),
            ("security: tls, port: 25", "25 is for STARTTLS"),
        ])
    func `notes a port that is another encryption's`(smtp: String, note: String) throws {
        let (_, faults, notes) = try read("from: a@example.com, smtp: {host: h.example, \(smtp)}")
        #expect(faults == [] && notes.count == 1 && notes.first?.contains("mail.smtp.port: \(note)") == true, "\(notes)")
    }

    private struct Failed: Error {}
}
