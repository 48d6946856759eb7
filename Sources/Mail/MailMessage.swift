package import Runtime

/// One complete mail, and its form on the wire.
///
/// This kit knows mails, but not why they are sent: `MailMessage` is one mail (RFC 5322, MIME), and a `MailTransport` sends it
/// (`SMTPTransport`, `FileTransport`, `LogTransport`). `Accounts/Outbox` stores mails and decides when to try again.
package struct MailMessage: Sendable, Equatable {
    package let from: Mailbox
    package let replyTo: Mailbox?
    package let to: Mailbox
    package let subject: String
    package let text: String
    package let html: String
    /// The part before the `@` of the `Message-ID`. It is the same for every attempt at one mail, so that two copies can be told from two
    /// mails.
    package let id: String
    package let date: Instant

    /// `nil` when `subject` or `id` contain a character that would end their header line.
    package init?(
        id: String, from: Mailbox, replyTo: Mailbox? = nil, to recipient: Mailbox, subject: String, text: String, html: String,
        date: Instant
    ) {
        let isSafe = subject.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        let idIsSafe = !id.isEmpty && id.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }
        guard isSafe, idIsSafe else { return nil }
        self.id = id
        self.from = from
        self.replyTo = replyTo
        to = recipient
        self.subject = subject
        self.text = text
        self.html = html
        self.date = date
    }

    package var messageID: String { "<\(id)@\(from.domain)>" }

    /// Header and body with CR LF, all ASCII. No line is longer than 78 characters unless it cannot be broken.
    package func bytes() -> [UInt8] {
        // Quoted-printable text never contains `=_`, so the boundary cannot occur in the text.
        let boundary = "=_\(id)"
        var out = ""
        for (name, value) in header { out += "\(name): \(value)\r\n" }
        out += "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"\r\n\r\n"
        for (type, body) in [("plain", text), ("html", html)] {
            out += "--\(boundary)\r\nContent-Type: text/\(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
            out += QuotedPrintable.encode(body)
            out += "\r\n"
        }
        out += "--\(boundary)--\r\n"
        return Array(out.utf8)
    }

    /// The header without the content type, which is the part of a mail that the log may show in development mode.
    package var header: [(name: String, value: String)] {
        var fields = [
            ("Date", InternetDate.mail(date)), ("From", HeaderText.mailbox(from)), ("To", HeaderText.mailbox(to)),
            ("Subject", HeaderText.unstructured(subject, after: "Subject: ".utf8.count)), ("Message-ID", messageID),
            // Keeps automatic replies away. <https://www.rfc-editor.org/rfc/rfc3834#section-5>
            ("Auto-Submitted", "auto-generated"), ("X-Auto-Response-Suppress", "All"), ("MIME-Version", "1.0"),
        ]
        if let replyTo { fields.insert(("Reply-To", HeaderText.mailbox(replyTo)), at: 2) }
        return fields.map { (name: $0.0, value: $0.1) }
    }
}
