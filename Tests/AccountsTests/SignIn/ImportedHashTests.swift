import Postgres
import TestKit
import Testing

@testable import Accounts

/// Accounts whose password hash is one of another system.
@Suite struct ImportedHashTests {
    private static let ada = "ada@example.com"

    private func fixture(storing hash: String) async throws -> Fixture {
        let fixture = try await Fixture.forCodes()
        _ = try await fixture.signUp(Self.ada)
        _ = try await fixture.database.write("UPDATE accounts SET password_hash = \(hash)")
        return fixture
    }

    /// The hash is one of passlib's vectors.
    @Test func `the password signs in, and gets a hash of ours`() async throws {
        let fixture = try await fixture(storing: "$2a$05$c92SVSfjeiCD6F2nAD6y0uBpJDjdRkt0EgeC4/31Rf2LUZbDRDE.O")
        #expect(try await !fixture.signsIn(Self.ada, "U*U*U*U"))
        #expect(try await fixture.signsIn(Self.ada, "U*U*U*U*"))
        let stored: String = try await fixture.database.query("SELECT password_hash FROM accounts")[0].value()
        #expect(stored.hasPrefix("$scrypt$"))
        #expect(try await fixture.signsIn(Self.ada, "U*U*U*U*"))
    }

    @Test func `a hash whose key the project does not have tells nothing about the password`() async throws {
        let fixture = try await fixture(
            storing: "$firebase-scrypt$ln=14,r=8,key=k1$42xEC+ixf3L2lw"
                + "$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ")
        await expectRefusal("hashKeyMissing(\"k1\")") { _ = try await fixture.signIn(Self.ada, password: "user1password") }
    }
}
