import JSON
import Runtime
import Text

/// From when until when a JWT of a service account is valid, as it says itself.
struct AssertionTimes: Sendable {
    let issued: Instant
    let expires: Instant

    /// Seconds from `iat` to `exp`.
    static let longestLife: Int64 = 3600
    /// Seconds by which a back end's clock may be ahead of ours.
    static let skew: Int64 = 60

    /// The longest life, from `now` on.
    init(lasting now: Instant) {
        issued = now
        expires = now + .seconds(Self.longestLife)
    }

    /// Throws when the token with these claims is not valid at `now`, or would be for longer than an hour.
    init(_ claims: JSON, at now: Instant) throws(ServiceAccountJWT.Fault) {
        guard let issued = claims["iat"]?.integer, let expires = claims["exp"]?.integer else {
            throw ServiceAccountJWT.Fault(text: "iat and exp must be numbers.")
        }
        // Checked first, so that the arithmetic below cannot overflow.
        guard issued <= now.seconds + Self.skew else { throw ServiceAccountJWT.Fault(text: "The token was issued in the future.") }
        guard expires > now.seconds else { throw ServiceAccountJWT.Fault(text: "The token has expired.") }
        guard issued > 0, expires <= now.seconds + Self.skew + Self.longestLife, (1...Self.longestLife).contains(expires - issued) else {
            throw ServiceAccountJWT.Fault(text: "The token must expire within an hour of its issue.")
        }
        if let start = claims["nbf"] {
            guard let start = start.integer, start <= now.seconds + Self.skew else {
                throw ServiceAccountJWT.Fault(text: "The token is not valid yet.")
            }
        }
        self.issued = Instant(seconds: issued)
        self.expires = Instant(seconds: expires)
    }
}
