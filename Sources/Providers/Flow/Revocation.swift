import Curl
import HTTP
import JSON
package import Text

/// A token that a provider gave, by the kind that its client says it has.
package enum RevocableToken: Sendable {
    case accessToken(UTF8Text)
    case refreshToken(UTF8Text)
    /// A code that was not redeemed yet: the tokens for it are asked for, and then revoked.
    ///
    /// - Parameter redirectURI: where the provider sent the browser with it; `nil` for a code that a native app got.
    case code(UTF8Text, redirectURI: UTF8Text?)

    fileprivate var text: UTF8Text {
        switch self {
        case .accessToken(let text), .refreshToken(let text), .code(let text, _): text
        }
    }
}

/// Revocation of a token, which ends what an app may do in the person's name. <https://www.rfc-editor.org/rfc/rfc7009>
extension ConfiguredProvider {
    /// Has the provider revoke the token, and whatever was given with it. A token that the provider does not know any more is revoked
    /// already.
    ///
    /// - Returns: `false` when the provider revokes no tokens.
    package func revoke(_ token: RevocableToken) async throws(ProviderError) -> Bool {
        guard let issuer = settings.protocol.issuer else { return false }
        guard token.text.hasFormOfToken else { throw .invalidCredential("The token is malformed.") }
        let metadata = try await metadata(issuer)
        guard let endpoint = metadata.revocation else { return false }
        switch token {
        case .accessToken(let token): try await revoke(token, "access_token", of: issuer, at: endpoint, metadata)
        case .refreshToken(let token): try await revoke(token, "refresh_token", of: issuer, at: endpoint, metadata)
        case .code(let code, let redirectURI):
            let (tokens, clientID) = try await redeem(code, redirectURI, issuer, metadata)
            if let token = tokens.refreshToken {
                try await revoke(token, "refresh_token", of: clientID, at: endpoint, metadata)
            } else if let token = tokens.accessToken {
                try await revoke(token, "access_token", of: clientID, at: endpoint, metadata)
            } else {
                throw tokens.lacking("token to revoke")
            }
        }
        return true
    }

    /// Revokes a token that may have been issued to any client of the entry. It does not say to which, and a provider may answer that a
    /// token of another client is revoked, so it is revoked in the name of each.
    private func revoke(
        _ token: UTF8Text, _ kind: UTF8Text, of issuer: any Issuer, at endpoint: URI, _ metadata: ProviderMetadata
    ) async throws(ProviderError) {
        var refusal: ProviderError?
        var fault: ProviderError?
        var isRevoked = false
        for clientID in [settings.clientID] + issuer.nativeClientIDs {
            do throws(ProviderError) {
                try await revoke(token, kind, of: clientID, at: endpoint, metadata)
                isRevoked = true
            } catch {
                switch error {
                case .invalidResponse: refusal = error
                case .unavailable: throw error
                default: fault = fault ?? error
                }
            }
        }
        // The client that was not heard may be the token's own, so another one's success does not say that the token is revoked.
        if let fault { throw fault }
        if !isRevoked, let refusal { throw refusal }
    }

    private func revoke(
        _ token: UTF8Text, _ kind: UTF8Text, of clientID: String, at endpoint: URI, _ metadata: ProviderMetadata
    ) async throws(ProviderError) {
        let response = try await answer(
            to: ["token": token, "token_type_hint": kind], of: clientID, at: "\(endpoint)", "revocation endpoint", metadata)
        guard response.status != 200 else { return }
        let error = (try? JSON.parse(response.body))?["error"]?.string
        // Some say so of a token that they do not know any more, where the standard has status 200.
        if error == "invalid_token" { return }
        let detail = "revocation endpoint: status \(response.status), error \(error.map(UpstreamText.name) ?? "none")"
        if response.status >= 500 || response.status == 429 || error.map(rules.outageErrors.contains) ?? false {
            throw .unavailable(detail: detail)
        }
        if let error, rules.clientErrors.contains(error) { throw .unfit(detail) }
        throw .invalidResponse("The provider did not revoke the token.", detail: detail)
    }

    /// The tokens for a code, and the client that it was issued to. A code does not say which of the native apps that is, so each is tried
    /// until the provider accepts one.
    private func redeem(
        _ code: UTF8Text, _ redirectURI: UTF8Text?, _ issuer: any Issuer, _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> (TokenResponse, clientID: String) {
        let clients = redirectURI == nil && !issuer.nativeClientIDs.isEmpty ? issuer.nativeClientIDs : [settings.clientID]
        for clientID in clients.dropLast() {
            do throws(ProviderError) {
                return (try await redeem(code, of: clientID, redirectURI: nil, metadata), clientID)
            } catch {
                guard case .grantRefused = error else { throw error }
            }
        }
        let clientID = clients.last ?? settings.clientID
        return (try await redeem(code, of: clientID, redirectURI: redirectURI, metadata), clientID)
    }

    /// The tokens for a code of a sign-in that this server did not start, so that it has no code verifier.
    func redeem(
        _ code: UTF8Text, of clientID: String, redirectURI: UTF8Text?, _ metadata: ProviderMetadata
    ) async throws(ProviderError) -> TokenResponse {
        guard let endpoint = metadata.token else { throw .unfit("The discovery document has no token_endpoint.") }
        return try await exchange(code, redirectURI?.asString, nil, of: clientID, at: "\(endpoint)", metadata)
    }
}
