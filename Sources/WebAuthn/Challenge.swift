import Crypto
package import Runtime

/// A challenge that no table stores: it says itself until when it is good, and a MAC binds it to everything else.
///
/// 33 bytes: a nonce of 12, kind and expiry under a mask, and half of an HMAC-SHA256. The mask comes from the nonce; without it, an hour of the
/// clock could make every draw unfit for `PlainBase64`. The rule that accepts a challenge must also note that it is spent.
package struct Challenge: Sendable, Equatable {
    package let bytes: [UInt8]
    package let kind: Kind
    /// In whole seconds.
    package let expires: Instant

    /// The ceremony that may answer a challenge.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case registration = 1
        /// The browser makes a passkey without asking the person, who has just signed in by a password.
        case conditionalRegistration = 2
        case signIn = 3
        case secondFactor = 4
    }

    /// Everything that a challenge is bound to besides its kind.
    package struct Context: Sendable {
        let parts: [[UInt8]]

        /// - Parameters:
        ///   - subject: the account that registers, or the pending sign-in that is answered; empty where neither is known.
        ///   - flow: the sign-in flow of a page; empty without one.
        package init(projectID: String, rpID: String, subject: [UInt8] = [], flow: [UInt8] = [], requiresUserVerification: Bool) {
            parts = [Array(projectID.utf8), Array(rpID.utf8), subject, flow, [requiresUserVerification ? 1 : 0]]
        }
    }

    package static let lifetime: Duration = .seconds(600)
    private static let nonceCount = 12
    private static let bodyCount = 5
    private static let macCount = 16

    /// Makes a challenge, good for ten minutes.
    package static func make(
        _ kind: Kind, for context: Context, key: [UInt8], at now: Instant, from source: (Int) -> [UInt8] = Random.bytes
    ) -> Challenge {
        let expires = Instant(seconds: (now + lifetime).seconds)
        let bytes = PlainBase64.draw {
            let nonce = source(nonceCount)
            let body = [kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: expires.seconds >> (24 - 8 * $0)) }
            return nonce + masked(body, by: nonce, key: key) + mac(of: nonce + body, for: context, key: key)
        }
        return Challenge(bytes: bytes, kind: kind, expires: expires)
    }

    /// Reads a challenge of one of these kinds. Throws `challenge` for one that none of the keys made, that is for something else, or that has
    /// expired.
    package static func verified(
        _ bytes: [UInt8], as kinds: Set<Kind>, for context: Context, keys: [[UInt8]], at now: Instant
    ) throws(CeremonyError) -> Challenge {
        guard bytes.count == nonceCount + bodyCount + macCount else { throw .challenge }
        let nonce = Array(bytes[..<nonceCount])
        for key in keys {
            let body = masked(Array(bytes[nonceCount..<(nonceCount + bodyCount)]), by: nonce, key: key)
            guard constantTimeEqual(Array(bytes.suffix(macCount)), mac(of: nonce + body, for: context, key: key)) else { continue }
            let expires = Instant(seconds: body.dropFirst().reduce(0) { $0 << 8 | Int64($1) })
            guard let kind = Kind(rawValue: body[0]), kinds.contains(kind), expires > now else { throw .challenge }
            return Challenge(bytes: bytes, kind: kind, expires: expires)
        }
        throw .challenge
    }

    private static func masked(_ body: [UInt8], by nonce: [UInt8], key: [UInt8]) -> [UInt8] {
        zip(body, Digest.hmacSHA256(key: key, Array("mask".utf8) + nonce)).map { $0 ^ $1 }
    }

    private static func mac(of head: [UInt8], for context: Context, key: [UInt8]) -> [UInt8] {
        let parts = ([Array("challenge".utf8), head] + context.parts).flatMap { part in
            (0..<4).map { UInt8(truncatingIfNeeded: part.count >> (24 - 8 * $0)) } + part
        }
        return Array(Digest.hmacSHA256(key: key, parts).prefix(macCount))
    }
}
