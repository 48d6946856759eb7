import Identity
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct YahooTests {
    private let data: ProviderData
    private let issuer: FakeIssuer

    init() throws {
        let url = "https://api.login.yahoo.com"
        data = try ProviderData("yahoo.com")
        issuer = try FakeIssuer(url, document: try data.answer("discovery", ["base": .string(url)]))
    }

    private func claims(_ changes: JSON.Object = [:]) throws -> JSON {
        let person = try data.answer("person", ["sub": "EXAMPLEGUIDOFADA", "email": "ada@yahoo.com", "name": "Ada"])
        return issuer.claims((person.object ?? [:]).merging(changes))
    }

    private func provider(_ keys: String = "") throws -> ConfiguredProvider {
        let (settings, faults) = try read("yahoo.com", "clientId: client-1\nclientSecret: {env: SECRET}\n\(keys)")
        #expect(faults == [])
        return ConfiguredProvider(
            try #require(settings), upstream: issuer.upstream, cache: MetadataCache(earlier: { .zero }), clock: fixedClock)
    }

    private func identity(_ changes: JSON.Object, _ keys: String = "", signedBy key: FakeKey? = nil) async throws -> ProviderIdentity {
        let token = try (key ?? issuer.key).sign(try claims(changes))
        return try await provider(keys).verify(Credential(idToken: token)).identity
    }

    @Test func `keys of both kinds sign, some of them with short names, and each in its own way`() async throws {
        let (rsa, ec) = (try FakeKey.rsa("0"), try FakeKey.ec("4"))
        issuer.publish(keys: [ec.json, rsa.json])
        for key in [rsa, ec] { #expect(try await identity(["nickname": "ada"], signedBy: key).screenName == "ada") }
        for key in [try FakeKey.ec("0"), try FakeKey.otherRSA("0"), try FakeKey.rsa("4"), try FakeKey.ec("4")] {
            let provider = try provider()
            let token = try key.sign(try claims())
            #expect(await provider.refusal(of: token)?.reason != nil)
        }
    }

    @Test(
        arguments: [
            ("ada@yahoo.com", true, true), ("ada@Yahoo.COM", "true", true), ("ada@yahoo.com", false, false), ("ada@yahoo.com", 1, false),
            ("ada@ymail.com", true, false), ("ada@yahoo.com.evil.example", true, false), ("ada@x@yahoo.com", true, false),
        ] as [(String, JSON, Bool)])
    func `its word is proof for its own mailboxes`(_ email: String, _ verified: JSON, _ isProof: Bool) async throws {
        #expect(try await identity(["email": .string(email), "email_verified": verified]).emailAuthoritative == isProof)
    }

    @Test func `the operator names its other domains, and an entry of two lines is enough`() async throws {
        #expect(try await identity(["email": "ada@ymail.com"], "authoritativeDomains: [ymail.com]").emailAuthoritative)
        #expect(try await identity(["email": "ada@yahoo.com"], "authoritativeDomains: [ymail.com]").emailAuthoritative)
        let settings = try provider().settings
        #expect(settings.name == "Yahoo" && settings.usesPKCE && !settings.hasOwnCallback && settings.nonceRule == .sha256)
    }
}
