import Accounts
import HTTP
import Identity
import JSON
import ProjectSettings
import Projects
import Text
import Web

/// `accounts/passkeyEnrollment:finalize`: stores the passkey that the browser or phone has made.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts.passkeyEnrollment>
struct FinalizePasskeyEnrollment: Endpoint {
    static let route = Route.client(.post, "/v2/accounts/passkeyEnrollment:finalize")

    struct Input: Decodable {
        var idToken: UTF8Text?
        /// The browser's answer, with its bytes in base64 of any dialect.
        var authenticatorRegistrationResponse: JSON?
        var name: UTF8Text?
        var displayName: UTF8Text?
    }

    /// Always with both tokens, which SDKs take.
    struct Output: Codable {
        var localId: String
        var idToken: String
        var refreshToken: String
        var expiresIn: String
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        let project = try context.project.settings
        guard project.passkeys != nil else { throw Failure.passkeysNotEnabled }
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        let label = PasskeyRegistrations.Label(
            name: try PasskeyName.reading(input.name, "name"), displayName: try PasskeyName.reading(input.displayName, "displayName"))
        let (account, outcome) = try await context.services.accounts.passkeys.registrations.finalize(
            idToken.asString, input.authenticatorRegistrationResponse, label, language: try context.language, in: project,
            from: context.clientInfo)
        let tokens = try IssuedTokens(account, outcome, context)
        return Output(
            localId: account.id, idToken: tokens.idToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn)
    }
}

/// The name that a person gives a passkey, to know it among others.
enum PasskeyName {
    /// `nil` for an empty one.
    static func reading(_ text: UTF8Text?, _ field: String) throws(Failure) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard ProfileText.isFit(text.asString, most: ProfileText.longestName) else {
            throw .invalidArgument(
                "\(field) is longer than \(ProfileText.longestName) characters, or holds control or direction characters.")
        }
        return text.asString
    }
}
