import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// `recoveryCodes:generate`: makes new recovery codes for the caller's account, in place of all earlier ones, and shows them this once. A call of
/// our own.
struct GenerateRecoveryCodes: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/recoveryCodes:generate")

    struct Input: Decodable { var idToken: UTF8Text? }

    struct Output: Codable { var recoveryCodes: [String] }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        let codes = try await context.services.accounts.secondFactors.recoveryCodes.make(
            forIDToken: idToken.asString, language: try context.language, in: context.project.settings, from: context.clientInfo)
        return Output(recoveryCodes: codes.map(\.text))
    }
}
