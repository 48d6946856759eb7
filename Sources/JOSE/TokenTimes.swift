package import JSON
package import Runtime
import Text

/// The times between which another party's token is valid, as its claims say, judged by this server's clock.
///
/// The claims are numbers of seconds, which some issuers write with a fraction; it is cut off.
/// <https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4>
package struct TokenTimes: Sendable, Equatable {
    /// `iat`; `nil` for a token that does not have it.
    package let issued: Instant?
    /// `exp`, which every token must have. The token is accepted until `leeway` after it.
    package let expires: Instant

    /// How far the other party's clock may be ahead of ours, or behind it.
    package static let leeway = Duration.seconds(60)

    package enum Fault: Error, Equatable {
        /// The claim is absent where it must not be, or it is not a number.
        case malformed(String)
        case expired
        /// The token was issued this many seconds after now.
        case issuedInFuture(by: Int64)
        case notValidYet
    }

    /// Throws for a token that is not valid at `now`.
    package init(_ claims: JSON, at now: Instant) throws(Fault) {
        let (latest, earliest) = (now + Self.leeway, now - Self.leeway)
        guard let expires = try Self.time("exp", of: claims) else { throw .malformed("exp") }
        guard expires.seconds > earliest.seconds else { throw .expired }
        issued = try Self.time("iat", of: claims)
        if let issued, issued.seconds > latest.seconds { throw .issuedInFuture(by: issued.seconds - now.seconds) }
        if let start = try Self.time("nbf", of: claims), start.seconds > latest.seconds { throw .notValidYet }
        self.expires = expires
    }

    /// The time that a claim says; `nil` without the claim, for which some issuers write `null`.
    package static func time(_ claim: String, of claims: JSON) throws(Fault) -> Instant? {
        guard let value = claims[UTF8Text(claim)], !value.isNull else { return nil }
        guard let seconds = value.integer ?? value.number.flatMap({ Int64(exactly: $0.rounded(.down)) }) else { throw .malformed(claim) }
        return Instant(seconds: seconds)
    }
}
