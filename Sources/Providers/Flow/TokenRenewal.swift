import HTTP
import Text

/// Newer tokens, which a refresh token gave.
package struct RenewedTokens: Sendable {
    package let accessToken: String
    /// The next refresh token; `nil` when the former one stays good.
    package let refreshToken: String?
    /// The life of the access token, in seconds.
    package let expiresIn: Int?
}

extension ConfiguredProvider {
    /// Asks the provider for newer tokens. Throws `grantRefused` when it does not accept the refresh token any more.
    ///
    /// - Parameter grant: where the provider gave the refresh token.
    /// <https://www.rfc-editor.org/rfc/rfc6749#section-6>
    package func renew(_ refreshToken: String, of grant: TokenGrant) async throws(ProviderError) -> RenewedTokens {
        let clients = [settings.clientID] + (settings.protocol.issuer?.nativeClientIDs ?? [])
        guard clients.contains(where: { $0.isExactly(grant.clientID) }) else {
            throw .unfit(
                "The refresh token was given to the client \(grant.clientID), which is not one of this entry: the person must sign in again."
            )
        }
        let form: Form = ["grant_type": "refresh_token", "refresh_token": UTF8Text(refreshToken)]
        let tokens: TokenResponse
        switch settings.protocol {
        case .openIDConnect(let configured):
            let (issuer, _) = try configured.narrowed(by: grant.tenant.map { ["tenant": UTF8Text($0)] } ?? [:])
            let metadata = try await metadata(issuer)
            guard let endpoint = metadata.token else { throw .unfit("The discovery document has no token_endpoint.") }
            tokens = try await self.tokens(for: form, of: grant.clientID, at: "\(endpoint)", metadata)
        case .oauth2(let provider): tokens = try await self.tokens(for: form, of: grant.clientID, at: provider.endpoints.token, nil)
        case .oauth1, .development: throw .unfit("The provider has no refresh tokens.")
        }
        guard let accessToken = tokens.accessToken else { throw tokens.lacking("access token") }
        return RenewedTokens(
            accessToken: accessToken.asString, refreshToken: tokens.refreshToken?.asString, expiresIn: tokens.expiresIn)
    }
}
