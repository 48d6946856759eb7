import HTTP
import JSON
import Runtime
import TestKit
import Testing
import Text

@testable import Providers

/// `auth_time`: when the person proved themselves to the provider, where a sign-in must be a fresh one.
@Suite struct AuthenticationTimeTests {
    let issuer: FakeIssuer

    init() throws { issuer = try FakeIssuer() }

    private func time(_ claim: JSON?) async throws -> Instant? {
        var claims: JSON.Object = ["nonce": "nonce-1"]
        claims["auth_time"] = claim
        issuer.redeems(for: try issuer.token(claims))
        let result = try await issuer.provider().redeem(["code": "code-1"])
        return try result.authenticationTime(at: FakeIssuer.now)
    }

    @Test func `it is the time of the ID token, and not later than now`() async throws {
        let now = FakeIssuer.now.seconds
        #expect(try await time(.integer(now - 3600)) == Instant(seconds: now - 3600))
        #expect(try await time(.integer(now)) == Instant(seconds: now))
        // The clocks may differ by a minute.
        #expect(try await time(.integer(now + 59)) == FakeIssuer.now)
        #expect(try await time(.number(Double(now - 3600) + 0.5)) == Instant(seconds: now - 3600))
    }

    @Test func `it may be absent`() async throws {
        #expect(try await time(nil) == nil)
        #expect(try await time(.null) == nil)
    }

    @Test func `it is refused where it is malformed or in the future`() async throws {
        let now = FakeIssuer.now.seconds
        for claim in [
            .string("1700000000"), .bool(true), [.integer(now)], .integer(0), .integer(-5), .integer(.min), .integer(.max),
            .integer(now + 62), .number(1e300),
        ] as [JSON] {
            await #expect(throws: ProviderError.self, "\(claim)") { try await time(claim) }
        }
    }

    @Test func `an issuer of the operator's choice is asked by both parameters`() {
        #expect(issuer.settings(id: "oidc.staff").freshSignIn == ["prompt": "login", "max_age": "300"])
        #expect(issuer.settings(id: "google.com").freshSignIn == ["prompt": "login"])
    }
}
