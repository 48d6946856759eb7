import JOSE
import JSON
import Runtime

/// From when until when a JWT of a service account is valid, as it says itself.
struct AssertionTimes: Sendable {
    let issued: Instant
    let expires: Instant

    /// From `iat` to `exp`.
    static let longestLife: Duration = .seconds(3600)

    /// The longest life, from `now` on.
    init(lasting now: Instant) {
        issued = now
        expires = now + Self.longestLife
    }

    /// Throws when the token with these claims is not valid at `now`, or would be for longer than an hour.
    init(_ claims: JSON, at now: Instant) throws(ServiceAccountJWT.Fault) {
        let times: TokenTimes
        do { times = try TokenTimes(claims, at: now) } catch {
            throw switch error {
            case .malformed("nbf"), .notValidYet: ServiceAccountJWT.Fault(text: "The token is not valid yet.")
            case .malformed: .times
            case .expired: ServiceAccountJWT.Fault(text: "The token has expired.")
            case .issuedInFuture: ServiceAccountJWT.Fault(text: "The token was issued in the future.")
            }
        }
        guard let issued = times.issued else { throw .times }
        guard (.seconds(1)...Self.longestLife).contains(times.expires - issued) else {
            throw ServiceAccountJWT.Fault(text: "The token must expire within an hour of its issue.")
        }
        self.issued = issued
        expires = times.expires
    }
}

extension ServiceAccountJWT.Fault {
    fileprivate static let times = Self(text: "iat and exp must be numbers.")
}
