import Config
import HTTP
package import JOSE
package import Runtime
import Text

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

extension OAuthClient {
    private enum Requirement: String, CaseIterable {
        case required, optional
    }

    /// Reads one entry of `clients:`.
    ///
    /// - Parameter project: the project's id, which no client may have.
    init(_ section: Section, project: String, development: Bool) {
        let id = section.value("id", expected: "1 to 200 characters of ASCII without spaces, such as a GUID", Self.printable)
        section.require("id", "the client_id that the client sends")
        if id == project {
            section.fault("id", "is the project's own id, so the client's ID tokens would pass as the project's; choose another one")
        } else if id == ProjectSettings.accountPageClientID(of: project) {
            section.fault("id", "is the id by which the account page of the project asks; choose another one")
        } else if let id, Self.knownScopes.contains(id) {
            section.fault("id", "is the name of a scope, which a client may also ask for by its id; choose another one")
        }
        let kind: Kind? = section.choice("kind")
        section.require("kind", "native for an app, browser for a script without a server, confidential for a server with a secret")
        self.init(id: id ?? "", kind: kind ?? .native)
        name = section.value("name", expected: "a name of 1 to 60 characters, as people read it", Self.displayed) ?? name
        section.requireEntry("redirectURIs", "so no answer can reach the client; add the URI that it sends as redirect_uri")
        redirectURIs = Self.redirectURIs("redirectURIs", section, kind: kind, development: development)
        postLogoutRedirectURIs = Self.redirectURIs("postLogoutRedirectURIs", section, kind: kind, development: development)
        authentication = section.choice("authentication", default: authentication)
        secrets = section.secrets("secrets")
        if authentication == .privateKeyJwt { keys = JWKSet.ofClient("keys", section) } else { _ = section.string("keys") }
        if let kind { checkAuthentication(section, kind) }
        checkSecrets(section, development: development)
        readScopes(section, project: project)
        accessTokenLifetime = section.duration(
            "accessTokenLifetime", default: accessTokenLifetime, in: .seconds(300)...(.seconds(86400)))
        readRefresh(section.section("refresh"))
        requiresPKCE = section.choice("pkce", default: Requirement.required) == .required
        if !requiresPKCE, let kind, kind != .confidential {
            section.fault("pkce", "must be required for a \(kind.rawValue) client, which proves itself only by PKCE (RFC 8252 §6)")
        }
        asksConsent = section.bool("consent", default: asksConsent)
        profileInIDToken = section.bool("profileInIDToken", default: profileInIDToken)
        requiresPushedRequests = section.choice("pushedRequests", default: Requirement.optional) == .required
        backChannelLogoutURI = section.value(
            "backChannelLogoutURI", expected: "an https URL without fragment (in development also http of this machine)"
        ) { text in
            guard let url = URI.parse(text), url.fragment == nil, url.isSecure(orLoopbackIf: development) else { return nil }
            return text
        }
        if section.has("refresh"), self.kind != .native, !scopes.contains("offline_access") {
            section.note("refresh", "has no effect: without the scope offline_access, only native apps get refresh tokens")
        }
        section.finish()
    }

    private func checkAuthentication(_ section: Section, _ kind: Kind) {
        if kind != .confidential, authentication != .none {
            section.fault(
                "authentication",
                "is \(authentication.rawValue), but a \(kind.rawValue) client cannot keep a secret (RFC 8252 §8.5); remove it, "
                    + "or write kind: confidential for a server")
        } else if kind == .confidential, authentication == .none {
            section.fault("authentication", "is none, but a confidential client proves itself; write basic, post or privateKeyJwt")
        }
        let needsSecret = authentication == .basic || authentication == .post
        if needsSecret, kind == .confidential, !section.has("secrets") || section.isEmpty("secrets") {
            section.fault("secrets", "is missing; write [{env: NAME}] or [{file: path}], or authentication: privateKeyJwt with keys")
        } else if !needsSecret, section.has("secrets") {
            section.fault("secrets", "has no use: a client with authentication: \(authentication.rawValue) has no secret; remove it")
        }
        if authentication == .privateKeyJwt, kind == .confidential, !section.has("keys") {
            section.fault("keys", "is missing; write the path of a JWK set with the client's public keys")
        } else if authentication != .privateKeyJwt, section.has("keys") {
            section.fault("keys", "has no use with authentication: \(authentication.rawValue); remove it, or write privateKeyJwt")
        }
    }

