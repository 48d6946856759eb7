/// JSON Web Tokens: their signatures, their keys, and nothing of what their claims mean.
///
/// A token from outside is an ``UnverifiedJWT`` until ``UnverifiedJWT/verified(with:algorithms:)`` has found the key that signed
/// it in a set the caller trusts; only then it is a ``JWT``. The algorithm belongs to the key (``JWK``), never to the token.
/// Expiry, issuer and audience are for those who know what to expect. ``Signer`` makes tokens of our own.
/// <https://www.rfc-editor.org/rfc/rfc7519>, read with <https://www.rfc-editor.org/rfc/rfc8725>
package import JSON
package import Text

/// A token whose signature was verified.
package struct JWT: Sendable {
    package let header: JSON
    /// Always an object.
    package let claims: JSON
    /// The key that signed it, for rules that hang on the key (Microsoft's say which tenant each is for).
    package let key: JWK
}

/// A token that says anything its sender likes: good for choosing where to look for keys, and for nothing else.
package struct UnverifiedJWT: Sendable {
    package let signature: JWS
    /// Always an object.
    package let claims: JSON

    package var header: JSON { signature.header }
    package var algorithm: Algorithm { signature.algorithm }
    package var kid: UTF8Text? { signature.kid }

    /// Three parts of strict base64url, JSON objects without duplicate names, an algorithm we know, no `crit`; `typ` is not looked at.
    package static func parse(_ token: String, maxBytes: Int = JWS.maxBytes) throws(JOSEError) -> UnverifiedJWT {
        let signature = try JWS.parse(token, maxBytes: maxBytes)
        let claims: JSON
        do { claims = try JSON.parse(signature.payload) } catch { throw .malformed("claims: \(error)") }
        guard claims.object != nil else { throw .malformed("claims are not an object") }
        return UnverifiedJWT(signature: signature, claims: claims)
    }

    /// The token, when a key of `keys` signed it with one of `algorithms`. Errors: see ``JWS/verified(with:algorithms:)``.
    package func verified(with keys: JWKSet, algorithms: Set<Algorithm>) throws(JOSEError) -> JWT {
        JWT(header: header, claims: claims, key: try signature.verified(with: keys, algorithms: algorithms))
    }
}

/// Why a token, a key or a set of keys is not accepted.
package enum JOSEError: Error, Equatable {
    case tooLarge
    case malformed(String)
    /// The header has `crit`: extensions that must be understood, and none is.
    case criticalHeader
    /// Not one of ours, not one the caller allows, or not the key's.
    case unsupportedAlgorithm
    /// A key of another kind, curve or use.
    case unsupportedKey(String)
    case weakKey(String)
    /// No key of the set has the token's `kid`, or the token has none and does not single out a key.
    case unknownKey
    case badSignature
}
