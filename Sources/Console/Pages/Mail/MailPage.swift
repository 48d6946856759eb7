import Accounts
import Crypto
import HTTP
import Pages
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// The mails of a project that wait to be sent, and those that were given up, without recipients and links.
struct MailPage: ConsolePage {
    static let path = "/projects/{project}/mail"
    static let place = ConsolePlace.mail
    private static let most = 50
    private static let mostGivenUp = 20

    func callAsFunction(_ visit: ConsoleVisit) async throws -> ConsoleView {
        let id = try visit.project.settings.storageID
        let waiting = visit.accounts.operators.mails
        let (count, oldest) = try await waiting.depth(in: [id])
        let mails = try await waiting.list(limit: Self.most, in: [id])
        var values: [String: TemplateValue] = [
            "count": .text("\(count)"), "oldest": .text(oldest.map(Timestamp.minute)), "hasMails": .flag(!mails.isEmpty),
            "isWithout": .flag(visit.accounts.outbox == nil), "most": .text("\(Self.most)"),
            "retry": .text(visit.may(RetryMails.role) ? try visit.projectLink("/mail/retry") : ""),
            "templates": .text(try visit.projectLink("/mail/templates")),
            "mails": .list(
                mails.map { mail in
                    [
                        "kind": .text(mail.kind?.rawValue), "attempts": .text("\(mail.attempts)"),
                        "since": .text(Timestamp.minute(mail.createdAt)), "next": .text(Timestamp.minute(mail.dueAt)),
                        "until": .text(Timestamp.minute(mail.expiresAt)),
                    ]
                }),
        ]
        values.merge(try await givenUp(visit, in: id)) { own, _ in own }
        return ConsoleView("mail", values)
    }

    private func givenUp(_ visit: ConsoleVisit, in project: String) async throws -> [String: TemplateValue] {
        let rule = visit.accounts.operators.givenUpMails
        let count = try await rule.count(in: project)
        let mails = count == 0 ? [] : try await rule.list(newest: Self.mostGivenUp, in: project)
        return [
            "givenUpCount": .text("\(count)"), "hasGivenUp": .flag(!mails.isEmpty), "mostGivenUp": .text("\(Self.mostGivenUp)"),
            "givenUp": .list(
                mails.map { mail in
                    [
                        "at": .text(Timestamp.minute(mail.givenUpAt)), "kind": .text(mail.kind?.rawValue),
                        "attempts": .text("\(mail.attempts)"), "fault": .text(mail.reason.map(ConsoleVisit.inert)),
                        "number": .text(Hex.encode(mail.id)),
                    ]
                }),
        ]
    }
}

/// Has the mails that wait tried at once: the rule of `gatehouse mails retry`.
struct RetryMails: ConsoleAct {
    static let path = "/projects/{project}/mail/retry"
    static let place = ConsolePlace.mail
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        ConsoleConfirmation("retryMails", cancel: try visit.projectLink("/mail"))
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        _ = try await visit.accounts.operators.mails.retryNow(in: [try visit.project.settings.storageID], by: visit.act)
        return .goes(to: try visit.projectLink("/mail"), note: "retried")
    }
}
