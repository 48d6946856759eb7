import JOSE
import Runtime
import Text

extension CustomToken {
    /// The token that an Admin SDK makes while `FIREBASE_AUTH_EMULATOR_HOST` is set: `alg: none`, with an empty signature.
    ///
    /// Any program can make one, for every account. `Web` decides who may send one (SEC-22): a caller on the server's own machine, in
    /// development mode, for the development project.
    /// <https://github.com/firebase/firebase-admin-python/blob/main/firebase_admin/_token_gen.py>, `_EmulatedSigner`
    ///
    /// - Returns: `nil` for a text of another form, which then needs a valid signature.
    static func unsigned(_ text: UTF8Text, at now: Instant) throws(CustomTokenError) -> CustomToken? {
        guard let token = UnsignedJWT(provingNothing: text) else { return nil }
        guard let payload = token.claims else { throw .malformed }
        let claims = CustomTokenClaims(payload)
        _ = try claims.issuer()
        return try claims.token(try claims.times(at: now), signedBytes: Array(text.utf8.dropLast()))
    }
}
