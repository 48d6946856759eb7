import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// Mails a person a link by which they set a new password or prove their address. The operator never sees the link.
struct MailUser: ConsoleAct {
    static let path = "/projects/{project}/users/{user}/mail/{kind}"
    static let place = ConsolePlace.users
    static let role = Operator.Role.support

    func confirmation(_ visit: ConsoleVisit) async throws -> ConsoleConfirmation {
        try await visit.asking(try kind(visit) == .resetPassword ? "resetMailUser" : "verifyMailUser")
    }

    func perform(_ form: Form, _ visit: ConsoleVisit) async throws -> ConsoleOutcome {
        let project = try visit.project
        guard let email = try await visit.user().email else { throw ConsoleFault("faultNoAddress") }
        let kind = try kind(visit)
        guard kind != .resetPassword || project.settings.signIn.password else { throw ConsoleFault("faultNoPasswords") }
        // Without a way of mail nothing would ever be sent.
        guard visit.accounts.outbox != nil else { throw ConsoleFault("noMail") }
        try await visit.accounts.codeMails.sendLink(
            kind, for: email, MailOptions(language: project.settings.branding.language, continueURL: nil), by: try visit.administrator)
        return .goes(to: try visit.userLink(try visit.userID), note: "mailed")
    }

    private func kind(_ visit: ConsoleVisit) throws -> OutgoingMail.Kind {
        switch visit.parameter("kind") {
        case "resetPassword": .resetPassword
        case "verifyEmail": .verifyEmail
        default: throw Failure.notFound
        }
    }
}
