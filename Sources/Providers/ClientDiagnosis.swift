import Crypto
import Text

/// Looks for faults of this server as the provider's client: it asks what only a client may ask.
extension ConfiguredProvider {
    /// A sentence on what the token endpoint says to a code that does not exist; `nil` when all is well. By the standard, it says that the
    /// code is unknown only to a client that it accepts. <https://www.rfc-editor.org/rfc/rfc6749#section-5.2>
    func tokenEndpointFinding(_ endpoint: String, _ redirectURI: String, _ metadata: ProviderMetadata? = nil) async -> String? {
        do throws(ProviderError) {
            _ = try await exchange("not-a-code", redirectURI, Random.token(), at: endpoint, metadata)
            return "The token endpoint \(endpoint) redeems a code that does not exist."
        } catch {
            switch error {
            case .grantRefused: return nil
            case .clientRefused(_, let name, let detail) where rules.addressErrors.contains(name):
                return "The provider does not know the redirect URI \(redirectURI): register it there. \(endpoint) says: \(detail)."
            case .clientRefused(_, _, let detail):
                return "The provider does not accept \(keysOfClient). \(endpoint) says: \(detail)."
            // Nothing was sent, or nothing came back.
            case .misconfigured(_, let detail): return detail
            case .unavailable(let detail) where detail.contains(endpoint): return detail
            default: return "The token endpoint \(endpoint) does not work with this entry. \(error.explanation)"
            }
        }
    }

    /// The keys of the entry by which this server proves itself.
    private var keysOfClient: String {
        if settings.clientKey != nil { return "clientId and clientKey" }
        if rules.makesClientSecret { return "clientId and the keys that its secret is made of" }
        return settings.clientSecret == nil ? "clientId" : "clientId and clientSecret"
    }

    /// A sentence on what the check of access tokens says to one that does not exist; `nil` when all is well.
    func tokenCheckFinding(_ provider: any OAuth2Provider) async -> String? {
        do throws(ProviderError) {
            // `nil`: the provider cannot say whose a token is, so none is accepted.
            guard try await provider.introspect("not-a-token", api) != nil else { return nil }
            return "The check of access tokens accepts one that does not exist."
        } catch {
            switch error {
            case .misconfigured, .unavailable: return error.explanation
            default: return nil
            }
        }
    }
}

extension ProviderError {
    /// Only the detail, if there is one, since operators know the rest.
    var explanation: String {
        switch self {
        case .invalidResponse(_, let detail) where !detail.isEmpty: detail
        case .misconfigured(_, let detail), .clientRefused(_, _, let detail): detail
        case .unavailable(let detail): detail
        default: logDetail
        }
    }
}
