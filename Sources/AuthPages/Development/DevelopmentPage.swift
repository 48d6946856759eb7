import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// `GET /__/auth/development`: the developer picks a person who signed in before, makes one up, or plays a sign-in that fails.
///
/// Every choice is a link back, or the form that makes a person up. The page keeps nothing: it answers 404 unless the request comes from
/// this machine and is for the development project (`developmentProviders`, SEC-22).
struct DevelopmentPage: RawEndpoint {
    static let route = Route(.get, DevelopmentProviders.pagePath, access: .anyone)
    static let errorFormat = ErrorFormat.page
    static let content = CallContent(
        query: [
            "client_id", "redirect_uri", "state", "ui_locales", "login_hint", "act", "email", "email_verified", "name", "screen_name",
            "picture",
        ], answers: [.page, .redirect(303)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        let query = try Form.reading(request.query)
        guard let state = query["state"].flatMap(FlowState.init),
            let project = context.services.projects.current.realm(storageID: state.projectID),
            let providers = context.developmentProviders(of: project)
        else { throw Failure.notFound }
        try FetchDestination.document.check(request)
        return try await Optional(project).showingErrors {
            let authorization = try DevelopmentRequest(query, state, project, providers, context)
            switch query["act"] {
            case "make":
                let person = MadeUpPerson(query)
                return person.isValid
                    ? RedirectResponse.to(authorization.answer(person), status: 303)
                    : try await page(authorization, person, project, context)
            case "generate": return try await page(authorization, .random(), project, context)
            default: return try await page(authorization, MadeUpPerson(hint: query["login_hint"]), project, context)
            }
        }
    }

    /// Shows the people of before and the form, filled in with `person`.
    private func page(
        _ authorization: DevelopmentRequest, _ person: MadeUpPerson, _ project: Project, _ context: Context
    ) async throws -> Response {
        let known = try await context.services.accounts.directory.identities(
            of: authorization.provider.id, issuer: DevelopmentProviders.issuer, most: 50, in: project.settings)
        return project.templates.page(
            "development", in: project.templates.language(for: context.request, parameter: authorization.language),
            [
                "provider": .text(authorization.provider.name),
                "hasPeople": .flag(!known.isEmpty),
                "people": .list(known.map { identity in Self.choice(MadeUpPerson(identity), authorization) }),
                "fields": .list(authorization.fields.map { ["name": .text($0.name), "value": .text($0.value)] }),
                "email": .text(person.email), "displayName": .text(person.name), "screenName": .text(person.screenName),
                "picture": .text(person.picture), "isVerified": .flag(person.isEmailVerified),
                "isBadEmail": .flag(!person.hasFitEmail), "isBadPicture": .flag(!person.hasFitPicture),
                "cancel": .text(authorization.answer(error: "access_denied")),
                "outage": .text(authorization.answer(error: "temporarily_unavailable")),
                "failure": .text(authorization.answer(error: "server_error")),
            ], status: person.isValid ? 200 : 400, allowing: .formsToAnywhere)
    }

    private static func choice(_ person: MadeUpPerson, _ authorization: DevelopmentRequest) -> [String: TemplateValue] {
        let named = [person.name, person.email, person.screenName].first { !$0.isEmpty }
        let label = named ?? "sub \(person.subject.prefix(8))…"
        return [
            "label": .text(label), "detail": .text(person.email == label ? "" : person.email), "link": .text(authorization.answer(person)),
        ]
    }
}
