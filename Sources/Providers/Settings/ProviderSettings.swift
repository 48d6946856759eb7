package import Config
import HTTP
import Identity
import JOSE
import JSON
package import Runtime
package import Text

/// One entry of a project's `providers:`, read and checked. The settings that all providers have are here; those of one provider are in the
/// rules of its `protocol`.
package struct ProviderSettings: Sendable {
    package let id: String
    /// The text of a sign-in button.
    package var name: String
    package var enabled = true
    package var clientID: String
    var clientSecret: Secret?
    /// Signs assertions in place of a secret.
    var clientKey: ClientKey?
    /// The first day on which the provider refuses the secret or the certificate; `nil` when the entry does not say.
    package var expires: Instant?
    var clientAuthentication = UpstreamClientAuthentication.auto
    /// Ids of the operator's other apps at the provider, whose tokens are accepted like ours.
    var allowedAudiences: Set<String> = []
    /// In the order in which they are asked for.
    var scopes: [String]
    /// Added to every authorization URL; they win over an app's parameters of the same name.
    var parameters: [String: String] = [:]
    /// Whether its answers come to an address of its own, which the operator registers with it. This distinguishes the answers of
    /// providers that do not name themselves in them. <https://www.rfc-editor.org/rfc/rfc9700#section-4.4>
    package var hasOwnCallback = false
    var usesPKCE = true
    var flow = Flow.code
    var nonceRule = NonceRule.sha256
    /// `nil`: those in the issuer's list that we can verify.
    var algorithms: Set<Algorithm>?
    /// Mail domains, in lower case, for which the provider's statement joins accounts.
    var authoritativeDomains: Set<String> = []
    /// Whether sign-ins keep the provider's tokens for back ends.
    package var keepsTokens = false
    /// Whether issuer and endpoints may be plain `http`, for development.
    var allowsPlainText = false
    /// A PEM file of the authorities for the provider's servers, instead of the system's.
    var authorities: String?
    var `protocol`: SignInProtocol

    init(id: String, name: String, clientID: String, clientSecret: Secret?, scopes: [String], protocol: SignInProtocol) {
        self.id = id
        self.name = name
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.scopes = scopes
        self.protocol = `protocol`
    }

    enum Flow: String, Sendable, CaseIterable {
        case code, idToken
    }

    /// Distinguishes the users of this entry from those of another issuer under the same id.
    package var storedIssuer: String { `protocol`.rules.storedIssuer }

    /// An SDK's custom parameters without those that a start would refuse for being its own.
    package func permitted(_ customParameters: [UTF8Text: UTF8Text]) -> [UTF8Text: UTF8Text] {
        CustomParameters.without(reserved: `protocol`.rules.reservedParameters, customParameters)
    }

    /// Whether the provider posts its answers. An ID token is never in an address, which browsers and servers remember.
    package var answersByPost: Bool { flow == .idToken || `protocol`.issuer?.responseMode == .formPost }

    /// Whether it says by an ID token who the person is, under an issuer and a subject of its own.
    package var isOpenIDConnect: Bool { `protocol`.issuer != nil }

    /// Whether its answers have a code, and not an ID token.
    package var usesCode: Bool { flow == .code }

    /// Whether it is an issuer of the operator's choice, and not a provider of the catalogue.
    package var isOfAnyIssuer: Bool { id.hasPrefix("oidc.") }

    /// Whether the provider may be believed about this address. False only for an issuer of the operator's choice (`oidc.…`) that is not trusted with the
    /// address's domain; providers of the catalogue are not looked at.
    package func mayProve(_ email: String) -> Bool {
        !isOfAnyIssuer || EmailDomain.of(UTF8Text(email)).map(authoritativeDomains.contains) ?? false
    }

    var audiences: Set<String> { allowedAudiences.union([clientID]).union(`protocol`.issuer?.nativeClientIDs ?? []) }
}

extension ProviderSettings {
    /// Reads one entry of `providers:`; its mistakes become faults of the section.
    ///
    /// - Parameter allowInsecure: whether URLs may be plain `http`, for development.
    /// - Returns: `nil` when the provider does not exist.
    package init?(id: String, section: Section, allowInsecure: Bool) {
        guard let provider = Provider.named(id) else {
            if let refused = RefusedProvider.named(UTF8Text(id)) {
                section.fault("", refused.reason)
                return nil
            }
            let known = Provider.catalog.map(\.id).joined(separator: ", ")
            let meant = Provider.meant(by: id).map { "; did you mean \"\($0)\"?" } ?? ""
            section.fault(
                "", "is not the id of a provider; use \(known), or oidc. and a name of lower-case letters, digits and hyphens\(meant)")
            return nil
        }
        self.init(
            id: id, name: section.string("name") ?? provider.name, clientID: section.required("clientId"), clientSecret: nil,
            scopes: provider.scopes, protocol: provider.protocol(section, allowInsecure))
        // By OAuth 1.0a, there are no scopes.
        if !self.protocol.isOAuth2 { scopes = [] }
        let refused = self.protocol.rules.refusedScopes
        scopes.removeAll { refused.contains($0) }
        if !self.protocol.rules.makesClientSecret { clientSecret = section.secret("clientSecret") }
        readExpiry(section, now: Clock.system.now())
        enabled = section.bool("enabled", default: enabled)
        // By OAuth 1.0a, the request token in an answer tells which sign-in it belongs to.
        hasOwnCallback = section.bool("ownCallback", default: provider.hasOwnCallback && self.protocol.isOAuth2)
        keepsTokens = section.bool("storeProviderTokens", default: keepsTokens)
        allowsPlainText = allowInsecure
        authorities = section.authorities("authorities")
        authoritativeDomains = Set(section.values("authoritativeDomains", expected: "a mail domain such as example.com", Self.domain))
        if !self.protocol.postedIssuers.isEmpty { readPostedTokens(section, of: provider) }
        if self.protocol.issuer != nil { readIDTokens(section) }
        if self.protocol.isOAuth2 { readOAuth2(section, provider) }
        readParameters(section)
        checkClient(section)
        section.finish()
    }

