import FoundationEssentials
import Runtime
import TestKit
import Testing

@testable import Mail

@Suite struct MailMessageTests {
    private func message(
        subject: String = "Reset your password", from: String = "Gatehouse <no-reply@example.com>", to: String = "ada@example.org",
        replyTo: String? = nil, text: String = "Hello\n", html: String = "<p>Hello</p>\n"
    ) throws -> MailMessage {
        let (sender, recipient) = (try #require(Mailbox(from)), try #require(Mailbox(to)))
        return try #require(
            MailMessage(
                id: "0a1b", from: sender, replyTo: replyTo.flatMap { Mailbox($0) }, to: recipient, subject: subject, text: text, html: html,
                date: Instant(seconds: 1_795_256_085)))
    }

    private func wire(_ message: MailMessage) -> String { String(decoding: message.bytes(), as: UTF8.self) }

    @Test func `writes a mail as this text`() throws {
        let message = try message(
            subject: "Neues Passwort für Käsekuchen & Söhne, das ist ein langer Betreff für eine Mail",
            from: "Käse & Söhne <no-reply@example.com>",
            replyTo: "\"Help, please\" <help@example.com>", text: "Grüße,\n\n=: https://auth.example.com/?a=b&c=d \n-- \nKäse\n",
            html: "<p>Grüße</p>")
        #expect(
            wire(message) == """
                Date: Sat, 21 Nov 2026 10:14:45 +0000\r
                From: =?utf-8?B?S8Okc2UgJiBTw7ZobmU=?=\r
                 <no-reply@example.com>\r
                Reply-To: "Help, please" <help@example.com>\r
                To: ada@example.org\r
                Subject: =?utf-8?B?TmV1ZXMgUGFzc3dvcnQgZsO8ciBLw6RzZWt1Y2hlbiAmIFPDtmhu?=\r
                 =?utf-8?B?ZSwgZGFzIGlzdCBlaW4gbGFuZ2VyIEJldHJlZmYgZsO8ciBlaW5lIE1haWw=?=\r
                Message-ID: <0a1b@example.com>\r
                Auto-Submitted: auto-generated\r
                X-Auto-Response-Suppress: All\r
                MIME-Version: 1.0\r
                Content-Type: multipart/alternative;\r
                 boundary="=_0a1b"\r
                \r
                --=_0a1b\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                Gr=C3=BC=C3=9Fe,\r
                \r
                =3D: https://auth.example.com/?a=3Db&c=3Dd=20\r
                --=20\r
                K=C3=A4se\r
                \r
                --=_0a1b\r
                Content-Type: text/html; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                <p>Gr=C3=BC=C3=9Fe</p>\r
                \r
                --=_0a1b--\r

                """)
    }

    @Test func `keeps every line short and plain`() throws {
        let long = String(repeating: "ä", count: 500) + String(repeating: " word", count: 300) + String(repeating: "x", count: 300)
        let message = try message(
            subject: String(long.prefix(400)), from: "\(String(long.prefix(60))) <a@b.example>", text: long, html: long)
        let lines = wire(message).split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
        #expect(!wire(message).replacing("\r\n", with: "").utf8.contains { $0 == 0x0D || $0 == 0x0A })
    }

    @Test(arguments: ["two\r\nBcc: eve@example.com", "two\nlines", "cr\r", "nul\0", "next\u{85}line"])
    func `refuses a subject that could end its line`(_ subject: String) {
        let mailbox = Mailbox(address: "a@b.example")
        #expect(mailbox != nil)
        if let mailbox {
            let date = Instant(seconds: 0)
            #expect(MailMessage(id: "1", from: mailbox, to: mailbox, subject: subject, text: "", html: "", date: date) == nil)
            #expect(MailMessage(id: "1>\r\nX: ", from: mailbox, to: mailbox, subject: "", text: "", html: "", date: date) == nil)
        }
    }

    @Test(arguments: [
        "ada@example.org\r\nBcc: eve@example.com", "ada@example.org\n", "ada @example.org", "ada@@example.org", "ada", "@example.org",
        "ada@",
        "a..b@example.org", ".a@example.org", "ada@-x.org", "ada@x-.org", "ada@x..org", "<ada@example.org>", "ada@example.org>",
        "ada@[127.0.0.1]",
        "\"a b\"@example.org", "ada@exämple.org", "ädä@example.org", "ada@example.org,eve@example.org", "a@b@c", "ada@exa_mple.org",
    ])
    func `refuses a text that is not an address`(_ text: String) {
        #expect(Mailbox(address: text) == nil)
        #expect(Mailbox("Name <\(text)>") == nil)
    }

    @Test func `refuses what is too long`() {
        #expect(Mailbox(address: String(repeating: "a", count: 65) + "@example.org") == nil)
        #expect(Mailbox(address: "a@" + String(repeating: "a.", count: 130) + "org") == nil)
    }

    @Test(arguments: [
        ("ada@example.org", "ada@example.org"), ("Ada <ada@example.org>", "Ada <ada@example.org>"),
        ("\"Ada, Countess\" <a+b@xn--exmple-cua.org>", "\"Ada, Countess\" <a+b@xn--exmple-cua.org>"),
        ("A \"quoted\" name <a@b.example>", "\"A \\\"quoted\\\" name\" <a@b.example>"), ("<a@b.example>", "a@b.example"),
        ("=?utf-8?q?x?= <a@b.example>", "=?utf-8?B?PT91dGYtOD9xP3g/PQ==?=\r\n <a@b.example>"),
    ])
    func `writes a mailbox`(_ text: String, _ written: String) throws {
        #expect(HeaderText.mailbox(try #require(Mailbox(text))) == written)
    }

    @Test func `refuses a name that could end its line`() {
        #expect(Mailbox(name: "Ada\r\nBcc: eve@example.com", address: "ada@example.org") == nil)
        #expect(Mailbox("Ada\nX: y <ada@example.org>") == nil)
    }
}

@Suite struct FileTransportTests {
    @Test func `writes one file a mail, the same at a second attempt`() async throws {
        let folder = MailFolder()
        defer { folder.remove() }
        let mailbox = try #require(Mailbox(address: "a@b.example"))
        let message = try #require(
            MailMessage(id: "ab12", from: mailbox, to: mailbox, subject: "S", text: "T", html: "H", date: Instant(seconds: 0)))
        let transport = FileTransport(folder: folder.path + "/new/mails")
        try await transport.send(message)
        try await transport.send(message)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/new/mails")
        #expect(names == ["ab12.eml"])
        #expect(FileManager.default.contents(atPath: folder.path + "/new/mails/ab12.eml").map(Array.init) == message.bytes())
        await #expect(throws: MailError.self) { try await FileTransport(folder: "/proc/nowhere").send(message) }
    }
}

/// A temporary folder, deleted with its files.
private struct MailFolder {
    let path = FileManager.default.temporaryDirectory.path + "/gatehouse-mail-" + UUID().uuidString
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
