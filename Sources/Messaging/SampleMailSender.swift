package import Accounts
import Crypto
package import Mail
package import Projects
package import Runtime

/// Sends one mail at once, for an operator who waits to hear what the mail server says of it.
///
/// It goes the way of all mails of the project, but past the outbox: it is tried once. No hook is asked about it.
package struct SampleMailSender: Sendable {
    private let mails: any MailTransport
    private let sender: MailDelivery.Sender
    private let clock: Clock
    /// Whether a mail server takes the mails; otherwise they go to a file or the log.
    package let asksServer: Bool

    package init(by mails: any MailTransport, from sender: MailDelivery.Sender, asksServer: Bool, clock: Clock) {
        self.mails = mails
        self.sender = sender
        self.asksServer = asksServer
        self.clock = clock
    }

    /// Returns once another program is responsible for the mail.
    package func send(_ mail: OutgoingMail, in project: Project) async throws(DeliveryFailure) {
        let message = try sender.message(mail, id: Random.bytes(16), in: project, at: clock.now())
        do { try await mails.send(message) } catch { throw DeliveryFailure(error) }
    }
}
