package import JOSE
package import Runtime

/// A relying party: an application that asks this project's OpenID provider for tokens. <https://www.rfc-editor.org/rfc/rfc6749#section-2>
package struct OAuthClient: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// An app on a phone or a desktop computer. <https://www.rfc-editor.org/rfc/rfc8252>
        case native
        /// A script in a browser, without a server of its own.
        case browser
        /// A server, which can keep a secret.
        case confidential
    }

    /// How a client proves itself at the token endpoint.
    /// <https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication>
    package enum Authentication: String, Sendable, CaseIterable {
        case none
        /// `client_secret_basic`.
        case basic
        /// `client_secret_post`.
        case post
        /// `private_key_jwt`.
        case privateKeyJwt
    }

    package var id: String
    /// The name that people read when they are asked for consent.
    package var name: String
    package var kind: Kind
    package var redirectURIs: [String]
    package var postLogoutRedirectURIs: [String] = []
    package var authentication: Authentication
    /// Several during a rotation; each of them proves the client.
    package var secrets: [Secret] = []
    /// The client's public keys, for `privateKeyJwt`.
    package var keys: JWKSet?
    /// The scopes of OpenID Connect that it may ask for.
    package var scopes = Self.standardScopes
    /// The scopes of APIs that it may ask for; see ``audience(ofAPIScope:)``.
    package var apiScopes: [String] = []
    package var accessTokenLifetime: Duration = .seconds(3600)
    /// How long a grant lasts at most, counted from the sign-in.
    package var refreshLifetime: Duration
    /// How long a grant lasts that the client does not refresh.
    package var refreshIdle: Duration
    /// How long a used refresh token still gives the answer that was given for it, for a client that lost the answer.
    package var refreshGrace: Duration = .seconds(30)
    package var requiresPKCE = true
    /// Whether the person is asked once for each set of scopes.
    package var asksConsent = false
    /// Whether ID tokens carry the claims of the profile, which otherwise only userinfo tells.
    package var profileInIDToken = false
    package var requiresPushedRequests = false
    package var backChannelLogoutURI: String?

    /// A client with the defaults of its kind.
    package init(id: String, name: String? = nil, kind: Kind, redirectURIs: [String] = []) {
        self.id = id
        self.name = name ?? id
        self.kind = kind
        self.redirectURIs = redirectURIs
        authentication = Self.usualAuthentication(of: kind)
        refreshLifetime = Self.usualLifetime(of: kind)
        refreshIdle = min(refreshLifetime, .seconds(14 * 86400))
    }

    /// The scopes of OpenID Connect, of which `openid` makes an ID token.
    /// <https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims>
    package static let knownScopes = ["openid", "profile", "email", "phone", "address", "offline_access"]
    static let standardScopes = ["openid", "profile", "email", "offline_access"]

    static func usualAuthentication(of kind: Kind) -> Authentication { kind == .confidential ? .basic : .none }

    /// A script in a browser cannot keep its refresh token from the other scripts of its page, so its grants are short.
    static func usualLifetime(of kind: Kind) -> Duration { .seconds(kind == .browser ? 86400 : 90 * 86400) }

    /// The audience of access tokens for an API scope: what stands before its last slash.
    package static func audience(ofAPIScope scope: String) -> String {
        guard let slash = scope.utf8.lastIndex(of: UInt8(ascii: "/")) else { return scope }
        return String(scope[..<slash])
    }

    /// Whether the client is only known by its id and cannot prove itself. <https://www.rfc-editor.org/rfc/rfc6749#section-2.1>
    package var isPublic: Bool { authentication == .none }
}