    /// Reads the keys that only a provider has whose ID tokens apps may post.
    private mutating func readPostedTokens(_ section: Section, of provider: Provider) {
        allowedAudiences = Set(section.strings("allowedAudiences"))
        nonceRule = section.choice("nonce", default: provider.nonceRule)
        if provider.nonceRule == .unsupported, nonceRule != .unsupported {
            section.note("nonce", "lets no person sign in, since the ID tokens of \(provider.name) have no nonce; remove this line")
        }
    }

    /// Reads the keys that only a provider by OpenID Connect has.
    private mutating func readIDTokens(_ section: Section) {
        flow = section.choice("flow", default: flow)
        if flow == .idToken, keepsTokens {
            section.fault("storeProviderTokens", "has no use with flow: idToken, which gives no tokens for the provider's API; remove it")
        }
        let names = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
        let wanted = section.values("algorithms", expected: "one of \(names)") { Algorithm(exactly: UTF8Text($0)) }
        algorithms = wanted.isEmpty ? nil : Set(wanted)
    }

    /// Reads the keys that only a provider with codes has: OAuth 1.0a has no scopes, and one way for a client to prove itself.
    private mutating func readOAuth2(_ section: Section, _ provider: Provider) {
        readClientAuthentication(section, provider)
        usesPKCE = section.choice("pkce", default: provider.pkce) == .s256
        if usesPKCE, provider.pkce == .off {
            section.note("pkce", "lets no person sign in, since \(provider.name) refuses a client that sends a verifier; remove this line")
        }
        let wanted = section.strings("scopes")
        let separate = wanted.flatMap { $0.split(separator: " ") }
        if separate.count > wanted.count {
            section.fault("scopes", "a scope has no space; write a list: [\(separate.joined(separator: ", "))]")
            return
        }
        for scope in wanted where !scopes.contains(scope) { scopes.append(scope) }
        do throws(ProviderError) { try CustomParameters.check(scopes: scopes.map { UTF8Text($0) }) } catch {
            section.fault("scopes", error.logDetail)
        }
    }

    private mutating func readParameters(_ section: Section) {
        parameters = section.texts("parameters")
        let reserved = self.protocol.rules.reservedParameters.union(["tenant"])
        let taken = parameters.keys.filter { CustomParameters.isReserved(UTF8Text($0), reserved) }.sorted()
        for name in taken {
            let instead = Self.keysOfParameters[name.lowercased()].map { " (use \($0))" } ?? ""
            section.fault("parameters", "\(name) is the protocol's own; remove it\(instead)")
        }
        guard taken.isEmpty else { return }
        do throws(ProviderError) {
            let named = Dictionary(uniqueKeysWithValues: parameters.map { (UTF8Text($0), UTF8Text($1)) })
            try CustomParameters.check(named, reserved: reserved)
        } catch {
            section.fault("parameters", error.logDetail)
        }
    }

    /// The keys of an entry that say what a parameter of the protocol says.
    private static let keysOfParameters = ["scope": "scopes", "client_id": "clientId", "client_secret": "clientSecret"]

    static func domain(_ text: String) -> String? { host(text).flatMap { $0.contains(".") ? $0 : nil } }

    static func host(_ text: String) -> String? {
        let host = text.lowercased()
        guard let uri = URI.parse("https://\(host)"), uri.host == host else { return nil }
        return host
    }
}

extension Section {
    /// The text of an `https` URL without query and fragment, exactly as written: issuers are compared byte by byte.
    func url(_ key: String, allowInsecure: Bool, allowQuery: Bool = false) -> String? {
        value(key, expected: allowInsecure ? "an http or https URL" : "an https URL") { text in
            guard let uri = URI.parse(text), uri.isSecure || allowInsecure, uri.fragment == nil, allowQuery || uri.query == nil else {
                return nil
            }
            return text
        }
    }

    /// The metadata of an issuer whose discovery document is not asked for, made once of what would stand in it.
    func metadata(pinning document: JSON) -> ProviderMetadata? {
        do throws(MetadataFault) { return try ProviderMetadata(document) } catch {
            fault("", "names addresses that cannot be used: what takes the place of the discovery document \(error.text)")
            return nil
        }
    }

    /// The URL that addresses below it are made from, without a slash at its end.
    func baseURL(_ key: String, default standard: String, allowInsecure: Bool) -> String {
        let url = url(key, allowInsecure: allowInsecure) ?? standard
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }
}
