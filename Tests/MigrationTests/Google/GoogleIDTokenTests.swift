import Accounts
import JSON
import Runtime
import TestKit
import Testing
import Text

@testable import Migration

/// What the claims of a token of Google's must say.
@Suite struct GoogleIDTokenTests {
    private static let now = FakeIssuer.now.seconds

    @Test func `reads whose token it is, and when its person authenticated`() throws {
        let token = try GoogleIDToken(
            FirebaseFixture.claims(["role": "editor", "firebase": ["sign_in_provider": "google.com"]]), of: FirebaseFixture.migration(),
            at: FakeIssuer.now)
        #expect(token.idToken.accountID == "ada" && token.idToken.signInProvider == "google.com")
        #expect(token.idToken.authTime.seconds == Self.now - 86_400 && token.idToken.issued.seconds == Self.now - 60)
        #expect(token.idToken.expires.seconds == Self.now + 3540)
        #expect(token.customClaims == ["role": "editor"] && token.secondFactor == nil)
    }

    @Test func `keeps the second factor that the person has passed`() throws {
        let firebase: JSON = ["sign_in_provider": "password", "sign_in_second_factor": "phone", "second_factor_identifier": "factor-1"]
        let token = try GoogleIDToken(
            FirebaseFixture.claims(["firebase": firebase]), of: FirebaseFixture.migration(), at: FakeIssuer.now)
        #expect(token.secondFactor == SecondFactorProof(kind: "phone", id: "factor-1"))
    }

    @Test(
        arguments: [
            (["iss": "https://securetoken.google.com/acme-test"], .otherProject), (["iss": .null], .otherProject),
            (["iss": "https://securetoken.google.com/acme-prod/"], .otherProject),
            (["iss": "https://session.firebase.google.com/acme-prod"], .otherProject),
            (["aud": "acme-test"], .otherProject), (["aud": ["acme-prod"]], .otherProject), (["aud": .null], .otherProject),
            (["sub": .null], .claim("sub")), (["sub": ""], .claim("sub")), (["sub": "a\u{0}b"], .claim("sub")), (["sub": 7], .claim("sub")),
            (["sub": .string(String(repeating: "a", count: 129))], .claim("sub")), (["user_id": "eve"], .claim("user_id")),
            (["iat": .integer(now + 61)], .future), (["auth_time": .integer(now + 61)], .future),
            (["auth_time": .null], .claim("auth_time")),
            (["iat": "now"], .claim("iat")), (["exp": .null], .claim("exp")), (["exp": .integer(.max)], .claim("exp")),
            (["auth_time": -1], .claim("auth_time")), (["firebase": .null], .claim("firebase")), (["firebase": [:]], .claim("firebase")),
            (["firebase": ["sign_in_provider": "a\u{0}"]], .claim("firebase")),
            (["firebase": ["sign_in_provider": "password", "tenant": "customers"]], .tenant),
            (["firebase": ["sign_in_provider": "password", "tenant": ""]], .tenant),
        ] as [(JSON.Object, GoogleIDToken.Fault)])
    func `SEC-52 refuses a token of another project, tenant or time`(changes: JSON.Object, fault: GoogleIDToken.Fault) throws {
        let migration = try FirebaseFixture.migration()
        #expect(throws: fault) { try GoogleIDToken(FirebaseFixture.claims(changes), of: migration, at: FakeIssuer.now) }
    }

    @Test func `takes a clock that is a minute ahead, and leaves the end to the call`() throws {
        let changes: JSON.Object = [
            "iat": .integer(Self.now + 60), "auth_time": .integer(Self.now + 60), "exp": .integer(Self.now - 3600),
        ]
        _ = try GoogleIDToken(FirebaseFixture.claims(changes), of: FirebaseFixture.migration(), at: FakeIssuer.now)
    }
}
