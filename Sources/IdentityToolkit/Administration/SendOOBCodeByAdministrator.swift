import Accounts
import HTTP
import Identity
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:sendOobCode` of administrators: makes the link of a mail for the back end to send in its own way, or mails it.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/sendOobCode>
struct SendOOBCodeByAdministrator: AdministratorEndpoint {
    static let route = Route.administrator(
        .post, "/v1/projects/{project}/accounts:sendOobCode", right: .mintLinks, client: SendOOBCode.route)

    struct Output: Codable {
        var kind = "identitytoolkit#GetOobConfirmationCodeResponse"
        var email: String
        var oobCode: String?
        var oobLink: String?
    }

    func callAsFunction(_ input: SendOOBCode.Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        let type = try RequestType.reading(input.request.requestType)
        let returnsLink = input.request.returnOobLink ?? false
        // A link that is returned needs no way to send mail.
        if !returnsLink { _ = try context.outbox }
        let continueURL = try input.settings.continueURL(of: context.project, context.services.site)
        let options = MailOptions(language: try context.language, continueURL: continueURL)
        let mails = context.services.accounts.codeMails
        let kind = try type.mail(in: administrator.project)
        let newEmail = kind == .verifyAndChangeEmail ? try SendOOBCode.newAddress(input.request.newEmail) : nil
        let email = try await address(input.request, for: kind, administrator, context)
        guard returnsLink else {
            try await mails.sendLink(kind, for: email, newEmail: newEmail, options, by: administrator)
            return Output(email: email)
        }
        let made = try await mails.makeLink(kind, for: email, newEmail: newEmail, options, by: administrator)
        return Output(email: email, oobCode: made.code, oobLink: made.link)
    }

    /// The address of the account that the mail is about: that of the ID token, where one is sent for a kind of mail that is about the
    /// caller's own address; otherwise `email`.
    private func address(
        _ request: SendOOBCode.Input.Request, for kind: OutgoingMail.Kind, _ administrator: Administrator, _ context: Context
    ) async throws -> String {
        guard kind == .verifyEmail || kind == .verifyAndChangeEmail, let token = request.idToken, !token.isEmpty else {
            return try SendOOBCode.address(request.email)
        }
        let (account, _) = try await context.services.accounts.idTokens.account(of: token.asString, in: administrator.project)
        guard let email = account.email else { throw Failure.missingEmail }
        return email
    }
}

extension RequestType {
    fileprivate func mail(in project: ProjectSettings) throws -> OutgoingMail.Kind {
        switch self {
        case .passwordReset:
            guard project.signIn.password else { throw Failure.passwordsNotAllowed }
            return .resetPassword
        case .emailSignIn:
            guard project.signIn.emailLink else { throw Failure.operationNotAllowed() }
            return .signIn
        case .verifyEmail: return .verifyEmail
        case .verifyAndChangeEmail: return .verifyAndChangeEmail
        case .oldEmailAgree, .newEmailAccept, .recoverEmail, .revertSecondFactorAddition: throw Failure.notRequestable(self.rawValue)
        }
    }
}
