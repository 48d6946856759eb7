import Accounts
import HTTP
import Identity
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:signUp`: creates an account, anonymous or with a password; with an ID token, gives its account an address and a password.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/signUp>
struct SignUp: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:signUp", v3: "signupNewUser")

    struct Input: Decodable {
        var fields: Fields
        var privileged: PrivilegedFields

        struct Fields: Decodable {
            var email: UTF8Text?
            var password: UTF8Text?
            var displayName: UTF8Text?
            var idToken: UTF8Text?
            var localId: UTF8Text?
        }

        /// Both sets of fields stand side by side in one object.
        init(from decoder: any Decoder) throws {
            fields = try Fields(from: decoder)
            privileged = try PrivilegedFields(from: decoder)
        }
    }

    struct Output: Codable {
        var kind = "identitytoolkit#SignupNewUserResponse"
        var localId: String
        var email: String?
        var displayName: String?
        var idToken: String
        var refreshToken: String
        var expiresIn: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        let accounts = context.services.accounts
        let account: Account
        let outcome: SignInOutcome
        switch try Kind(input, in: project) {
        case .anonymous:
            (account, outcome) = try await accounts.signIn.signUps.signUpAnonymously(in: project, from: context.clientInfo)
        case .password(let email, let password, let name, linkTo: nil):
            (account, outcome) = try await accounts.signIn.signUps.signUp(
                email: email, password: password, displayName: name, in: project, from: context.clientInfo)
        case .password(let email, let password, let name, linkTo: let idToken?):
            (account, outcome) = try await accounts.changes.linkPassword(
                idToken, email: email, password: password, displayName: name, language: try context.language, in: project,
                from: context.clientInfo)
        }
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(
            localId: account.id, email: account.email, displayName: account.displayName, idToken: tokens.idToken,
            refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn)
    }
}

/// The kind of a sign-up, once it is complete and the project allows it; the checks are in the order of docs/wire.md.
private enum Kind {
    case anonymous
    case password(email: String, password: String, displayName: String?, linkTo: String?)

    init(_ input: SignUp.Input, in project: ProjectSettings) throws {
        guard input.fields.localId == nil else { throw Failure.unexpectedParameter("User ID") }
        try input.privileged.refuse()
        let input = input.fields
        let idToken = input.idToken.flatMap { $0.isEmpty ? nil : $0.asString }
        if input.email == nil, input.password == nil, idToken == nil {
            guard project.signIn.signUp, project.signIn.anonymous else { throw AccountError.adminOnly }
            self = .anonymous
            return
        }
        guard let email = input.email else { throw Failure.missingEmail }
        // An empty address is invalid, whatever other fields there are.
        if email.isEmpty { throw Failure.invalidEmail }
        guard let password = input.password, !password.isEmpty else { throw Failure.missingPassword }
        guard project.signIn.password else { throw Failure.passwordsNotAllowed }
        guard project.signIn.signUp || idToken != nil else { throw AccountError.adminOnly }
        self = .password(
            email: try EmailAddress.reading(email), password: password.asString, displayName: try ProfileField.name(input.displayName),
            linkTo: idToken)
    }
}
