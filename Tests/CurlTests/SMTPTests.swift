import Logging
import Runtime
import Testing

@testable import Curl

@Suite struct SMTPTests {
    private let delivery = SMTPDelivery(
        from: "no-reply@example.com", to: "ada@example.org", message: Array("Subject: S\r\n\r\n.dot\r\nend\r\n".utf8))

    /// A mail server that answers each command with `answers`, or accepts it; `DATA` ends with a single dot.
    private func server(_ answers: [String: String] = [:], greeting: String = "220 hello") throws -> (ScriptedServer, SMTPServer, Notes) {
        let notes = Notes()
        let scripted = try ScriptedServer { peer in
            peer.send(greeting + "\r\n")
            while let line = peer.line() {
                let verb = String(line.prefix { $0 != " " && $0 != ":" }).uppercased()
                notes.add(line)
                if verb == "DATA", answers["DATA"] == nil {
                    peer.send("354 go on\r\n")
                    while let text = peer.line(), text != "." { notes.add(text) }
                    peer.send((answers["."] ?? "250 taken") + "\r\n")
                } else {
                    peer.send((answers[verb] ?? (verb == "QUIT" ? "221 bye" : "250 fine")) + "\r\n")
                }
            }
        }
        let server = SMTPServer(
            host: "127.0.0.1", port: scripted.port, security: .none, localName: "auth.example.com", timeout: .seconds(300))
        return (scripted, server, notes)
    }

    private func client() throws -> HTTPClient {
        try HTTPClient(
            loop: try Loop(index: 0), policy: .production, metrics: Metrics(), log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func `gives a mail to a server word by word`() async throws {
        let (scripted, server, notes) = try server()
        try await client().send(delivery, by: server)
        #expect(scripted.connections == 1)
        #expect(
            notes.all.prefix(6) == [
                "EHLO auth.example.com", "MAIL FROM:<no-reply@example.com>", "RCPT TO:<ada@example.org>", "DATA", "Subject: S", "",
            ])
        #expect(notes.all.dropFirst(6).prefix(2) == ["..dot", "end"])
    }

    @Test(arguments: [
        (["RCPT": "550 no such user"], true), (["MAIL": "550 not you"], true), (["DATA": "554 no"], true), ([".": "550 spam"], true),
        (["RCPT": "451 later"], false), (["MAIL": "421 busy"], false), ([".": "452 full"], false), (["MAIL": "530 log in first"], false),
    ])
    func `tells refusals for good from those for now`(_ answers: [String: String], _ isPermanent: Bool) async throws {
        let (scripted, server, _) = try server(answers)
        let error = await #expect(throws: SMTPError.self) { try await client().send(delivery, by: server) }
        #expect(error?.isPermanent == isPermanent)
        #expect(error?.reason.contains("ada") == false)
        #expect(scripted.connections == 1)
    }

    @Test func `a server that is not there or does not serve may be there later`() async throws {
        let (busyServer, busy, _) = try server(greeting: "554 no service")
        #expect(await #expect(throws: SMTPError.self) { try await client().send(delivery, by: busy) }?.isPermanent == false)
        let (plainServer, plain, _) = try server()
        var encrypted = plain
        encrypted.security = .starttls
        let error = await #expect(throws: SMTPError.self) { try await client().send(delivery, by: encrypted) }
        #expect(error?.isPermanent == false)
        #expect(busyServer.connections == 1 && plainServer.connections == 1)
        var nobody = plain
        nobody.port = 1
        #expect(await #expect(throws: SMTPError.self) { try await client().send(delivery, by: nobody) }?.isPermanent == false)
    }

    @Test func `sends nothing readable when encryption is not offered`() async throws {
        let (scripted, server, notes) = try server()
        var encrypted = server
        encrypted.security = .starttls
        encrypted.user = "gatehouse"
        encrypted.password = Secret("sesame")
        await #expect(throws: SMTPError.self) { try await client().send(delivery, by: encrypted) }
        #expect(scripted.connections == 1)
        #expect(notes.all.allSatisfy { $0.hasPrefix("EHLO") || $0.hasPrefix("HELO") || $0.hasPrefix("STARTTLS") || $0 == "QUIT" })
    }

    @Test func `uses one connection for mails one after the other`() async throws {
        try await soonEnoughToReuse {
            let (scripted, server, _) = try server()
            let client = try client()
            for _ in 0..<3 { try await client.send(delivery, by: server) }
            return scripted.connections == 1
        }
    }
}
