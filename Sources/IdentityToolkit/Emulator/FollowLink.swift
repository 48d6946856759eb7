import Accounts
import HTTP
import JSON
import Pages
import Projects
import Text
import Web

/// `GET /emulator/action`: does at once what a mail's link is for, as test suites expect of the emulator.
///
/// Differs from the links that people get: a GET uses the code up (SEC-17), and the answer is JSON.
struct FollowLink: RawEndpoint {
    static let route = Route(.get, "/emulator/action", access: .development)
    static let errorFormat = ErrorFormat.googleJSON
    static let content = CallContent(
        query: .texts(optional: ["mode", "oobCode", "apiKey", "lang", "continueUrl", "newPassword"]),
        answers: [
            .json(told), .json(told, status: 400, "The link cannot be followed; the answer says why."), .redirect(303),
        ])
    private static let told = JSONShape.object([.init("authEmulator", .map(.anything), isRequired: true)])

    func callAsFunction(_ request: Request, _ context: Context) async throws -> Response {
        // The router also takes HEAD for a GET route, and a HEAD must not change anything.
        guard request.method == .get else { throw Failure.methodNotAllowed }
        do {
            return try await Link(try Form.reading(request.query), request, context).follow(context)
        } catch let refusal as Refusal {
            return Self.answer(["error": .string(refusal.error), "instructions": .string(refusal.instructions)], status: 400)
        } catch AccountError.invalidActionCode, AccountError.expiredActionCode {
            return Self.answer(
                ["error": "The code of this link is used, expired or for something else.", "instructions": "Ask for a new link."],
                status: 400)
        }
    }

    fileprivate static func answer(_ told: JSON.Object, status: Int = 200) -> Response {
        Response(json: JSON.object(["authEmulator": .object(told)]).bytes(), status: status)
    }
}

/// The reason why a link cannot be followed, and what to do about it.
private struct Refusal: Error {
    let error: String
    let instructions: String
}

/// A link as it was mailed. Test suites add the new password to a link that resets one.
private struct Link {
    let kind: ActionCode.Kind
    let code: UTF8Text
    let project: Project
    let query: Form
    let language: String

    init(_ query: Form, _ request: Request, _ context: Context) throws {
        guard let key = query["apiKey"], let project = context.services.projects.project(apiKey: key, for: request) else {
            throw Refusal(error: "The link has no apiKey of a project.", instructions: "Append &apiKey=YOUR_API_KEY.")
        }
        guard let code = query["oobCode"], !code.isEmpty else {
            throw Refusal(error: "The link has no oobCode.", instructions: "Append &oobCode= and a code of the project's oobCodes.")
        }
        guard let kind = query["mode"].flatMap(ActionCode.Kind.init(exactly:)) else {
            let modes = ActionCode.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(error: "The link's mode is not known.", instructions: "Modes are \(modes).")
        }
        self.kind = kind
        self.code = code
        self.project = project
        self.query = query
        language = project.templates.language(for: request)
    }

    func follow(_ context: Context) async throws -> Response {
        let accounts = context.services.accounts
        _ = try await accounts.codes.inspect(code.asString, as: kind, in: project.settings, from: context.clientInfo)
        let next = try continueURL()
        switch kind {
        case .signIn:
            guard let next else {
                throw Refusal(error: "The link has no continueUrl.", instructions: "Append &continueUrl= and your app's address.")
            }
            // The app's SDK redeems the code.
            let fields = query.fields.filter { $0.name != "continueUrl" }
            return RedirectResponse.to(next.replacing(Form(fields)).description, status: 303)
        case .resetPassword:
            guard let password = query["newPassword"], !password.isEmpty else {
                throw Refusal(error: "The link has no newPassword.", instructions: "Append &newPassword= and the new password.")
            }
            let (_, account) = try await accounts.codes.resetPassword(
                code.asString, to: password.asString, language: language, in: project.settings, from: context.clientInfo)
            return done("The password has been reset.", "email", account, next)
        case .verifyEmail:
            let (_, account) = try await apply(context)
            return done("The e-mail address has been verified.", "email", account, next)
        case .verifyAndChangeEmail:
            let (_, account) = try await apply(context)
            return done("The e-mail address has been changed.", "newEmail", account, next)
        case .recoverEmail:
            let (_, account) = try await apply(context)
            return done("The former e-mail address has been restored.", "email", account, nil)
        case .revertSecondFactorAddition:
            let (_, account) = try await apply(context)
            return done("The second factor has been removed.", "email", account, nil)
        }
    }

    private func apply(_ context: Context) async throws(AccountError) -> (ActionCode, Account) {
        try await context.services.accounts.codes.apply(
            code.asString, language: language, in: project.settings, from: context.clientInfo)
    }

    /// The address at which the app wants to continue. Its host must be authorized, as when the mail was requested.
    private func continueURL() throws -> URI? {
        guard let text = query["continueUrl"] else { return nil }
        guard let uri = URI.ofPage(text), project.authorizes(uri) else {
            throw Refusal(
                error: "The host of the link's continueUrl is not an authorized domain.", instructions: "Add its host to authorizedDomains."
            )
        }
        return uri
    }

    private func done(_ success: String, _ name: UTF8Text, _ account: Account, _ next: URI?) -> Response {
        if let next { return RedirectResponse.to(next.description, status: 303) }
        return FollowLink.answer(["success": .string(success), name: account.email.map(JSON.string) ?? .null])
    }
}
