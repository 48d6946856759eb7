import Accounts
import JOSE
import JSON
import ProjectSettings
import Projects
import Runtime
import Text
import Web

/// Finds out which relying party calls, and whether it is that one. Each client has exactly one way to prove itself. In any other way it is refused,
/// and the refusal names the client's own way: that is no secret, and developers need it, since many libraries know only one.
struct ClientAuthentication {
    let address: IssuerAddress
    let context: Context

    private var settings: ProjectSettings { address.project.settings }

    /// Throws `invalid_client`: alike for a client that is unknown, and for one whose proof is wrong. Wrong secrets are counted, and an address
    /// that shows too many has to wait, also with a right one.
    func client(_ credentials: ClientCredentials) async throws -> OAuthClient {
        let isChallenged = if case .basic = credentials { true } else { false }
        let refusal = Failure.invalidClient(isChallenged: isChallenged)
        guard let id = credentials.clientID, let client = settings.openIDProvider?.client(id: id) else { throw refusal }
        switch (credentials, client.authentication) {
        case (.id, .none): return client
        case (.basic(let pair?), .basic), (.post(let pair), .post):
            let secrets = context.services.accounts.openID.secrets
            guard try await secrets.isRight(pair.secret, of: client, in: settings, from: context.clientInfo) else { throw refusal }
            return client
        case (.assertion(let text, _), .privateKeyJwt):
            if try await prove(client, by: text) { return client }
            throw refusal
        // A header that cannot be read.
        case (.basic(nil), .basic): throw refusal
        default: throw refusal.saying(client.authentication.demand)
        }
    }

    private func prove(_ client: OAuthClient, by text: UTF8Text) async throws -> Bool {
        let audiences = [address.urls.token, address.urls.issuer, address.urls.pushedRequests]
        guard let assertion = ClientAssertion(text, of: client, for: audiences, at: context.services.clock.now()) else { return false }
        return try await context.services.accounts.openID.assertions.spend(
            assertion.number, of: client.id, until: assertion.expires, in: settings)
    }
}

extension OAuthClient.Authentication {
    /// The sentence for a client that proves itself in another way than this one.
    fileprivate var demand: String {
        switch self {
        case .none: "This client has no secret: it sends its client_id, without client_secret, client_assertion and Authorization header."
        case .basic: "This client sends its id and secret in the Authorization header (client_secret_basic)."
        case .post: "This client sends client_id and client_secret in the form (client_secret_post)."
        case .privateKeyJwt: "This client sends a client_assertion that its own key has signed (private_key_jwt)."
        }
    }
}

extension ClientCredentials {
    /// The client that the credentials name.
    fileprivate var clientID: UTF8Text? {
        switch self {
        case .id(let id): id
        case .basic(let pair): pair?.id
        case .post(let pair): pair.id
        case .assertion(let text, let id): id ?? ClientAssertion.clientID(in: text)
        }
    }
}
