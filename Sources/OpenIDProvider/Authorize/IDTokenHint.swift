import Accounts
import JOSE
import JSON
import Projects
import Text

/// An ID token that this provider gave out, shown again to name an account. It may have expired.
/// <https://openid.net/specs/openid-connect-core-1_0.html#IDToken>
struct IDTokenHint: Sendable, Equatable {
    let subject: UTF8Text
    /// The client that it was given to.
    let audience: UTF8Text
    /// The browser's session from which it came.
    let sessionID: UTF8Text?

    init(subject: UTF8Text, audience: UTF8Text, sessionID: UTF8Text? = nil) {
        self.subject = subject
        self.audience = audience
        self.sessionID = sessionID
    }

    /// `nil` for a text that is not an ID token of one of `issuers`, signed with one of `keys`.
    init?(_ token: UTF8Text, of issuers: [String], keys: JWKSet) {
        guard let jwt = try? UnverifiedJWT.parse(token.asString, as: .ownIDToken).verified(with: keys, algorithms: [.rs256]),
            let issuer = jwt.claims["iss"]?.string, issuers.contains(where: { issuer == $0 }),
            let subject = jwt.claims["sub"]?.string, let audience = jwt.claims["aud"]?.string
        else { return nil }
        self.init(subject: subject, audience: audience, sessionID: jwt.claims["sid"]?.string)
    }
}

extension IssuerAddress {
    /// The ID token that a relying party shows as a hint. Accounts have the same `sub` in all user flows of a project.
    func hint(_ token: UTF8Text, _ accounts: Accounts) -> IDTokenHint? {
        IDTokenHint(
            token, of: userFlow == nil ? [urls.issuer] : project.openIDProvider?.flowIssuers ?? [],
            keys: accounts.idTokens.publishedKeys.keys)
    }
}
