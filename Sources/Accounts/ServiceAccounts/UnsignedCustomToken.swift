import JOSE
import JSON
import Runtime
import Text

extension CustomToken {
    /// The token that an Admin SDK makes while `FIREBASE_AUTH_EMULATOR_HOST` is set: `alg: none`, with an empty signature. Test suites also
    /// write one by hand, as the plain JSON of its claims: its `uid` is enough, and it is new whenever it comes.
    ///
    /// Any program can make either, for every account. `Web` decides who may send one (SEC-22): a caller on the server's own machine, in
    /// development mode, for the development project.
    /// <https://github.com/firebase/firebase-admin-python/blob/main/firebase_admin/_token_gen.py>, `_EmulatedSigner`
    ///
    /// - Returns: `nil` for a text of another form, which then needs a valid signature.
    static func unsigned(_ text: UTF8Text, at now: Instant) throws(CustomTokenError) -> CustomToken? {
        if text.utf8.first == UInt8(ascii: "{") {
            guard let payload = try? JSON.parse(Array(text.utf8)) else { throw .malformed }
            return try CustomTokenClaims(payload).token(AssertionTimes(lasting: now), signedBytes: Array(text.utf8))
        }
        guard let token = UnsignedJWT(provingNothing: text, as: .customToken) else { return nil }
        guard let payload = token.claims else { throw .malformed }
        let claims = CustomTokenClaims(payload)
        _ = try claims.issuer()
        return try claims.token(try claims.times(at: now), signedBytes: Array(text.utf8.dropLast()))
    }
}
