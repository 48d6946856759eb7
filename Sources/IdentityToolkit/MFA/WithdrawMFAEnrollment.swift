import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `mfaEnrollment:withdraw`: takes a second factor from the caller's account.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.mfaEnrollment/withdraw>
struct WithdrawMFAEnrollment: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/mfaEnrollment:withdraw")

    struct Input: Decodable {
        var idToken: UTF8Text?
        var mfaEnrollmentId: UTF8Text?
    }

    /// Tokens of a new session; SDKs replace theirs.
    struct Output: Codable {
        var idToken: String
        var refreshToken: String
        var expiresIn: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        guard let id = input.mfaEnrollmentId, !id.isEmpty else { throw Failure.missingEnrollmentID }
        let (account, outcome) = try await context.services.accounts.secondFactors.enrollments.withdraw(
            id, forIDToken: idToken.asString, language: try context.language, in: context.project.settings, from: context.clientInfo)
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn)
    }
}
