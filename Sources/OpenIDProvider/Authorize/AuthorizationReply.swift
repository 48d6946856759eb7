import Accounts
import Text
import Web

/// The way in which the answer of a request reaches the relying party. It is known as soon as client and redirect URI are.
struct AuthorizationReply: Sendable, Equatable {
    let redirectURI: String
    let mode: AuthorizationRequest.ResponseMode
    let state: String?
    /// Every answer names it, so that a client of several providers can tell them apart. <https://www.rfc-editor.org/rfc/rfc9207>
    let issuer: String

    init(redirectURI: String, mode: AuthorizationRequest.ResponseMode, state: String?, issuer: String) {
        self.redirectURI = redirectURI
        self.mode = mode
        self.state = state
        self.issuer = issuer
    }

    init(_ request: AuthorizationRequest) {
        self.init(redirectURI: request.redirectURI, mode: request.responseMode, state: request.state, issuer: request.issuer)
    }
}

/// The reason why a request is refused, and who learns it: the person, as long as it is not certain where the request came from; after that the
/// relying party.
enum AuthorizationRefusal: Error, Equatable {
    case page(Failure)
    case redirect(Failure, AuthorizationReply)

    var failure: Failure {
        switch self {
        case .page(let failure), .redirect(let failure, _): failure
        }
    }
}

extension AuthorizationRequest.ResponseType {
    /// <https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes>
    var defaultMode: AuthorizationRequest.ResponseMode { self == .code ? .query : .fragment }
}
