import Crypto
import JOSE
import JSON
import Runtime
import Text

/// Checks an ID token's claims, besides its signature and its issuer, in the standard's order.
/// <https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation>
struct IDTokenChecks {
    /// The client id, and the ids of the operator's other apps.
    let audiences: Set<String>
    let now: Instant
    let nonce: ExpectedNonce
    /// The access token that came with the ID token; its hash is compared when the ID token contains one.
    let accessToken: UTF8Text?

    enum ExpectedNonce {
        /// For a sign-in that we started: exactly this one.
        case ours(String, NonceRule)
        /// For a sign-in that the app did by itself.
        case posted(UTF8Text?, NonceRule)

        var isOurs: Bool { if case .ours = self { true } else { false } }
    }

    /// How old a token from an app may be.
    static let greatestAge = Duration.seconds(3600)

    func check(_ token: JWT) throws(ProviderError) {
        let claims = token.claims
        try checkAudience(claims)
        try checkTimes(claims)
        guard let subject = claims["sub"]?.string, !subject.isEmpty, subject.utf8.count <= 255,
            subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw refusal("has no proper subject") }
        try checkNonce(claims)
        try checkAccessToken(token)
    }

    private func checkAudience(_ claims: JSON) throws(ProviderError) {
        let named: [UTF8Text]
        switch claims["aud"] {
        case .string(let one): named = [one]
        case .array(let several):
            named = several.compactMap(\.string)
            guard named.count == several.count else { throw refusal("has a malformed audience") }
        default: throw refusal("has no audience")
        }
        guard named.contains(where: isOurs) else {
            throw refusal("was issued for another app", "aud \(UpstreamText.visible(named.first))")
        }
        // A token that an app posts comes from anywhere. One that others are to accept, too, may have been given to them for that, as access
        // tokens are. A token that we asked for comes from the issuer.
        if !nonce.isOurs, let other = named.first(where: { !isOurs($0) }) {
            throw refusal("has an audience that the entry does not name", "aud \(UpstreamText.visible(other))")
        }
        guard let party = claims.present("azp") else {
            if named.count > 1 { throw refusal("has several audiences and does not say whom it was issued to") }
            return
        }
        guard let party = party.string, isOurs(party) else {
            throw refusal("was issued to another app", "azp \(UpstreamText.visible(claims["azp"]?.string))")
        }
        guard named.count == 1 || named.contains(party) else {
            throw refusal("was issued to a party outside its audience")
        }
    }

    private func isOurs(_ audience: UTF8Text) -> Bool { audiences.contains { audience == $0 } }

    private func checkTimes(_ claims: JSON) throws(ProviderError) {
        let times: TokenTimes
        do { times = try TokenTimes(claims, at: now) } catch {
            throw switch error {
            case .malformed("exp"): refusal("has no proper expiry")
            case .malformed("iat"): refusal("has no proper time of issue")
            case .malformed, .notValidYet: refusal("is not valid yet")
            case .expired: refusal("has expired")
            case .issuedInFuture(let seconds): refusal("was issued in the future", "by \(seconds) s")
            }
        }
        guard let issued = times.issued else { throw refusal("has no proper time of issue") }
        if !nonce.isOurs, issued.seconds < (now - Self.greatestAge - TokenTimes.leeway).seconds {
            throw refusal("is too old to sign in with")
        }
    }

    private func checkNonce(_ claims: JSON) throws(ProviderError) {
        let value = claims.present("nonce")
        let claim = value?.string
        guard value == nil || claim != nil else { throw .nonce }
        switch nonce {
        case .ours(let sent, let rule): guard rule.allows(sent: sent, claim: claim) else { throw .nonce }
        case .posted(let raw, let rule): guard rule.allows(posted: raw, claim: claim) else { throw .nonce }
        }
    }

    /// Compares the left half of the hash that the signature uses: <https://openid.net/specs/openid-connect-core-1_0.html#CodeIDToken>
    private func checkAccessToken(_ token: JWT) throws(ProviderError) {
        guard let accessToken, let claim = token.claims.present("at_hash") else { return }
        let bytes = Array(accessToken.utf8)
        let hash = token.header["alg"]?.string == UTF8Text(Algorithm.edDSA.rawValue) ? Digest.sha512(bytes) : Digest.sha256(bytes)
        guard let claim = claim.string, claim == Base64URL.encode(Array(hash.prefix(hash.count / 2))) else {
            throw refusal("belongs to another access token")
        }
    }

    private func refusal(_ reason: String, _ detail: String = "") -> ProviderError {
        .invalidResponse("The ID token \(reason).", detail: detail)
    }
}
