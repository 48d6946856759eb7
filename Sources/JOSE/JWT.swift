/// JSON Web Tokens: their signatures and their keys, but not the meaning of their claims.
///
/// The reader of a token says which ``TokenKind`` it takes. A token from outside is an ``UnverifiedJWT`` until
/// ``UnverifiedJWT/verified(with:algorithms:)`` has found the key that signed it in a set that the caller trusts; only then it is a
/// ``JWT``. The key (``JWK``) decides the algorithm, never the token. Callers check expiry, issuer and audience, since they know what to
/// expect. ``Signer`` makes our own tokens.
/// <https://www.rfc-editor.org/rfc/rfc7519>, read with <https://www.rfc-editor.org/rfc/rfc8725>
package import JSON
package import Text

/// A token whose signature was verified.
package struct JWT: Sendable {
    package let header: JSON
    /// Always an object.
    package let claims: JSON
    /// The key that signed it, for rules that depend on the key (Microsoft's keys name the tenant that each is for).
    package let key: JWK
}

/// A token that was not verified, so its sender may have written anything. It is only good for choosing where to look for keys.
package struct UnverifiedJWT: Sendable {
    package let signature: JWS
    /// Always an object.
    package let claims: JSON

    package var header: JSON { signature.header }
    package var algorithm: Algorithm { signature.algorithm }
    package var kid: UTF8Text? { signature.kid }

    /// Reads three parts of strict base64url, JSON objects without duplicate names, a supported algorithm, no `crit`, and no mark of another
    /// kind.
    package static func parse(_ token: String, as kind: TokenKind, maxBytes: Int = JWS.maxBytes) throws(JOSEError) -> UnverifiedJWT {
        let signature = try JWS.parse(token, maxBytes: maxBytes)
        let claims: JSON
        do { claims = try JSON.parse(signature.payload) } catch { throw .malformed("claims: \(error)") }
        guard claims.object != nil else { throw .malformed("claims are not an object") }
        try kind.check(header: signature.header, claims)
        return UnverifiedJWT(signature: signature, claims: claims)
    }

    /// The verified token, when a key of `keys` signed it with one of `algorithms`. Errors: see ``JWS/verified(with:algorithms:)``.
    package func verified(with keys: JWKSet, algorithms: Set<Algorithm>) throws(JOSEError) -> JWT {
        JWT(header: header, claims: claims, key: try signature.verified(with: keys, algorithms: algorithms))
    }
}

/// The reason why a token, a key or a set of keys is not accepted.
package enum JOSEError: Error, Equatable {
    case tooLarge
    case malformed(String)
    /// The token is marked as one of another kind than the reader takes.
    case wrongKind(String)
    /// The header has `crit`, which names extensions that must be understood; none is supported.
    case criticalHeader
    /// The algorithm is not supported, or the caller or the key does not allow it.
    case unsupportedAlgorithm
    /// A key of another kind, curve or use.
    case unsupportedKey(String)
    case weakKey(String)
    /// No key of the set has the token's `kid`, or the token has no `kid` and several keys fit.
    case unknownKey
    case badSignature
}
