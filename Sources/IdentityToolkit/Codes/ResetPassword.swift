import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `accounts:resetPassword`: tells what a code from a mail is for, or sets a new password with it.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v1/accounts/resetPassword>
struct ResetPassword: Endpoint {
    static let route = Route.client(.post, "/v1/accounts:resetPassword", v3: "resetPassword")

    struct Input: Decodable {
        var oobCode: UTF8Text?
        var newPassword: UTF8Text?
        var oldPassword: UTF8Text?
    }

    struct Output: Codable {
        var kind = "identitytoolkit#ResetPasswordResponse"
        var requestType: String
        var email: String?
        var newEmail: String?
        /// The second factor that the code takes away; one, not a list.
        var mfaInfo: MFAInfo?
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        let codes = context.services.accounts.codes
        let password = input.newPassword.flatMap { $0.isEmpty ? nil : $0.asString }
        if password != nil, !project.signIn.password { throw Failure.passwordLoginDisabled }
        guard let code = input.oobCode, !code.isEmpty else {
            guard input.oldPassword == nil else {
                throw Failure.operationNotAllowed("Sign in with the old password, then set the new one with accounts:update.")
            }
            throw Failure.missingActionCode
        }
        guard let password else { return Output(try await codes.inspect(code.asString, in: project, from: context.clientInfo)) }
        let (action, _) = try await codes.resetPassword(
            code.asString, to: password, language: try context.language, in: project, from: context.clientInfo)
        return Output(action)
    }
}

extension ResetPassword.Output {
    init(_ code: ActionCode) {
        requestType = RequestType(code.kind).rawValue
        // No address for a sign-in code: the person who signs in by a link must know it. Every other code has an address, without which
        // the iOS SDK would end the app's process.
        email = code.kind == .signIn ? nil : code.email ?? code.newEmail
        newEmail = code.newEmail
        mfaInfo = code.factor.flatMap(MFAInfo.init)
    }
}
