import HTTP
import JSON
import TestKit
import Testing

@testable import Providers
import Text

@Suite struct NonceTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    /// The first test vector of FIPS 180-4.
    static let raw = "abc"
    static let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    /// The rules of a provider that has nonces.
    static let rules = NonceRule.allCases.filter { $0 != .unsupported }

    private func refusal(posted raw: String?, claim: JSON, _ rule: NonceRule) async throws -> ProviderError? {
        await issuer.provider { $0.nonceRule = rule }.refusal(of: try issuer.token(["nonce": claim]), rawNonce: raw)
    }

    @Test(arguments: NonceTests.rules)
    func `the hash of the posted nonce is taken`(_ rule: NonceRule) async throws {
        #expect(try await refusal(posted: Self.raw, claim: .string(Self.hash), rule) == nil)
    }

    @Test(
        arguments: [
            "abd", .string(hash.uppercased()), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", "", .null, 1, [.string(hash)],
            .string(NonceRule.hash(UTF8Text(hash))), .string(hash + " "), .string(String(hash.dropLast())),
        ] as [JSON])
    func `any other nonce is refused`(_ claim: JSON) async throws {
        for rule in Self.rules { #expect(try await refusal(posted: Self.raw, claim: claim, rule) == .nonce) }
    }

    @Test func `the raw nonce is taken only where the entry says so`() async throws {
        #expect(try await refusal(posted: Self.raw, claim: .string(Self.raw), .sha256) == .nonce)
        #expect(try await refusal(posted: Self.raw, claim: .string(Self.raw), .required) == .nonce)
        #expect(try await refusal(posted: Self.raw, claim: .string(Self.raw), .rawOrSha256) == nil)
    }

    @Test func `a nonce on one side only is refused, none is fine unless required`() async throws {
        #expect(try await refusal(posted: nil, claim: .string(Self.hash), .sha256) == .nonce)
        #expect(try await refusal(posted: Self.raw, claim: .null, .sha256) == .nonce)
        #expect(try await refusal(posted: nil, claim: .null, .sha256) == nil)
        #expect(try await refusal(posted: "", claim: .null, .sha256) == nil)
        #expect(try await refusal(posted: nil, claim: .null, .required) == .nonce)
        #expect(try await refusal(posted: nil, claim: .string(Self.hash), .ifPosted) == nil)
        #expect(try await refusal(posted: Self.raw, claim: .null, .ifPosted) == .nonce)
        #expect(try await refusal(posted: nil, claim: 1, .ifPosted) == .nonce)
    }

    @Test(arguments: [.null, "", "nonce-2", "NONCE-1", .string(NonceRule.hash("nonce-1")), 1] as [JSON])
    func `our own sign-in takes its own nonce only, unhashed`(_ claim: JSON) async throws {
        issuer.redeems(for: try issuer.token(["nonce": claim]))
        #expect(await failure { () async throws(ProviderError) in _ = try await issuer.provider().redeem(["code": "code-1"]) } == .nonce)
    }

    @Test func `an empty nonce of ours proves nothing`() async throws {
        issuer.redeems(for: try issuer.token(["nonce": ""]))
        let error = await failure { () async throws(ProviderError) in _ = try await issuer.provider().redeem(["code": "code-1"], nonce: "")
        }
        #expect(error == .nonce)
    }
}
