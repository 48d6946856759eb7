import Crypto
import JOSE
import JSON
package import ProjectSettings
import Runtime

extension ClientTokens {
    /// How long a relying party may take to accept a logout token.
    private static let logoutTokenLifetime: Int64 = 120

    /// Signs the message for a relying party that the session at the pages, in which it was granted something, has ended.
    /// <https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken>
    package func logoutToken(for ended: ClientGrant, of account: Account, in project: ProjectSettings) throws -> String {
        let now = clock.now()
        var claims = JSONWriter(capacity: 384)
        claims.object { claims in
            claims.field("iss", ended.issuer)
            claims.field("sub", ended.userFlow == nil ? account.id : account.objectID(in: project))
            claims.field("aud", ended.clientID)
            claims.field("iat", now.seconds)
            claims.field("exp", now.seconds + Self.logoutTokenLifetime)
            claims.field("jti", Random.token(16))
            claims.field("sid", ended.sid)
            claims.object("events") { $0.object("http://schemas.openid.net/event/backchannel-logout") { _ in } }
        }
        return try signingKeys.signer(for: .rs256, at: now).sign(claims: claims.bytes, type: "logout+jwt")
    }
}
