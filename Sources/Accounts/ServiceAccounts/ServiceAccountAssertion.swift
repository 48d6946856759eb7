import JOSE
import JSON
import Runtime
import Text

/// A service account's signed request for an access token. All rules about it, without I/O; `AdministratorTokens` reads the keys.
///
/// Differs from the standard in what Google's libraries send: the scopes stand among the claims, and `sub`, which would name a person whom the
/// service account stands in for, may only name the account itself. An assertion may be sent again while it is valid.
/// <https://www.rfc-editor.org/rfc/rfc7523#section-3>, <https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests>
package struct ServiceAccountAssertion: Sendable {
    /// The service account that it claims to come from.
    package let email: ServiceAccountEmail
    /// Those of the requested scopes that there are, at least one.
    package let scopes: [String]
    private let token: ServiceAccountJWT

    /// The id of the key; not all libraries send it.
    var keyID: String? { token.keyID?.asString }

    /// The addresses of Google's token endpoint. Its libraries name one of them as the audience, whatever `token_uri` says.
    static let audiences: Set<UTF8Text> = [
        "https://accounts.google.com/o/oauth2/token", "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v3/token",
        "https://www.googleapis.com/oauth2/v4/token",
    ]

    /// The scopes by which the calls of administrators may be made. Each is as good as another: the account's rights decide.
    /// <https://developers.google.com/identity/protocols/oauth2/scopes>
    static let knownScopes = ["cloud-platform", "firebase", "identitytoolkit"].map { "https://www.googleapis.com/auth/\($0)" }

    /// - Parameters:
    ///   - scope: the parameter of the request, for an assertion without this claim.
    ///   - tokenURI: the address of our own token endpoint.
    static func parse(
        _ text: UTF8Text, scope: UTF8Text?, tokenURI: String, at now: Instant
    ) throws(AccountError) -> ServiceAccountAssertion {
        let token: ServiceAccountJWT
        do {
            token = try ServiceAccountJWT.parse(text, as: .authorizationGrant)
            _ = try AssertionTimes(token.claims, at: now)
        } catch { throw .assertionRefused(error.text) }
        let claims = token.claims
        guard let audience = claims["aud"]?.string, audience == UTF8Text(tokenURI) || audiences.contains(audience) else {
            throw .assertionRefused("aud must be \(tokenURI).")
        }
        guard let issuer = claims["iss"]?.string, let email = ServiceAccountEmail(address: issuer.asString) else {
            throw .assertionRefused("iss must be the e-mail of a service account.")
        }
        if let subject = claims["sub"], subject.string != issuer {
            throw .assertionRefused("sub must be the service account itself; it cannot stand in for a person.")
        }
        let wanted = (claims["scope"]?.string ?? scope ?? "").split { $0 == 0x20 }
        let scopes = knownScopes.filter { wanted.contains(UTF8Text($0)) }
        guard !scopes.isEmpty else { throw .assertionLacksScope }
        return ServiceAccountAssertion(email: email, scopes: scopes, token: token)
    }

    /// The key that signed it; throws when none of `keys` did.
    func signer(among keys: [ServiceAccountKey]) throws(AccountError) -> ServiceAccountKey {
        guard let key = token.signer(among: keys) else { throw Self.unsigned }
        return key
    }

    /// The answer is the same for an unknown account, so that no caller learns which ones there are.
    package static let unsigned = AccountError.assertionRefused("No live key of this service account signed the assertion.")
}
