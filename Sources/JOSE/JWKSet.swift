package import JSON
package import Text

/// An issuer's keys, as its key endpoint publishes them. <https://www.rfc-editor.org/rfc/rfc7517#section-5>
package struct JWKSet: Sendable {
    package let keys: [JWK]
    /// Entries that are no keys to us, by reason: an issuer may add kinds we do not know, which must not shut its users out.
    package let skipped: [JOSEError]

    /// Keys looked at; issuers publish two to twenty.
    static let most = 100

    /// Empty for anything that is no set: the caller decides what having no key means.
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

    /// The keys a token with this header may have been signed with.
    ///
    /// - With a `kid`: those of that `kid` which accept the algorithm. Issuers should not give two keys one `kid`, yet some do across
    ///   kinds or while rotating; all are the issuer's, so each is tried.
    /// - Without: the only key that accepts the algorithm. Where several do, the token must say which
    ///   (<https://openid.net/specs/openid-connect-core-1_0.html#Signing>).
    package func candidates(kid: UTF8Text?, alg: Algorithm) -> [JWK] {
        let fitting = keys.filter { $0.accepts(alg) }
        guard let kid else { return fitting.count == 1 ? fitting : [] }
        return fitting.filter { $0.kid == kid }
    }

    /// The same, never empty. A `kid` that is there with another algorithm is an attack or a mistake that no fetching mends.
    func candidates(for token: JWS) throws(JOSEError) -> [JWK] {
        let candidates = candidates(kid: token.kid, alg: token.algorithm)
        guard candidates.isEmpty else { return candidates }
        guard let kid = token.kid, keys.contains(where: { $0.kid == kid }) else { throw .unknownKey }
        throw .unsupportedAlgorithm
    }
}
