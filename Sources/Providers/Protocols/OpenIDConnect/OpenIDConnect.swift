import Config
import HTTP
import Identity
import JOSE
import JSON
import Logging
import Text

/// Any issuer that follows OpenID Connect, and Azure AD B2C, which differs in two ways: its discovery document is not at the address that
/// the issuer's name implies, and all policies of a tenant share one issuer. <https://openid.net/specs/openid-connect-core-1_0.html>
struct OpenIDConnect: Issuer {
    let issuer: String
    /// The address of the discovery document, when it does not follow from the issuer.
    var discoveryURL: String?
    /// The endpoints, for an issuer without a discovery document.
    var pinnedMetadata: ProviderMetadata?
    /// Whether the entry writes endpoints, and not the token endpoint among them.
    var lacksTokenEndpoint = false
    /// Hosts in lower case where its endpoints may be, besides its own; an empty set means any.
    var allowedHosts: Set<String> = []
    var responseMode = ResponseMode.query
    /// Whether this server may prove itself there by a key.
    var takesAssertions = true
    var assertionAudience = AssertionRules.Audience.issuer
    /// The policy (user flow) of B2C: tokens must come from it, and not from a weaker one.
    var policy: String?
    var subjectClaim = "sub"
    var emailTrust = EmailTrust.claim
    /// Whether to ask the userinfo endpoint for claims that the ID token does not have.
    var asksUserInfo = true

    /// Whether the scopes `profile` and `email` are asked for. Some servers refuse scopes that are not their own.
    var asksForProfile = true
    /// The claim with the person's user name.
    var userNameClaim = "preferred_username"
    /// Domains whose mailboxes the provider runs, so that its statement about an address there is proof.
    var ownDomains: Set<String> = []

    var storedIssuer: String { issuer }

    var documentURL: String {
        discoveryURL ?? (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    var assertions: AssertionRules? { takesAssertions ? AssertionRules(audience: assertionAudience) : nil }

    func mayHaveEndpoints(at host: String) -> Bool {
        allowedHosts.isEmpty || allowedHosts.contains(host) || URI.parse(issuer)?.host == host
    }

    /// B2C also reads the policy from the parameter `p`.
    var reservedParameters: Set<UTF8Text> { policy == nil ? [] : ["p"] }

    var refusedScopes: Set<String> { asksForProfile ? [] : ["profile", "email"] }

    func admits(_ claims: JSON) throws(ProviderError) {
        try checkName(claims, publishes)
        guard let policy else { return }
        // B2C gives an app access tokens for itself, which differ from its ID tokens by their permissions alone.
        guard claims.present("scp") == nil else {
            throw .invalidResponse("The token is not an ID token.", detail: "it has scp, as B2C's access tokens do")
        }
        // The tenant chooses the name of the claim; older tenants have `acr`.
        let used = claims["tfp"]?.string ?? claims["acr"]?.string
        guard used?.asciiLowercased == UTF8Text(policy).asciiLowercased else {
            throw .invalidResponse("The ID token comes from another policy.", detail: "its tfp or acr is not \(policy)")
        }
    }

    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        let claims = evidence.claims
        guard let subject = claims.text(UTF8Text(subjectClaim), limit: 255), subject.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalidResponse(
                "The ID token does not say who signed in.", detail: "no claim \(UpstreamText.visible(UTF8Text(subjectClaim)))")
        }
        // "Not supported currently. Use oid claim." is B2C's value for all users where `sub` is switched off.
        guard !subject.hasPrefix("Not supported"), policy == nil || !subject.contains(0x20) else {
            throw .invalidResponse(
                "The ID token does not say who signed in.", detail: "\(subjectClaim) is not an id; set subjectClaim: oid")
        }
        let info = await userInfo(evidence, api)
        let profile = Self.merged(claims, info)
        var identity = evidence.identity(subject: subject.asString, rawUserInfo: JSON.object(profile).text())
        let all = JSON.object(profile)
        identity.displayName = all.text("name")?.asString
        identity.firstName = all.text("given_name")?.asString
        identity.lastName = all.text("family_name")?.asString
        identity.screenName = all.text(UTF8Text(userNameClaim))?.asString
        identity.language = Self.language(all["locale"])
        identity.photoURL = all.url("picture")
        // The address and the statement about it must come from the same source.
        let own = evidence.address(Self.email(in: claims))
        let source = own == nil ? info ?? claims : claims
        let email = own ?? info.flatMap { evidence.address(Self.email(in: $0)) }
        identity.email = email?.asString
        identity.emailVerified = email != nil && isVerified(source)
        identity.emailAuthoritative = identity.emailVerified && email.map { runsMailbox($0) || evidence.trustsDomain(of: $0) } ?? false
        return identity
    }

