import Accounts
import Brokerage
import HTTP
import JSON
import ProjectSettings
import Projects
import Providers
import Text
import Web

/// `v2/accounts:revokeToken`: has the provider revoke a token of the caller, as Apple wants it of an app before it deletes an account.
/// <https://cloud.google.com/identity-platform/docs/reference/rest/v2/accounts/revokeToken>
struct RevokeToken: Endpoint {
    static let route = Route.client(.post, "/v2/accounts:revokeToken")

    struct Input: Decodable {
        var providerId: UTF8Text?
        var tokenType: JSON?
        var token: UTF8Text?
        var idToken: UTF8Text?
        /// Where the provider sent the browser with a code; absent for the code of a native app.
        var redirectUri: UTF8Text?
    }

    struct Output: Codable {}

    /// The kinds of tokens by their names on the wire, in the order of their numbers. The iOS SDK sends the number as a text.
    private enum TokenType: String, WireEnum {
        static let unspecified = "TOKEN_TYPE_UNSPECIFIED"

        case refreshToken = "REFRESH_TOKEN"
        case accessToken = "ACCESS_TOKEN"
        case authorizationCode = "CODE"
    }

    func callAsFunction(_ input: Input, _ context: Context) async throws -> Output {
        guard let idToken = input.idToken, !idToken.isEmpty else { throw Failure.missingIDToken }
        let token = try Self.token(input)
        let providerID = try await context.linkedProvider(input.providerId, of: idToken)
        guard try await context.broker.revoke(token, of: providerID) else {
            throw Failure.invalidProviderID("This provider revokes no tokens.")
        }
        return Output()
    }

    private static func token(_ input: Input) throws(Failure) -> RevocableToken {
        guard let token = input.token, !token.isEmpty else { throw .invalidCredential("no token.") }
        guard let type = try? input.tokenType?.decode(TokenType.self) else {
            throw .invalidJSON("tokenType: missing, or an unknown value.")
        }
        return switch type {
        case .refreshToken: .refreshToken(token)
        case .accessToken: .accessToken(token)
        case .authorizationCode: .code(token, redirectURI: input.redirectUri.flatMap { $0.isEmpty ? nil : $0 })
        }
    }
}
