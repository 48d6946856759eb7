package import Accounts
import Crypto
package import Logging
package import Mail
import Pages
import ProjectSettings
package import Projects
package import Runtime

/// Renders mails by their projects' templates, and gives them to the mail server.
package struct MailDelivery: Transport {
    /// As many as mail servers accept from one client without complaint.
    package static let width = 8

    private let mails: any MailTransport
    private let sender: Sender
    private let hooks: any HookCaller
    private let projects: ProjectDirectory
    private let clock: Clock
    private let sent: Counter
    private let deferred: Counter
    private let failed: Counter

    /// The sender of mails where a project does not configure its own.
    package struct Sender: Sendable {
        package let from: Mailbox
        package let replyTo: Mailbox?

        package init(from: Mailbox, replyTo: Mailbox?) {
            self.from = from
            self.replyTo = replyTo
        }

        /// A mail in the words of its project.
        ///
        /// - Parameter id: the same at every attempt.
        func message(
            _ mail: OutgoingMail, id: [UInt8], in project: Project, at time: Instant
        ) throws(DeliveryFailure) -> MailMessage {
            guard let recipient = Mailbox(address: mail.to) else {
                throw .permanent("the address is not of a form that mail servers take")
            }
            let rendered = project.templates.mail(mail, providerName: mail.providerID.flatMap(project.name(ofProvider:)))
            let message = MailMessage(
                id: Hex.encode(id), from: project.settings.mail.from ?? from, replyTo: project.settings.mail.replyTo ?? replyTo,
                to: recipient, subject: rendered.subject, text: rendered.text, html: rendered.html, date: time)
            guard let message else { throw .permanent("the mail's header cannot be written") }
            return message
        }
    }

    package init(
        by mails: any MailTransport, from sender: Sender, hooks: any HookCaller, projects: ProjectDirectory, clock: Clock, metrics: Metrics
    ) {
        self.mails = mails
        self.sender = sender
        self.hooks = hooks
        self.projects = projects
        self.clock = clock
        func counter(_ outcome: String) -> Counter {
            metrics.counter("gatehouse_mails_total", "Attempts to send a mail, by outcome.", ["outcome": outcome])
        }
        sent = counter("sent")
        deferred = counter("deferred")
        failed = counter("failed")
    }

    package func send(_ due: LeasedDelivery<OutgoingMail>) async throws(DeliveryFailure) {
        let project = try project(due.projectID)
        if let hooked = due.payload.hooked { try await ask(about: hooked, due, in: project.settings) }
        guard !due.payload.isDecoy else { throw .needless }
        let message = try sender.message(due.payload, id: due.id, in: project, at: clock.now())
        do { try await mails.send(message) } catch { throw DeliveryFailure(error) }
    }

    private func project(_ id: String) throws(DeliveryFailure) -> Project {
        guard let project = projects.current.realm(storageID: id) else {
            throw .temporary("the project is not among those of this process")
        }
        return project
    }

    /// Asks the project's hook. Throws unless the mail may leave.
    private func ask(
        about mail: HookedMail, _ due: LeasedDelivery<OutgoingMail>, in project: ProjectSettings
    ) async throws(DeliveryFailure) {
        guard let hook = project.hooks[.beforeSendEmail] else { return }
        let question = HookQuestion(id: Hex.encode(due.id), about: mail)
        do throws(AccountError) {
            _ = try await hooks.answer(to: question, by: hook, within: Self.patience, in: project)
        } catch {
            switch error {
            case .refusedByHook: throw .permanent("the hook beforeSendEmail refused it")
            case .hookUnavailable: throw .temporary("the hook beforeSendEmail gave no sound answer")
            default: throw .temporary(error.logDetail)
            }
        }
    }

    /// How long a hook may take.
    private static let patience: Duration = .milliseconds(6500)

    package func metadata(_ mail: OutgoingMail) -> Logger.Metadata { ["kind": "\(mail.kind.rawValue)"] }

    package func report(_ outcome: DeliveryOutcome, to log: Logger) {
        switch outcome {
        case .delivered:
            sent.increment()
            log.info("mail sent")
        case .deferred(let reason):
            deferred.increment()
            log.warning("mail not taken, tried again later", metadata: ["reason": "\(reason)"])
        case .givenUp(let reason):
            failed.increment()
            log.error("mail given up", metadata: ["reason": "\(reason)"])
        }
    }
}

extension DeliveryFailure {
    init(_ error: MailError) {
        switch error {
        case .temporary(let reason): self = .temporary(reason)
        case .permanent(let reason): self = .permanent(reason)
        }
    }
}
