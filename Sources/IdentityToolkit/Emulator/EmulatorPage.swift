import Accounts
import HTTP
import Identity
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// `GET /emulator/codes`: a page of ours that shows a developer what a project has: its accounts, the mails and text messages that it would have
/// sent, and the codes in them. It loads itself again every few seconds, without a script.
struct EmulatorPage: RawEndpoint {
    static let route = Route(.get, "/emulator/codes", access: .development)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(query: ["project", "do", "live", "email", "displayName", "continueUrl"], answers: [.page])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        let project = try context.shownProject(query["project"])
        return try await EmulatorView(project, context).page(showing: query, fault: nil)
    }
}

/// `POST /emulator/codes`: what the buttons of that page do. Pages of other sites cannot send its forms, as they cannot make the emulator's other
/// calls (`Access.checkLocality`).
struct EmulatorForm: RawEndpoint {
    static let route = Route(.post, "/emulator/codes", access: .development)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        form: ["project", "do", "account", "email", "displayName", "password", "continueUrl"],
        answers: [.redirect(303), .content("text/html", status: 400, "The page with what is wrong.")])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        guard request.isForm else { throw Failure.invalidArgument("Expected the form of the page.") }
        let form = try Form.reading(request.body)
        try form.once()
        let project = try context.shownProject(form["project"])
        do {
            switch form["do"] {
            case "add": try await add(form, to: project, context)
            case "link": try await mailLink(form, of: project, context)
            case "delete":
                try await context.services.accounts.deletion.delete(
                    try AdministratorField.id(form["account"]), by: try context.emulatorOwner(of: project))
            case "clear": try await context.services.accounts.deletion.deleteAll(by: try context.emulatorOwner(of: project))
            default: throw Failure.invalidArgument("Expected the form of the page.")
            }
        } catch {
            let failure = Failure(describing: error)
            guard failure.kind == .business || failure.kind == .badRequest else { throw error }
            return try await EmulatorView(project, context).page(showing: form, fault: failure)
        }
        return RedirectResponse.to("\(EmulatorPage.route.path)?project=\(project.settings.id)", status: 303)
    }

    private func add(_ form: Form, to project: Project, _ context: Context) async throws {
        var change = AdministratorChange()
        change.own.email = try EmailAddress.reading(form["email"] ?? "")
        change.own.password = (form["password"] ?? "").asString
        if let name = try ProfileField.name(form["displayName"]), !name.isEmpty { change.own.displayName = .set(name) }
        _ = try await context.services.accounts.administration.accounts.create(
            nil, change, by: try context.emulatorOwner(of: project))
    }

    /// The link stands in a mail, which the page then shows.
    private func mailLink(_ form: Form, of project: Project, _ context: Context) async throws {
        let email = try EmailAddress.reading(form["email"] ?? "")
        guard let next = URI.ofPage(form["continueUrl"] ?? ""), project.authorizes(next) else {
            throw Failure.unauthorizedDomain("The host of the app's page is not among authorizedDomains.")
        }
        let options = MailOptions(language: project.templates.language(for: context.request), continueURL: next.description)
        try await context.services.accounts.codeMails.sendSignInLink(to: email, options, in: project.settings, from: context.clientInfo)
    }
}

extension Context {
    /// The project that the page shows: the one that is named, or else the development project. As the emulator's own calls, the page reaches every
    /// project of the server.
    fileprivate func shownProject(_ name: UTF8Text?) throws -> Project {
        guard let development = services.projects.current.development else { throw Failure.notFound }
        return if let name, !name.isEmpty { try emulatedProject(named: name) } else { development }
    }
}
