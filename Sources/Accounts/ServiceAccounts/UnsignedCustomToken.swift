import Crypto
import JSON
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
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= longestUnsigned, parts.count == 3, parts[2].isEmpty, let header = object(parts[0]),
            header["alg"] == "none"
        else { return nil }
        guard let payload = object(parts[1]), header["crit"] == nil else { throw .malformed }
        let claims = CustomTokenClaims(payload)
        _ = try claims.issuer()
        return try claims.token(expires: try claims.expires(at: now), signedBytes: Array(text.utf8.dropLast()))
    }

    /// In bytes, the same as for signed tokens.
    private static let longestUnsigned = 16_384

    private static func object(_ part: Substring.UTF8View) -> JSON? {
        guard let bytes = Base64URL.decodeStrict(Array(part)), let json = try? JSON.parse(bytes), json.object != nil else { return nil }
        return json
    }
}
