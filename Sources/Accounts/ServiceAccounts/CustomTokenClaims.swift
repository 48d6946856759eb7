import Crypto
import JOSE
import JSON
import ProjectSettings
import Runtime
import Text

/// The rules for the claims of a custom token, whether it is signed or not.
struct CustomTokenClaims: Sendable {
    private let json: JSON

    init(_ json: JSON) { self.json = json }

    /// The service account that the token claims to come from. Throws when the token is for another purpose.
    func issuer() throws(CustomTokenError) -> UTF8Text {
        guard json["aud"]?.string == UTF8Text(CustomToken.audience) else { throw .invalid("Invalid audience.") }
        guard let issuer = json["iss"]?.string, !issuer.isEmpty, json["sub"]?.string == issuer else {
            throw .invalid("iss and sub must both be the service account's e-mail.")
        }
        // It becomes part of a query, which cannot contain U+0000.
        guard !issuer.hasNUL else { throw .invalid("iss holds a control character.") }
        return issuer
    }

    /// The times at which the token was issued and ends. Throws when the token is not valid now.
    func times(at now: Instant) throws(CustomTokenError) -> AssertionTimes {
        do { return try AssertionTimes(json, at: now) } catch { throw .invalid(error.text) }
    }

    /// The token with these claims. Throws when they do not say who signs in, or say something that they may not.
    ///
    /// - Parameter signedBytes: header and payload as they were sent, which name the token.
    func token(_ times: AssertionTimes, signedBytes: [UInt8]) throws(CustomTokenError) -> CustomToken {
        return CustomToken(
            uid: try uid(), tenantID: try tenantID(), developerClaims: try developerClaims(), issued: times.issued,
            expires: times.expires + TokenTimes.leeway,
            digest: Array(Digest.sha256(signedBytes).prefix(16)))
    }

    private func tenantID() throws(CustomTokenError) -> UTF8Text? {
        guard let claim = json["tenant_id"], !claim.isNull, claim != "" else { return nil }
        guard let id = claim.string else { throw .tenant }
        return id
    }

    private func uid() throws(CustomTokenError) -> String {
        let named = [json["uid"], json["user_id"]].compactMap { $0 }
        guard let claim = named.first(where: { !$0.isNull }), claim != "" else { throw .missingUID }
        guard let uid = claim.string, AccountID.isPossible(uid) else {
            throw .invalid("uid must be a string of at most \(AccountID.longest) characters.")
        }
        return uid.asString
    }

    private func developerClaims() throws(CustomTokenError) -> String? {
        guard let claims = json["claims"], !claims.isNull else { return nil }
        guard let object = claims.object else { throw .invalidClaims }
        if let reserved = object.first(where: { ProjectSettings.CustomTokens.reservedClaims.contains($0.name) }) {
            throw .forbiddenClaim(reserved.name)
        }
        let text = claims.text()
        guard text.unicodeScalars.count <= CustomToken.longestClaims else { throw .claimsTooLarge }
        return object.isEmpty ? nil : text
    }
}
