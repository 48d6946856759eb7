import Crypto
import JOSE
import JSON
import Runtime

extension ClientTokens {
    /// How long a relying party may take to accept a logout token: preferably two minutes at most, by the specification (§4).
    private static let logoutTokenLifetime: Int64 = 120

    /// Signs the token of a message about a log-out, for one attempt.
    ///
    /// Each attempt has its own token, with its own `jti`: a relying party that refuses a `jti` which it has seen still takes the message
    /// whose answer was lost. <https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken>
    package func logoutToken(for message: OutgoingLogout) throws -> String {
        let now = clock.now()
        var claims = JSONWriter(capacity: 384)
        claims.object { claims in
            claims.field("iss", message.issuer)
            claims.field("sub", message.subject)
            claims.field("aud", message.clientID)
            claims.field("iat", now.seconds)
            claims.field("exp", now.seconds + Self.logoutTokenLifetime)
            claims.field("jti", Random.token(16))
            claims.field("sid", message.sid)
            claims.object("events") { $0.object("http://schemas.openid.net/event/backchannel-logout") { _ in } }
        }
        return try signingKeys.signer(for: .rs256, at: now).sign(claims: claims.bytes, type: "logout+jwt")
    }
}
