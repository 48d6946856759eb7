import Accounts
import HTTP
import Identity
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts` of a project, and `accounts:signUp` of administrators: makes an account as it is described, without a sign-in; with an ID
/// token, changes its account so.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects/accounts>
struct CreateAccountByAdministrator: AdministratorEndpoint {
    static let route = Route.administrator(.post, "/v1/projects/{project}/accounts", right: .manageUsers, client: SignUp.route)

    struct Input: Decodable {
        var idToken: UTF8Text?
        var localId: UTF8Text?
        var email: UTF8Text?
        var emailVerified: Bool?
        var password: UTF8Text?
        var phoneNumber: UTF8Text?
        var displayName: UTF8Text?
        var photoUrl: UTF8Text?
        var disabled: Bool?
        var mfaInfo: [AdministratorField.Factor]?
    }

    struct Output: Codable {
        var kind = "identitytoolkit#SignupNewUserResponse"
        var localId: String
        var email: String?
        var displayName: String?
    }

    func callAsFunction(_ input: Input, by administrator: Administrator, _ context: Context) async throws -> Output {
        let (accounts, change) = (context.services.accounts, try AdministratorChange(input))
        let account: Account
        if let token = input.idToken, !token.isEmpty {
            guard input.localId == nil else { throw Failure.unexpectedParameter("User ID") }
            let caller = try await accounts.idTokens.account(of: token.asString, in: administrator.project).0
            account = try await accounts.administration.accounts.update(caller.id, change, by: administrator)
        } else {
            account = try await accounts.administration.accounts.create(
                try AdministratorField.newID(input.localId), change, by: administrator)
        }
        return Output(localId: account.id, email: account.email, displayName: account.displayName)
    }
}

extension AdministratorChange {
    fileprivate init(_ input: CreateAccountByAdministrator.Input) throws {
        self.init()
        own.email = try input.email.map(EmailAddress.reading)
        own.password = input.password?.asString
        if let name = try ProfileField.name(input.displayName) { own.displayName = .set(name) }
        if let url = input.photoUrl { own.photoURL = try ProfileField.photoURL(.set(url)) }
        emailVerified = input.emailVerified
        phoneNumber = try AdministratorField.phoneNumber(input.phoneNumber)
        disabled = input.disabled
        if let factors = input.mfaInfo, !factors.isEmpty { secondFactors = try AdministratorField.factors(factors) }
    }
}
