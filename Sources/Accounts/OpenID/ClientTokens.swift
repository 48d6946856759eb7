import Crypto
import JOSE
import JSON
import Postgres
package import ProjectSettings
package import Runtime
import Text

/// Issues the ID tokens and access tokens of relying parties. They have an issuer, an audience and a type of their own, so that none of
/// them passes for an app's ID token (`IDTokens`). <https://openid.net/specs/openid-connect-core-1_0.html#IDToken>,
/// <https://www.rfc-editor.org/rfc/rfc9068>
package struct ClientTokens: Sendable {
    let clock: Clock
    let signingKeys: SigningKeys

    package init(clock: Clock, signingKeys: SigningKeys) {
        self.clock = clock
        self.signingKeys = signingKeys
    }

    /// The facts that the tokens of one answer share.
    package struct Subject: Sendable {
        package let account: Account
        package let session: ClientSession
        package let client: OAuthClient
        package let userFlow: UserFlow?

        package init(_ account: Account, _ session: ClientSession, of client: OAuthClient, by userFlow: UserFlow?) {
            self.account = account
            self.session = session
            self.client = client
            self.userFlow = userFlow
        }

        /// `sub`: the account's id, or its object id where a user flow stands in the address.
        package func subject(in project: ProjectSettings) -> String {
            userFlow == nil ? account.id : account.objectID(in: project)
        }
    }

    /// Signs an access token for the scopes of the session, or for fewer.
    ///
    /// - Parameter userInfo: the address of the userinfo endpoint, which is the audience of tokens that name no other.
    package func accessToken(
        _ subject: Subject, scopes: [String], userInfo: String, in project: ProjectSettings
    ) throws -> String {
        let now = clock.now()
        let grant = subject.session.grant
        let audiences = Self.audiences(of: scopes, client: subject.client, userFlow: subject.userFlow, userInfo: userInfo)
        var claims = JSONWriter(capacity: 512)
        claims.object { claims in
            claims.field("iss", grant.issuer)
            claims.field("sub", subject.subject(in: project))
            if audiences.count == 1 {
                claims.field("aud", audiences[0])
            } else {
                claims.array("aud") { for aud in audiences { $0.value(aud) } }
            }
            claims.field("client_id", subject.client.id)
            claims.field("scope", scopes.joined(separator: " "))
            if let userFlow = subject.userFlow {
                claims.field("azp", subject.client.id)
                claims.field("scp", Self.names(of: scopes, client: subject.client))
                claims.field("tfp", userFlow.name)
                claims.field("ver", "1.0")
            }
            claims.field("jti", Base64URL.encode(subject.session.session.id + Random.bytes(Session.idCount)))
            claims.field("iat", now.seconds)
            claims.field("nbf", now.seconds)
            claims.field("exp", now.seconds + subject.client.accessTokenLifetime.wholeSeconds)
        }
        return try signingKeys.signer(for: .rs256, at: now).sign(claims: claims.bytes, type: "at+jwt")
    }

    /// Signs an ID token.
    ///
    /// - Parameters:
    ///   - scopes: those of the session, or fewer.
    ///   - nonce: of the request; `nil` at a refresh.
    ///   - isNewUser: whether the sign-in made the account.
    package func idToken(
        _ subject: Subject, scopes: [String], accessToken: String?, nonce: String?, isNewUser: Bool = false, in project: ProjectSettings
    ) throws -> String {
        let now = clock.now()
        let (account, grant) = (subject.account, subject.session.grant)
        var claims = JSONWriter(capacity: 768)
        claims.object { claims in
            claims.field("iss", grant.issuer)
            claims.field("sub", subject.subject(in: project))
            claims.field("aud", subject.client.id)
            claims.field("iat", now.seconds)
            claims.field("nbf", now.seconds)
            claims.field("exp", now.seconds + Self.idTokenLifetime)
            claims.field("auth_time", subject.session.session.authTime.seconds)
            claims.field("sid", grant.sid)
            if let nonce { claims.field("nonce", nonce) }
            if let secondFactor = subject.session.session.secondFactor?.shown {
                claims.field("acr", ProjectSettings.OpenIDProvider.multiFactor)
                claims.array("amr") { for method in secondFactor.methods { $0.value(method) } }
            }
            if let accessToken { claims.field("at_hash", Base64URL.encode(Array(Digest.sha256(Array(accessToken.utf8)).prefix(16)))) }
            if let userFlow = subject.userFlow {
                claims.field("tfp", userFlow.name)
                claims.field("ver", "1.0")
                if let directory = project.openIDProvider?.directoryID { claims.field("tid", directory) }
                for claim in userFlow.claims {
                    account.write(claim, of: subject.session.session, isNewUser: isNewUser, to: &claims, in: project)
                }
            } else {
                let wanted = Set(subject.client.profileInIDToken ? scopes : [])
                account.write(UserInfoClaims(scopes: wanted, requested: grant.claims?.limited(to: scopes).idToken ?? []), to: &claims)
            }
        }
        return try signingKeys.signer(for: .rs256, at: now).sign(claims: claims.bytes)
    }

    /// Seconds.
    package static let idTokenLifetime: Int64 = 3600

    /// A scope of an API names its audience before the last slash; the client's own id, as a scope, asks for a token for itself.
    static func audiences(of scopes: [String], client: OAuthClient, userFlow: UserFlow?, userInfo: String) -> [String] {
        var audiences: [String] = []
        for scope in scopes {
            let audience: String? =
                scope == client.id
                ? scope
                : client.apiScopes.contains(scope) ? OAuthClient.audience(ofAPIScope: scope) : nil
            if let audience, !audiences.contains(audience) { audiences.append(audience) }
        }
        // Libraries for Azure AD B2C expect one audience.
        if audiences.isEmpty || (userFlow == nil && scopes.contains("openid")) { audiences.append(userInfo) }
        return audiences
    }

    /// The scopes as Azure AD B2C's access tokens name them: those of APIs, by their last part.
    private static func names(of scopes: [String], client: OAuthClient) -> String {
        scopes.filter(client.apiScopes.contains).map { scope in String(scope.split(separator: "/").last ?? "") }.joined(separator: " ")
    }
}
