import Accounts
import HTTP
import Identity
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:sendOobCode`: mails a link that resets a password, confirms or changes an address, or signs in.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/sendOobCode>
struct SendOOBCode: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:sendOobCode", v3: "getOobConfirmationCode")

    struct Input: Decodable {
        var request: Request
        var settings: ActionSettings

        struct Request: Decodable {
            var requestType: JSON?
            var email: UTF8Text?
            var newEmail: UTF8Text?
            var idToken: UTF8Text?
            var returnOobLink: Bool?
        }

        /// Both sets of fields stand side by side in one object.
        init(from decoder: any Decoder) throws {
            request = try Request(from: decoder)
            settings = try ActionSettings(from: decoder)
        }
    }

    struct Output: Codable {
        var kind = "identitytoolkit#GetOobConfirmationCodeResponse"
        var email: String?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let type = try RequestType.reading(input.request.requestType)
        guard input.request.returnOobLink != true else { throw Failure.insufficientPermission }
        _ = try context.outbox
        let continueURL = try input.settings.continueURL(of: context.project, context.services.site)
        let options = MailOptions(language: try context.language, continueURL: continueURL)
        let project = try context.project.settings
        let mails = context.services.accounts.codeMails
        switch type {
        case .passwordReset:
            guard project.signIn.password else { throw Failure.passwordsNotAllowed }
            let email = try Self.address(input.request.email)
            try await mails.sendPasswordReset(to: email, options, in: project, from: context.clientInfo)
            return Output(email: email)
        case .emailSignIn:
            guard project.signIn.emailLink else { throw Failure.operationNotAllowed() }
            let email = try Self.address(input.request.email)
            try await mails.sendSignInLink(to: email, options, in: project, from: context.clientInfo)
            return Output(email: email)
        case .verifyEmail:
            guard let idToken = input.request.idToken, !idToken.isEmpty else { throw AccountError.invalidIDToken }
            let email = try await mails.sendVerification(forIDToken: idToken.asString, options, in: project, from: context.clientInfo)
            return Output(email: email)
        case .verifyAndChangeEmail:
            let address = try Self.newAddress(input.request.newEmail)
            guard let idToken = input.request.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
            let email = try await mails.sendEmailChange(
                forIDToken: idToken.asString, to: address, options, in: project, from: context.clientInfo)
            return Output(email: email)
        case .oldEmailAgree, .newEmailAccept, .recoverEmail, .revertSecondFactorAddition:
            throw Failure.notRequestable(type.rawValue)
        }
    }

    static func newAddress(_ text: UTF8Text?) throws(Failure) -> String {
        guard let text, !text.isEmpty else { throw .missingNewEmail }
        guard let address = EmailAddress.canonical(text.asString) else { throw .invalidNewEmail }
        return address
    }

    static func address(_ text: UTF8Text?) throws(Failure) -> String {
        guard let text, !text.isEmpty else { throw .missingEmail }
        return try EmailAddress.reading(text)
    }
}
