import Crypto
import Curl
import HTTP
import Identity
import JOSE
import JSON
import Runtime
import TestKit
import Testing

@testable import Providers
import Text

/// Apple: its keys, a token endpoint that takes codes of one client, and revocation.
struct FakeApple {
    static let team = "A1B2C3D4E5"
    static let tokenURL = "https://appleid.apple.com/auth/token"
    static let revokeURL = "https://appleid.apple.com/auth/revoke"
    static let subject: JSON = "001234.f00dcafe.1234"

    let data: ProviderData
    let issuer: FakeIssuer
    /// The key of the developer team.
    let key: PrivateKey

    init() throws {
        data = try ProviderData("apple.com")
        issuer = try FakeIssuer("https://appleid.apple.com")
        key = try .generate(.p256)
        issuer.upstream.answer("https://appleid.apple.com/auth/keys", ["keys": [issuer.key.json]])
        // What Apple says of itself does not count.
        issuer.publish(["issuer": "https://elsewhere.example", "token_endpoint": "https://elsewhere.example/token"])
    }

    var upstream: FakeUpstream { issuer.upstream }

    static let entry = "clientId: client-1\nteamId: \(team)\nkeyId: K1K2K3K4K5\nprivateKey: {env: KEY}"

    func provider(_ keys: String = "bundleIds: [com.example.app, com.example.other]") throws -> ConfiguredProvider {
        let (settings, faults) = try read("apple.com", "\(Self.entry)\n\(keys)", environment: ["KEY": key.pem])
        #expect(faults == [])
        return ConfiguredProvider(try #require(settings), upstream: upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    func token(_ changes: JSON.Object = [:]) throws -> String {
        let person = try data.answer("person", ["sub": Self.subject, "email": "ada@example.com"]).object ?? [:]
        let claims = person.merging(try data.answer("claims").object ?? [:]).merging(["nonce": "nonce-1", "name": .null])
        return try issuer.token(claims.merging(changes))
    }

    /// Lets the token endpoint give `idToken` for a code of this client.
    func redeems(of client: String = "client-1", for idToken: String? = nil, adding more: JSON.Object = [:]) throws {
        let tokens: JSON.Object = [
            "access_token": "access-1", "refresh_token": "refresh-1", "id_token": .string(try idToken ?? token()),
        ]
        var answer = try data.answer("token", tokens).object ?? [:]
        for member in more { answer[member.name] = member.value == .null ? .none : member.value }
        let (body, refusal) = (JSON.object(answer).bytes(), try data.error("invalid_grant"))
        upstream.answer(Self.tokenURL) { request in
            guard Form(request.body ?? [])?["client_id"] == UTF8Text(client) else {
                return OutboundResponse(status: refusal.status, body: refusal.body.bytes())
            }
            return OutboundResponse(body: body)
        }
    }

    /// The form of the last request.
    var form: Form { upstream.requests.last.flatMap { Form($0.body ?? []) } ?? [:] }

    /// Checks the client secret in a form.
    func check(secretIn form: Form, of client: String) throws {
        let parts = try #require(form["client_secret"]).split { $0 == UInt8(ascii: ".") }.map(\.asString)
        try #require(parts.count == 3)
        let signature = try #require(Base64URL.decodeStrict(parts[2]))
        #expect(signature.count == 64, "r and s, and not DER")
        #expect(key.publicKey.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8), .es256))
        let header = try JSON.parse(try #require(Base64URL.decodeStrict(parts[0])))
        #expect(header["alg"] == "ES256" && header["kid"] == "K1K2K3K4K5")
        let now = FakeIssuer.now.seconds
        #expect(
            try JSON.parse(try #require(Base64URL.decodeStrict(parts[1]))) == [
                "iss": .string(Self.team), "iat": .integer(now), "exp": .integer(now + 300), "aud": "https://appleid.apple.com",
                "sub": .string(client),
            ])
        #expect(form["client_id"] == UTF8Text(client))
    }

    /// The error for a credential; `nil` when it is accepted.
    func refusal(of credential: Credential, _ keys: String = "bundleIds: [com.example.app]") async throws -> ProviderError? {
        let provider = try provider(keys)
        return await failure { () async throws(ProviderError) in _ = try await provider.verify(credential) }
    }

    /// The identity of an ID token that an app posts with its nonce.
    func identity(_ changes: JSON.Object = [:], user: UTF8Text? = nil) async throws -> ProviderIdentity {
        var claims: JSON.Object = ["nonce": .string(NonceRule.hash("raw"))]
        for member in changes { claims[member.name] = member.value }
        return try await provider().verify(Credential(idToken: UTF8Text(try token(claims)), rawNonce: "raw", user: user)).identity
    }
}