    /// B2C sends a list.
    private static func email(in claims: JSON) -> UTF8Text? { claims.text("email", limit: 1024) ?? claims["emails"]?[0]?.string }

    private func runsMailbox(_ email: UTF8Text) -> Bool { EmailDomain.of(email).map { ownDomains.contains($0) } ?? false }

    /// A language tag. LinkedIn writes its parts as an object.
    private static func language(_ locale: JSON?) -> String? {
        guard let locale, locale.object != nil else {
            return locale?.string.flatMap { $0.isEmpty || $0.utf8.count > 35 ? nil : $0.asString }
        }
        guard let language = locale.text("language", limit: 8)?.asString else { return nil }
        return locale.text("country", limit: 8).map { "\(language)-\($0)" } ?? language
    }

    private func isVerified(_ claims: JSON) -> Bool {
        switch emailTrust {
        case .never: false
        case .always: true
        case .claim: claims.isTrue("email_verified")
        }
    }

    /// The userinfo answer, discarded unless it is about the same person (OIDC Core §5.3.2). When it fails, the sign-in still succeeds.
    private func userInfo(_ evidence: Evidence, _ api: ProviderAPI) async -> JSON? {
        guard asksUserInfo, let endpoint = evidence.userInfo, let accessToken = evidence.accessToken,
            let info = await api.object("\(endpoint)", bearer: accessToken)?.json
        else { return nil }
        guard let subject = info["sub"]?.string, subject == evidence.claims["sub"]?.string else {
            api.log?.warning("userinfo is of another person and not used", metadata: ["provider": .string(evidence.providerID)])
            return nil
        }
        return info
    }

    private static func merged(_ claims: JSON, _ info: JSON?) -> JSON.Object {
        var all = claims.object ?? [:]
        for member in info?.object ?? [:] where all[member.name] == nil { all[member.name] = member.value }
        return all
    }
}

extension OpenIDConnect {
    init(_ section: Section, allowInsecure: Bool) {
        section.require("issuer", "it is the iss of the provider's ID tokens, exactly")
        self.init(issuer: section.url("issuer", allowInsecure: allowInsecure) ?? "")
        let document = "/.well-known/openid-configuration"
        if issuer.hasSuffix(document) {
            section.fault(
                "issuer", "is the address of the discovery document; write it without \(document), as the document's issuer has it")
        }
        discoveryURL = section.url("discoveryURL", allowInsecure: allowInsecure, allowQuery: true)
        allowedHosts = Set(section.values("allowedHosts", expected: "a host such as login.example.com", ProviderSettings.host))
        pinnedMetadata = endpoints(section, allowInsecure: allowInsecure)
        lacksTokenEndpoint = section.has("endpoints") && !section.section("endpoints").has("token")
        responseMode = section.choice("responseMode", default: responseMode)
        assertionAudience = section.choice("assertionAudience", default: assertionAudience)
        policy = section.string("policy")
        subjectClaim = section.string("subjectClaim") ?? subjectClaim
        emailTrust = section.choice("emailTrust", default: emailTrust)
        if emailTrust == .never, section.has("authoritativeDomains") {
            section.fault(
                "authoritativeDomains", "has no effect with emailTrust: never, since an address that is not verified joins no account")
        }
        asksForProfile = section.bool("standardScopes", default: asksForProfile)
        asksUserInfo = section.choice("userinfo", default: UserInfo.auto) == .auto
    }

    /// Reads the endpoints of an issuer that publishes no discovery document.
    private func endpoints(_ section: Section, allowInsecure: Bool) -> ProviderMetadata? {
        let endpoints = section.section("endpoints")
        var document: JSON.Object = ["issuer": .string(issuer)]
        for (key, member) in [
            ("authorization", "authorization_endpoint"), ("jwks", "jwks_uri"), ("token", "token_endpoint"),
            ("userinfo", "userinfo_endpoint"),
        ] as [(String, UTF8Text)] {
            guard let url = endpoints.url(key, allowInsecure: allowInsecure, allowQuery: true) else { continue }
            document[member] = .string(url)
            if let host = URI.parse(url)?.host, !mayHaveEndpoints(at: host) {
                endpoints.fault(key, "is on \(host), which is neither the issuer's host nor in allowedHosts")
            }
        }
        endpoints.finish()
        guard section.has("endpoints") else { return nil }
        if section.has("discoveryURL") { section.fault("discoveryURL", "cannot stand beside endpoints, which take its place") }
        let missing = ["authorization", "jwks"].filter { !endpoints.has($0) }
        for key in missing { endpoints.fault(key, "is missing; without a discovery document, the entry must name it") }
        let isRead = document["authorization_endpoint"] != nil && document["jwks_uri"] != nil
        return isRead ? section.metadata(pinning: .object(document)) : nil
    }

    private enum UserInfo: String, CaseIterable { case auto, never }
}