    /// Tries of a secret are limited for each address, and not over all of them, by which any program could lock the client out. So nothing but
    /// the secret itself protects it from many addresses: it needs 128 random bits, which are 22 characters of base64url.
    private static let fewestCharacters = 22
    /// The fewest different characters. Of 20 million secrets of 32 random hexadecimal digits, one has fewer.
    private static let fewestDifferent = 8

    private func checkSecrets(_ section: Section, development: Bool) {
        for secret in secrets.map({ $0.reveal().utf8 }) {
            if !secret.allSatisfy({ (0x20...0x7E).contains($0) }) {
                section.fault("secrets", "has a character outside ASCII, which a client_secret cannot have (RFC 6749 Appendix A.2)")
            } else if secret.count < Self.fewestCharacters || Set(secret).count < Self.fewestDifferent {
                let text =
                    "has a secret that may be guessed: fewer than \(Self.fewestCharacters) characters, or fewer than "
                    + "\(Self.fewestDifferent) different ones; make one: openssl rand -hex 32"
                if development { section.note("secrets", text) } else { section.fault("secrets", text) }
            }
        }
    }

    private mutating func readScopes(_ section: Section, project: String) {
        let named = section.values("scopes", expected: "one of \(Self.knownScopes.joined(separator: ", "))") {
            Self.knownScopes.contains($0) ? $0 : nil
        }
        if section.has("scopes") { scopes = named }
        apiScopes = section.values(
            "apiScopes", expected: "an absolute URI that ends in the scope's name, such as https://api.example.com/read", Self.apiScope)
        if section.isEmpty("scopes"), section.has("scopes"), apiScopes.isEmpty {
            section.fault("scopes", "is empty, so the client could ask for nothing; write at least openid")
        }
    }

    private mutating func readRefresh(_ section: Section) {
        let range: ClosedRange<Duration> = .seconds(3600)...(.seconds(3650 * 86400))
        refreshLifetime = section.duration("lifetime", default: refreshLifetime, in: range)
        refreshIdle = section.duration("idle", default: min(refreshIdle, refreshLifetime), in: range)
        if refreshIdle > refreshLifetime { section.fault("idle", "is longer than lifetime, after which a grant is over in any case") }
        refreshGrace = section.duration("grace", default: refreshGrace, in: .zero...(.seconds(300)))
        section.finish()
    }

    private static func printable(_ text: String) -> String? {
        (1...200).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : nil
    }

    private static func displayed(_ text: String) -> String? {
        (1...60).contains(text.count) && !text.unicodeScalars.contains { $0.properties.generalCategory == .control } ? text : nil
    }

    /// A scope token (<https://www.rfc-editor.org/rfc/rfc6749#section-3.3>) whose audience is an absolute URI
    /// (<https://www.rfc-editor.org/rfc/rfc8707#section-2>), so that no audience is the id of a project.
    private static func apiScope(_ text: String) -> String? {
        let audience = audience(ofAPIScope: text).utf8
        let isToken = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        guard isToken, text.utf8.count <= 300, let colon = audience.firstIndex(of: UInt8(ascii: ":")), colon != audience.startIndex,
            let last = audience.last, last != UInt8(ascii: "/"), last != UInt8(ascii: ":"),
            text.utf8.last != UInt8(ascii: "/"), audience.count < text.utf8.count
        else { return nil }
        return text
    }
}

extension OAuthClient {
    /// Reads a list of redirect URIs. A URI that breaks a rule is a fault, a doubtful one is noted.
    ///
    /// - Parameter kind: `nil` where the entry does not tell, so that the rules of a kind cannot be asked.
    private static func redirectURIs(_ key: String, _ section: Section, kind: Kind?, development: Bool) -> [String] {
        let uris = section.values(key, expected: "a URI such as https://app.example.com/callback") { $0 }
        guard let kind else { return uris }
        for (index, uri) in uris.enumerated() {
            if uris[..<index].contains(where: { $0.isExactly(uri) }) {
                section.fault(key, "\(uri) is listed twice; remove one")
            } else if let reason = RedirectURIRules.fault(of: uri, kind: kind, development: development) {
                section.fault(key, "\(uri) \(reason)")
            } else if let note = RedirectURIRules.note(on: uri) {
                section.note(key, "\(uri) \(note)")
            }
        }
        return uris
    }

    /// The schemes of its own that the client's redirect URIs have, each once.
    var customSchemes: Set<UTF8Text> {
        Set((redirectURIs + postLogoutRedirectURIs).compactMap(RedirectURIRules.customScheme))
    }
}
