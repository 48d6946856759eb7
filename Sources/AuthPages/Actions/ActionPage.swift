import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// `GET /__/auth/action`: the page behind the links in mails. It looks at the code and asks the person. Only the form that it shows uses
/// the code up, because mail scanners open links before people do (SEC-17).
struct ActionPage: RawEndpoint {
    static let route = Route(.get, ActionCode.pagePath, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: ActionLink.names, answers: [.page, .redirect(302)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard let form = Form(request.query), let link = try await ActionLink(form, context) else { return ActionView.damaged(request) }
        let view = ActionView(link)
        do {
            let code = try await link.inspect(context)
            guard code.kind == .signIn else { return view.asking(code) }
            // The app's own page signs in, since it knows the address or asks for it.
            return link.signInURL.map { RedirectResponse.to($0, status: 302) } ?? view.page(["isSignIn": true])
        } catch let error as AccountError {
            return try view.refusal(error)
        }
    }
}

/// `POST /__/auth/action`: the form of that page. It does what the code is for.
struct ActionForm: RawEndpoint {
    static let route = Route(.post, ActionCode.pagePath, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(form: ActionLink.names + ["newPassword"], answers: [.page])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm else {
            throw Failure.invalidArgument("Expected the form of the page.")
        }
        guard let form = Form(request.body), let link = try await ActionLink(form, context) else { return ActionView.damaged(request) }
        // Apps may show these pages at an address of their own.
        let isOwn = context.services.site.isOwnForm(request) { URI.parse($0).map { link.project.authorizes(host: $0.host) } ?? false }
        guard isOwn else { throw Failure.invalidArgument("The form was not sent by the page.") }
        let view = ActionView(link)
        do {
            switch link.kind {
            case .resetPassword: return try await reset(link, password: (form["newPassword"] ?? "").asString, view, context)
            case .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition:
                return try await apply(link, view, context)
            case .signIn: return view.page(["isGone": true], status: 400)
            }
        } catch let error as AccountError {
            return try view.refusal(error)
        }
    }

    private func reset(_ link: ActionLink, password: String, _ view: ActionView, _ context: Context) async throws -> Response {
        try link.checkPasswords()
        do {
            let (code, _) = try await context.services.accounts.codes.resetPassword(
                link.code, to: password, language: link.language, in: link.project.settings, from: context.clientInfo)
            return view.done(code)
        } catch let error {
            switch error {
            case .weakPassword, .passwordRequirements: return view.asking(try await link.inspect(context), isWeak: true)
            default: throw error
            }
        }
    }

    private func apply(_ link: ActionLink, _ view: ActionView, _ context: Context) async throws -> Response {
        let (accounts, project) = (context.services.accounts, link.project.settings)
        let (code, account) = try await accounts.codes.apply(
            link.code, as: link.kind, language: link.language, in: project, from: context.clientInfo)
        guard code.kind == .recoverEmail || code.kind == .revertSecondFactorAddition, account.email != nil, project.signIn.password else {
            return view.done(code)
        }
        // The person who changed the account may know its password. The mailbox's owner can choose another one here, without another mail.
        let next = try await accounts.codes.resetCode(for: account, in: project)
        return view.done(code, resetLink: accounts.codeMails.link(.resetPassword, code: next, link.options, in: project))
    }
}

extension ActionLink {
    /// The settings of another link that leads to the same page of the app.
    fileprivate var options: MailOptions { MailOptions(language: language, continueURL: continueURL?.description) }
}
