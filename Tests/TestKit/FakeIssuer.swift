import Crypto
import Curl
import HTTP
import JOSE
package import JSON
package import Runtime
import Text

/// An OpenID Connect issuer on a `FakeUpstream`: discovery, keys, a token endpoint that checks what it must, and userinfo.
package struct FakeIssuer: Sendable {
    package let upstream: FakeUpstream
    package let issuer: String
    /// Without the slash that `issuer` may end with.
    package let base: String
    package var key: FakeKey
    package var clientID = "client-1"
    package var clientSecret = "s3cret & more"
    /// The discovery document of a provider, by its documents; `nil` for that of a plain issuer.
    private let written: JSON.Object?

    /// 2027-01-15T08:00:00Z, the present time in these tests.
    package static let now = Instant(seconds: 1_800_000_000)

    /// Where the issuer sends browsers back to.
    package static let handler = "https://gatehouse.example/__/auth/handler"

    package init(
        _ issuer: String = "https://issuer.example", document: JSON? = nil, on upstream: FakeUpstream = FakeUpstream(), key: FakeKey? = nil
    ) throws {
        self.upstream = upstream
        written = document?.object
        self.issuer = issuer
        base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        self.key = try key ?? .rsa()
        publish()
        publish(keys: [self.key.json])
        upstream.answer(tokenURL, ["error": "invalid_grant"], status: 400)
    }

    package var documentURL: String { base + "/.well-known/openid-configuration" }
    package var keysURL: String { address("jwks_uri", "/keys") }
    package var tokenURL: String { address("token_endpoint", "/token") }
    package var userInfoURL: String { address("userinfo_endpoint", "/userinfo") }

    private func address(_ field: UTF8Text, _ path: String) -> String { written?[field]?.string?.asString ?? base + path }

    package var document: JSON.Object {
        written ?? [
            "issuer": .string(issuer), "authorization_endpoint": .string(base + "/authorize"), "token_endpoint": .string(tokenURL),
            "userinfo_endpoint": .string(userInfoURL), "jwks_uri": .string(keysURL),
            "id_token_signing_alg_values_supported": [.string(key.algorithm.rawValue)], "response_types_supported": ["code"],
        ]
    }

    /// Publishes the discovery document with changes; `null` removes a member.
    package func publish(_ changes: JSON.Object = [:]) {
        var document = document
        for member in changes { document[member.name] = member.value == .null ? .none : member.value }
        upstream.answer(documentURL, .object(document))
    }

    package func publish(keys: [JSON]) { upstream.answer(keysURL, ["keys": .array(keys)]) }

    /// The claims of a valid ID token, with changes; `null` removes a claim.
    package func claims(_ changes: JSON.Object = [:]) -> JSON {
        let now = Self.now.seconds
        var claims: JSON.Object = [
            "iss": .string(issuer), "aud": .string(clientID), "sub": "subject-1", "iat": .integer(now - 5), "exp": .integer(now + 3600),
            "name": "Ada Lovelace", "email": "ada@example.com", "email_verified": true,
        ]
        for member in changes { claims[member.name] = member.value == .null ? .none : member.value }
        return .object(claims)
    }

    package func token(_ changes: JSON.Object = [:]) throws -> String { try key.sign(claims(changes)) }

    /// Publishes a token endpoint that gives `idToken` for one code, once, to the right client with the right verifier.
    package func redeems(
        code: String = "code-1", redirectURI: String = handler, challenge: String? = nil,
        for idToken: String, adding more: JSON.Object = [:]
    ) {
        let spent = Counter()
        upstream.answer(tokenURL) { request in
            let form = Form(request.body ?? []) ?? [:]
            let verifier = Array((form["code_verifier"] ?? "").utf8)
            spent.increment()
            guard form["code"] == UTF8Text(code), form["grant_type"] == "authorization_code", form["redirect_uri"] == UTF8Text(redirectURI),
                spent.value == 1, challenge == nil || Base64URL.encode(Digest.sha256(verifier)) == challenge
            else { return OutboundResponse(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8)) }
            var answer: JSON.Object = [
                "access_token": "access-1", "id_token": .string(idToken), "refresh_token": "refresh-1", "token_type": "Bearer",
                "expires_in": 3599,
            ]
            for member in more { answer[member.name] = member.value == .null ? .none : member.value }
            return OutboundResponse(body: JSON.object(answer).bytes())
        }
    }
}
