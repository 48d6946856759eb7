import Crypto
import HTTP
import Identity
import JOSE
import JSON
import TestKit
import Testing

@testable import Providers
import Text

/// SEC-77: of all that an issuer signs, only an ID token signs a person in. An API that a person calls has an access token of the same issuer,
/// and must not be able to sign in with it.
@Suite struct TokenPurposeTests {
    /// A way by which ID tokens come in.
    struct Door: Sendable, CustomStringConvertible {
        let description: String
        let key: FakeKey
        let claims: JSON
        let refusal: @Sendable (_ idToken: String) async -> ProviderError?

        /// - Parameter token: one that is accepted.
        init(posting token: String, to provider: ConfiguredProvider, rawNonce: String? = nil, key: FakeKey, _ name: String) throws {
            description = "posted to \(name)"
            self.key = key
            claims = try UnverifiedJWT.parse(token, as: .idToken).claims
            refusal = { await provider.refusal(of: $0, rawNonce: rawNonce) }
        }

        /// The answer of the token endpoint.
        init(at issuer: FakeIssuer) {
            description = "for a code"
            key = issuer.key
            claims = issuer.claims(["nonce": "nonce-1"])
            refusal = { token in
                issuer.redeems(for: token)
                return await failure { () async throws(ProviderError) in _ = try await issuer.provider().redeem(["code": "code-1"]) }
            }
        }

        static func all() throws -> [Door] {
            let (issuer, google, facebook, apple) = (try FakeIssuer(), try FakeGoogle(), try FakeFacebook(), try FakeApple())
            let microsoft = try FakeMicrosoft()
            let limited = "limitedIssuer: https://limited.facebook.com"
            return [
                Door(at: issuer),
                try Door(posting: issuer.token(), to: issuer.provider(), key: issuer.key, "an issuer"),
                try Door(posting: google.token(), to: google.provider(), key: google.issuer.key, "Google"),
                try Door(posting: microsoft.token(), to: microsoft.provider(), key: microsoft.key, "Microsoft"),
                try Door(posting: facebook.token(), to: facebook.provider(), key: facebook.key, "Facebook"),
                try Door(
                    posting: facebook.token(["iss": "https://limited.facebook.com"]), to: facebook.provider(limited),
                    key: facebook.limitedKey, "Limited Login"),
                try Door(
                    posting: apple.token(["nonce": .string(Hex.encode(Digest.sha256(Array("raw".utf8))))]), to: apple.provider(),
                    rawNonce: "raw", key: apple.issuer.key, "Apple"),
            ]
        }
    }

    @Test func `SEC-77 every door takes ID tokens alone`() async throws {
        for door in try Door.all() {
            for sample in TokenSample.all {
                let refusal = await door.refusal(try sample.sign(door.claims, by: door.key))
                let expected = sample.readers.contains(.idToken) ? nil : "The token is not an ID token."
                #expect(refusal?.reason == expected, "\(sample) \(door): \(String(describing: refusal))")
            }
        }
    }

    @Test func `SEC-77 a posted token has no audience that the entry does not name`() async throws {
        let issuer = try FakeIssuer()
        let shared: JSON.Object = ["aud": ["client-1", "api"], "azp": "client-1"]
        #expect(
            await issuer.provider().refusal(of: try issuer.token(shared))?.reason
                == "The ID token has an audience that the entry does not name.")
        #expect(await issuer.provider { $0.allowedAudiences = ["api"] }.refusal(of: try issuer.token(shared)) == nil)
        let nonce: JSON.Object = ["nonce": .string(Hex.encode(Digest.sha256(Array("raw".utf8))))]
        #expect(await issuer.provider().refusal(of: try issuer.token(shared.merging(nonce)), rawNonce: "raw")?.reason != nil)
    }

    @Test func `a token that the issuer itself gave us may have further audiences`() async throws {
        let issuer = try FakeIssuer()
        issuer.redeems(for: try issuer.token(["aud": ["client-1", "project"], "azp": "client-1", "nonce": "nonce-1"]))
        #expect(try await issuer.provider().redeem(["code": "code-1"]).identity.subject == "subject-1")
        issuer.redeems(for: try issuer.token(["aud": ["client-1", "project"], "azp": "project", "nonce": "nonce-1"]))
        #expect(
            await failure { () async throws(ProviderError) in _ = try await issuer.provider().redeem(["code": "code-1"]) }?.reason
                == "The ID token was issued to another app.")
    }

    @Test func `SEC-77 Microsoft's access tokens for an API of the same registration are refused`() async throws {
        let microsoft = try FakeMicrosoft()
        for claims: JSON.Object in [["scp": "access_as_user"], ["azpacr": "1"]] {
            let refusal = await microsoft.provider().refusal(of: try microsoft.token(FakeMicrosoft.contoso, claims))
            #expect(refusal?.reason == "The token is not an ID token.")
        }
    }

    @Test func `SEC-77 access tokens that B2C gives an app for itself are refused`() async throws {
        let issuer = try FakeIssuer()
        let provider = issuer.provider { (issuer: inout OpenIDConnect) in issuer.policy = "b2c_1_in" }
        #expect(await provider.refusal(of: try issuer.token(["tfp": "B2C_1_in"])) == nil)
        #expect(
            await provider.refusal(of: try issuer.token(["tfp": "B2C_1_in", "scp": "read"]))?.reason == "The token is not an ID token.")
    }
}
