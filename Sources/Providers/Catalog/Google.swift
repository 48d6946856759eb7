import Config
import HTTP
import Identity
import JOSE
import JSON
import Text

extension Provider {
    /// Google, by OpenID Connect.
    ///
    /// Differs from the standard: an access token alone can be checked, since Google says which client it was issued to; Google's own SDKs
    /// add a nonce that the app does not see; apps get the profile with the names of an older API.
    /// <https://developers.google.com/identity/openid-connect/openid-connect>
    static let google = Provider(
        id: "google.com", name: "Google", clientAuthentication: .post, nonceRule: .ifPosted, button: button,
        development: GoogleIssuer.development,
        protocol: { .openIDConnect(GoogleIssuer($0, allowInsecure: $1)) })

    /// <https://developers.google.com/identity/branding-guidelines>
    private static let button = ButtonStyle(
        mark: mark, light: .init("#1f1f1f", on: "#ffffff", border: "#747775"), dark: .init("#e3e3e3", on: "#131314", border: "#8e918f"))

    /// The G in its four colours, which the rules ask for on light and on dark buttons.
    private static let mark = ProviderMark(
        #"""
        <g fill="none" stroke-width="4.6">
        <path d="M18.17 19.35A9.6 9.6 0 0 0 21.60 12" stroke="#4285f4"/>
        <path d="M3.37 16.21A9.6 9.6 0 0 0 18.17 19.35" stroke="#34a853"/>
        <path d="M3.37 7.79A9.6 9.6 0 0 0 3.52 16.51" stroke="#fbbc05"/>
        <path d="M19.13 5.58A9.6 9.6 0 0 0 3.37 7.79" stroke="#ea4335"/>
        </g>
        <path d="M12.2 9.8H23.7A12 12 0 0 1 23.8 14.4H12.2Z" fill="#4285f4"/>
        """#)
}

/// The rules of Google. A person is the `sub`, a number that is never reused.
struct GoogleIssuer: Issuer {
    let issuer: String
    let tokenInfoURL: String
    let userInfoURL: String
    /// Workspace domains in lower case; an empty set means all people.
    let hostedDomains: Set<String>

    var storedIssuer: String { issuer }
    var documentURL: String { "\(issuer)/.well-known/openid-configuration" }

    /// Older tokens name the issuer without its scheme.
    func admits(_ claims: JSON) throws(ProviderError) {
        try checkName(claims) { publishes($0) || publishes("https://\($0)") }
        try checkDomain(claims)
    }

    /// The parameter `hd` of a start is only a wish, so the claim decides.
    private func checkDomain(_ claims: JSON) throws(ProviderError) {
        guard !hostedDomains.isEmpty else { return }
        guard let domain = claims["hd"]?.string, hostedDomains.contains(domain.asciiLowercased.asString) else {
            throw .invalidResponse("Accounts of this domain may not sign in here.", detail: "its hd is not one of hostedDomains")
        }
    }

    /// Asks which client the token was issued to, and then for the person's profile, which has the claims of an ID token.
    func introspect(_ accessToken: UTF8Text, _ api: ProviderAPI) async throws(ProviderError) -> JSON? {
        let info = try await api.get("\(tokenInfoURL)?access_token=\(PercentEncoding.encode(accessToken.asString))")
        guard info.status == 200, let token = info.json, let subject = token.text("sub", limit: 255), (token.number("expires_in") ?? 0) > 0
        else {
            throw .invalidResponse("The access token is not valid, or has no scope openid.", detail: "token check: status \(info.status)")
        }
        // Both are the client that the token was issued to, except for some native apps; neither may be a foreign one.
        let clients = [token["aud"], token.present("azp")].compactMap(\.self)
        guard token["aud"] != nil, clients.allSatisfy({ client in api.audiences.contains { client.string == UTF8Text($0) } }) else {
            throw .invalidResponse(
                "The access token was not issued to this app.",
                detail: "aud \(UpstreamText.visible(token["aud"]?.string)), azp \(UpstreamText.visible(token["azp"]?.string))")
        }
        let profile = try await api.get(userInfoURL, bearer: accessToken)
        guard profile.status == 200, let claims = profile.json, claims["sub"]?.string == subject else {
            throw .invalidResponse("The provider does not say who signed in.", detail: "profile: status \(profile.status)")
        }
        try checkDomain(claims)
        return claims
    }

    func identity(_ evidence: Evidence, _ api: ProviderAPI) async throws(ProviderError) -> ProviderIdentity {
        let claims = evidence.claims
        guard let subject = claims.text("sub", limit: 255) else {
            throw .invalidResponse("The ID token does not say who signed in.", detail: "no sub")
        }
        var identity = evidence.identity(subject: subject.asString, rawUserInfo: Self.profile(claims).text())
        identity.federatedID = "\(issuer)/\(subject)"
        identity.displayName = claims.text("name")?.asString
        identity.firstName = claims.text("given_name")?.asString
        identity.lastName = claims.text("family_name")?.asString
        identity.language = claims.text("locale", limit: 35)?.asString
        identity.photoURL = claims.url("picture")
        if let email = evidence.address(claims["email"]?.string), let domain = EmailDomain.of(email) {
            identity.email = email.asString
            identity.emailVerified = claims.isTrue("email_verified")
            let runs = domain == "gmail.com" || claims["hd"]?.string?.asciiLowercased == UTF8Text(domain)
            identity.emailAuthoritative = identity.emailVerified && (runs || evidence.trustsDomain(of: email))
        }
        return identity
    }

    /// The claims by the names that Firebase gives them, which are those of Google's API before OpenID Connect.
    private static func profile(_ claims: JSON) -> JSON {
        let names: [(UTF8Text, UTF8Text)] = [
            ("sub", "id"), ("name", "name"), ("given_name", "given_name"), ("family_name", "family_name"), ("email", "email"),
            ("email_verified", "verified_email"), ("picture", "picture"), ("locale", "locale"), ("hd", "hd"),
        ]
        var profile: JSON.Object = [:]
        for (claim, name) in names { profile[name] = claims.present(claim) }
        return .object(profile)
    }

    /// The profile and the address of a person whom a developer made up.
    /// <https://github.com/firebase/firebase-tools/blob/master/src/emulator/auth/operations.ts>, `fakeFetchUserInfoFromIdp`
    static func development(_ claims: JSON, _ identity: inout ProviderIdentity) {
        identity.federatedID = "https://accounts.google.com/\(identity.subject)"
        identity.firstName = claims.text("given_name")?.asString
        identity.lastName = claims.text("family_name")?.asString
        var scopes = "openid https://www.googleapis.com/auth/userinfo.profile"
        if identity.email != nil { scopes += " https://www.googleapis.com/auth/userinfo.email" }
        var profile: JSON.Object = profile(claims).object ?? [:]
        profile["granted_scopes"] = .string(scopes)
        profile["verified_email"] = .bool(identity.emailVerified)
        profile["locale"] = "en"
        identity.rawUserInfo = JSON.object(profile).text()
    }
}

extension GoogleIssuer {
    init(_ section: Section, allowInsecure: Bool) {
        issuer = section.baseURL("issuer", default: "https://accounts.google.com", allowInsecure: allowInsecure)
        tokenInfoURL = section.baseURL("tokenInfoURL", default: "https://oauth2.googleapis.com/tokeninfo", allowInsecure: allowInsecure)
        userInfoURL = section.baseURL(
            "userInfoURL", default: "https://openidconnect.googleapis.com/v1/userinfo", allowInsecure: allowInsecure)
        hostedDomains = Set(section.values("hostedDomains", expected: "a Workspace domain such as example.com", ProviderSettings.domain))
    }
}
