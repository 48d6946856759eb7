import Crypto
package import ProjectSettings
package import Runtime
package import Text

/// The request of a relying party to sign a person in, after its parameters were checked: all that must be known of it until its answer.
///
/// `AuthorizationRequests` keeps it, as JSON, while the person is at the pages and until the code is redeemed.
/// <https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest>
package struct AuthorizationRequest: Codable, Sendable, Equatable {
    package enum ResponseType: String, Codable, Sendable, CaseIterable {
        case code
        case idToken = "id_token"
        case codeIDToken = "code id_token"
    }

    package enum ResponseMode: String, Codable, Sendable, CaseIterable {
        case query, fragment
        case formPost = "form_post"
    }

    package enum Prompt: String, Codable, Sendable, CaseIterable {
        case none, login, consent
        case selectAccount = "select_account"
        case create
    }

    /// How much the relying party wants a second factor of the session that answers it: `acr_values`, or `acr` in the parameter `claims`.
    package enum SecondFactor: String, Codable, Sendable {
        /// If the person has one.
        case wanted
        /// Without one, the request fails.
        case required
    }

    package var clientID: String
    /// As the relying party sent it; the code is redeemed with the same.
    package var redirectURI: String
    /// `true` where the relying party sent none, because it has one alone; then it need not repeat it with the code (RFC 6749 §4.1.3).
    package var omitsRedirectURI: Bool?
    package var responseType = ResponseType.code
    package var responseMode = ResponseMode.query
    package var scopes: [String]
    package var state: String?
    package var nonce: String?
    /// The S256 challenge of PKCE (RFC 7636).
    package var codeChallenge: String?
    package var prompts: [Prompt] = []
    /// Seconds since the person authenticated, at most.
    package var maxAge: Int?
    package var secondFactor: SecondFactor?
    package var loginHint: String?
    /// The provider to go to at once.
    package var domainHint: String?
    package var uiLocales: String?
    package var claims: RequestedClaims?
    /// The `sub` of the one person who may answer, by `id_token_hint` or by the parameter `claims`.
    package var subject: String?
    /// The name of the user flow, as it is configured; `nil` in the native shape.
    package var userFlow: String?
    /// The issuer of its tokens, which the answer names, too (RFC 9207).
    package var issuer: String
    /// Whether the token answer has `client_info`, which Microsoft's libraries ask for.
    package var wantsClientInfo = false

    package init(clientID: String, redirectURI: String, scopes: [String], issuer: String) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.issuer = issuer
    }
}

/// The names in the parameter `claims`: which claims the relying party wants, and where.
/// <https://openid.net/specs/openid-connect-core-1_0.html#ClaimsParameter>
package struct RequestedClaims: Codable, Sendable, Equatable {
    package var idToken: [String]
    package var userInfo: [String]

    package init(idToken: [String] = [], userInfo: [String] = []) {
        self.idToken = idToken
        self.userInfo = userInfo
    }

    /// Drops the claims that none of the scopes gives: the parameter opens nothing that the client may not have by scopes, and other names
    /// mean nothing (OpenID Connect Core §5.5).
    package func limited(to scopes: [String]) -> RequestedClaims {
        func isGiven(_ claim: String) -> Bool { UserInfoClaims.scope(of: claim).map(scopes.contains) ?? false }
        return RequestedClaims(idToken: idToken.filter(isGiven), userInfo: userInfo.filter(isGiven))
    }
}

extension ProjectSettings {
    /// A request of before as its client may still make it, with the client; `nil` when the client, the user flow, or the address that the
    /// browser goes back to, is not configured any more.
    package func standing(of request: AuthorizationRequest) -> (client: OAuthClient, request: AuthorizationRequest)? {
        let found = client(id: request.clientID, userFlow: request.userFlow, redirectURI: request.redirectURI)
        guard let client = found else { return nil }
        var request = request
        request.scopes = client.keeping(request.scopes)
        request.claims = request.claims?.limited(to: client.scopes)
        return (client, request)
    }
}

/// The public number of a pending request. Knowing it opens nothing: the browser needs the cookie, too.
package struct RequestID: Sendable, Equatable {
    static let count = 16
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    package init?(_ text: UTF8Text) {
        guard let bytes = Base64URL.decodeStrict(text.asString), bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    package var text: String { Base64URL.encode(bytes) }
}

/// A request that waits for a person, and what the person did for it.
package struct PendingAuthorization: Sendable {
    /// HTTP has a `RequestID`, too.
    package typealias ID = RequestID

    package let id: RequestID
    package private(set) var request: AuthorizationRequest
    package let createdAt: Instant
    /// The account whose person agreed to the scopes for this request.
    package var consentedBy: String?
    /// The account that the person chose to go on with.
    package var chosenBy: String?
    /// The account whose profile the person looked through.
    package var editedBy: String?
    /// The address that the person proves, or has proven, by the digits in a mail.
    package var email: String?
    package var emailProven = false

    /// The same with another form of its request.
    package func with(_ request: AuthorizationRequest) -> PendingAuthorization {
        var authorization = self
        authorization.request = request
        return authorization
    }
}
