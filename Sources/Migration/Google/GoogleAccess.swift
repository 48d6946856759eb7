import Crypto
import Curl
import HTTP
import JOSE
import JSON
import ProjectSettings
import Runtime
import Synchronization
import Text

/// The access tokens of Google service accounts, which their keys sign for; kept until shortly before their end, for all loops.
/// <https://developers.google.com/identity/protocols/oauth2/service-account#httprest>
package final class GoogleAccess: Sendable {
    private struct Token {
        let text: Secret
        let expires: Instant
    }

    /// By the key that signed for it: what a file says of its id is no proof of the key.
    private let tokens = Mutex<[[UInt8]: Token]>([:])

    package init() {}

    /// The most time that a service account may ask for, which is also what it gets.
    private static let lifetime: Duration = .seconds(3600)
    /// How long before its end a token is not used any more.
    private static let margin: Duration = .seconds(60)
    private static let scope = "https://www.googleapis.com/auth/cloud-platform"

    /// An access token of the account.
    func token(of account: GoogleServiceAccount, _ upstream: any Upstream, at now: Instant) async throws(GoogleFailure) -> Secret {
        let key = Self.key(account)
        if let known = tokens.withLock({ $0[key] }), now < known.expires - Self.margin { return known.text }
        var request = OutboundRequest(
            .post, GoogleAddress.accessTokens,
            headers: ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"])
        let form: Form = [
            "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": UTF8Text(try assertion(of: account, at: now)),
        ]
        request.body = Array(form.encoded().utf8)
        request.timeout = .seconds(5)
        let json = try await GoogleAnswer.json(of: request, "token endpoint", by: upstream)
        guard let text = json["access_token"]?.string else { throw .unavailable("Google's token endpoint gave no access token") }
        let lifetime = json["expires_in"]?.integer.map { Duration.seconds(min(max($0, 0), Self.lifetime.wholeSeconds)) } ?? .zero
        let token = Token(text: Secret(text.asString), expires: now + lifetime)
        tokens.withLock { $0[key] = token }
        return token.text
    }

    /// Forgets the account's token, which Google does not take any more.
    func forget(tokenOf account: GoogleServiceAccount) { tokens.withLock { $0[Self.key(account)] = nil } }

    private static func key(_ account: GoogleServiceAccount) -> [UInt8] {
        Digest.sha256(Array("\(account.email)\0\(account.keyID)\0\(account.privateKey.reveal())".utf8))
    }

    private func assertion(of account: GoogleServiceAccount, at now: Instant) throws(GoogleFailure) -> String {
        let claims: JSON = [
            "iss": .string(account.email), "scope": .string(Self.scope), "aud": .string(GoogleAddress.accessTokens),
            "iat": .integer(now.seconds), "exp": .integer((now + Self.lifetime).seconds),
        ]
        do {
            let key = try PrivateKey(pem: account.privateKey.reveal())
            return try Signer(key: key, kid: account.keyID, algorithm: .rs256).sign(claims: claims.bytes())
        } catch {
            throw .misconfigured("the key of \(account.email) does not sign: \(error)")
        }
    }
}
