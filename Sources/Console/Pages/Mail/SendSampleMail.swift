import Accounts
import HTTP
import Messaging
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// Sends a mail with made-up values to the operator's own address, by the way of the project's mails, and tells what the mail server says.
struct SendSampleMail: ConsoleAct {
    static let path = "/projects/{project}/mail/templates/{kind}/{language}/send"
    static let place = ConsolePlace.mail
    static let role = Operator.Role.support

    /// The part of the configuration without which an operator cannot have a mail sent.
    enum Missing {
        /// `mail` of the server.
        case mail
        /// `email` of the operator's entry.
        case address
    }

    static func missing(_ visit: ConsoleVisit) -> Missing? {
        if visit.console.facts.sampleMails == nil { return .mail }
        return visit.ownAddress == nil ? .address : nil
    }

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        let named = try NamedMail(visit)
        let (_, address) = try way(visit)
        return ConsoleConfirmation(
            "sendSampleMail",
            ["address": .text(address), "mailKind": .text(named.kind.rawValue), "mailLanguage": .text(named.language)],
            path: try MailPreviewPage.path(above: visit), cancel: try MailPreviewPage.link(named.kind, in: named.language, visit))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let (named, project) = (try NamedMail(visit), try visit.project)
        let (sender, address) = try way(visit)
        let mail = try visit.sample(named.kind, in: named.language, to: address)
        let page = try MailPreviewPage.link(named.kind, in: named.language, visit)
        try await visit.accounts.operators.sampleMails.begin(mail, in: project.settings, by: visit.act)
        do throws(DeliveryFailure) { try await sender.send(mail, in: project) } catch {
            return .shows(
                ConsoleView(
                    "mailRefused",
                    ["fault": .text(ConsoleVisit.inert(error.reason)), "isForGood": .flag(error.isForGood), "back": .text(page)],
                    path: try MailPreviewPage.path(above: visit)))
        }
        return .goes(to: page, note: sender.asksServer ? "sent" : "kept")
    }

    private func way(_ visit: ConsoleVisit) throws(ConsoleFault) -> (SampleMailSender, String) {
        guard let sender = visit.console.facts.sampleMails else { throw ConsoleFault("noMail") }
        guard let address = visit.ownAddress else { throw ConsoleFault("noOwnAddress") }
        return (sender, address)
    }
}

extension ConsoleVisit {
    /// The operator's address in the configuration. A session without the provider has none, and in development it is made up.
    var ownAddress: String? {
        if console.isOpen { return "developer@localhost" }
        return session.isBreakGlass ? nil : console.settings.operators.first { $0.person.name == person.name }?.email
    }
}
