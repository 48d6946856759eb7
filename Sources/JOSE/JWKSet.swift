package import JSON
package import Text

/// An issuer's keys, as its key endpoint publishes them. <https://www.rfc-editor.org/rfc/rfc7517#section-5>
package struct JWKSet: Sendable {
    package let keys: [JWK]
    /// The reasons why entries were left out. An issuer may add kinds of keys that are not supported here, and its users must still be
    /// able to sign in.
    package let skipped: [JOSEError]

    /// The most entries that are read; issuers publish two to twenty.
    static let most = 100

    /// Empty for any value that is not a key set; the caller decides what a set without keys means.
    package init(_ json: JSON) {
        var keys: [JWK] = []
        var skipped: [JOSEError] = []
        for (number, entry) in (json["keys"]?.array ?? []).enumerated() {
            do {
                guard number < Self.most else { throw JOSEError.tooLarge }
                keys.append(try JWK(entry))
            } catch {
                skipped.append(error as? JOSEError ?? .malformed("key"))
            }
        }
        self.keys = keys
        self.skipped = skipped
    }

    package init(_ keys: [JWK]) {
        self.keys = keys
        skipped = []
    }

    /// The keys with which a token with this header may have been signed.
    ///
    /// - With a `kid`: the keys of that `kid` that accept the algorithm. Issuers should not give two keys the same `kid`, but some do for
    ///   keys of different kinds or during a rotation. All are the issuer's keys, so each is tried.
    /// - Without a `kid`: the only key that accepts the algorithm. When several do, the token must name one
    ///   (<https://openid.net/specs/openid-connect-core-1_0.html#Signing>).
    package func candidates(kid: UTF8Text?, alg: Algorithm) -> [JWK] {
        let fitting = keys.filter { $0.accepts(alg) }
        guard let kid else { return fitting.count == 1 ? fitting : [] }
        return fitting.filter { $0.kid == kid }
    }

    /// The same, but throws when there is none. A known `kid` with another algorithm is an attack or a mistake, and fetching the keys
    /// again cannot help.
    func candidates(for token: JWS) throws(JOSEError) -> [JWK] {
        let candidates = candidates(kid: token.kid, alg: token.algorithm)
        guard candidates.isEmpty else { return candidates }
        guard let kid = token.kid, keys.contains(where: { $0.kid == kid }) else { throw .unknownKey }
        throw .unsupportedAlgorithm
    }
}
