import JOSE
import JSON
import Text

/// Reads claims that an app or a developer made up, in the forms of Firebase's Auth emulator: the text of a JSON object, or a JWT that is
/// not signed.
package enum MadeUpClaims {
    /// Whether a credential has the form of made-up claims.
    package static func are(in credential: Credential) -> Bool {
        guard let text = credential.idToken ?? credential.accessToken, text.utf8.count <= JWS.maxBytes else { return false }
        return text.hasPrefix("{") || UnsignedJWT(provingNothing: text, as: .idToken) != nil
    }

    /// Throws a sentence for the app's developer.
    ///
    /// - Parameter provider: the id of the provider that the claims are said to be from.
    static func reading(_ text: UTF8Text, of provider: String) throws(ProviderError) -> JSON {
        guard text.utf8.count <= JWS.maxBytes else {
            throw .invalidResponse("The made-up claims are longer than \(JWS.maxBytes) bytes.", detail: "")
        }
        if text.hasPrefix("{") {
            guard let claims = try? JSON.parse(Array(text.utf8)) else {
                throw .invalidResponse("The made-up claims are not a JSON object.", detail: "")
            }
            return claims
        }
        guard let token = UnsignedJWT(provingNothing: text, as: .idToken) else {
            throw .invalidResponse(
                "\(provider) has no entry in the project's file, so its tokens cannot be verified. Add the entry; or, in development mode, "
                    + "send made-up claims as JSON, such as {\"sub\":\"abc\",\"email\":\"a@b.c\"}, or as a JWT with alg none.", detail: "")
        }
        guard let claims = token.claims else {
            throw .invalidResponse(
                "The claims of the unsigned JWT cannot be read, its header has crit, or it is not an ID token.", detail: "")
        }
        return claims
    }
}
