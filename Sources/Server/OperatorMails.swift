import Accounts
import Console
import Crypto
package import Curl
import Logging
import Mail
import Messaging
import Pages
package import Runtime

/// Tells all operators of the console by mail that it was opened without its provider (SEC-66).
///
/// The mail belongs to no project, so it does not wait in a project's outbox: the command that opens the console sends it, and says whom it did not
/// reach.
package struct OperatorMails {
    let settings: ServerSettings
    let clock: Clock

    package init(_ settings: ServerSettings, clock: Clock) {
        self.settings = settings
        self.clock = clock
    }

    /// - Returns: a sentence for each operator who was not told.
    package func tell(opened reason: String, by client: HTTPClient) async -> [String] {
        let operators = settings.console?.settings.operators ?? []
        var missed = operators.filter { $0.email == nil }.map { "\($0.person.name) has no email in the configuration, so no mail was sent" }
        let addresses = operators.compactMap(\.email)
        guard let mail = settings.mail else {
            return missed + addresses.map { "no mail was sent to \($0): the configuration has no mail" }
        }
        let transport = mail.transport(client, .silent)
        for address in addresses {
            guard let message = message(to: address, from: mail, because: reason) else {
                missed.append("no mail was sent to \(address): it cannot be written into a header")
                continue
            }
            do { try await transport.send(message) } catch { missed.append("no mail was sent to \(address): \(error.reason)") }
        }
        return missed
    }

    private func message(to address: String, from mail: MailSettings, because reason: String) -> MailMessage? {
        guard let recipient = Mailbox(address: address) else { return nil }
        let text = """
            The operator console of \(settings.publicURL) was opened without its provider at \(Timestamp.minute(clock.now())), by a command on \
            the server. The reason that was given:

                \(reason)

            The address works once, within five minutes, and the session lasts 30 minutes. If you do not know of it, look at the audit: \
            gatehouse audit list

            """
        return MailMessage(
            id: Hex.encode(Random.bytes(16)), from: mail.sender.from, replyTo: mail.sender.replyTo, to: recipient,
            subject: "The operator console was opened without its provider", text: text, html: "<pre>\(HTML.escaped(text))</pre>",
            date: clock.now())
    }
}
