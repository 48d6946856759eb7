import Crypto
import JSON
import TestKit
import Testing
import Text
@testable import WebAuthn

/// Each check of the authentication ceremony, by a response in which only that is wrong.
@Suite struct AuthenticationTests {
    @Test(arguments: CredentialAlgorithm.allCases) func `accepts each algorithm`(algorithm: CredentialAlgorithm) throws {
        let verified = try SoftAuthenticator(algorithm, "webauthn.get").signIn()
        #expect(verified == VerifiedAssertion(signCount: 0, isBackedUp: true, userVerified: true, suggestsClone: false))
    }

    typealias Change = RegistrationTests.Change

    static let refusals: [(String, RefusedCheck, Change)] = [
        ("a registration's type", .type, RegistrationTests.clientData("type", "webauthn.create")),
        ("another origin", .origin, RegistrationTests.clientData("origin", "https://example.com.evil")),
        ("a frame", .crossOrigin, RegistrationTests.clientData("crossOrigin", true)),
        ("a credential of another site", .relyingParty, { $0.rpID = "example.org" }),
        ("no presence", .userPresence, { $0.flags = 0x1C }),
        ("no verification", .userVerification, { $0.flags = 0x19 }),
        ("a new credential", .authenticatorData, { $0.flags = 0x5D }),
        ("bytes behind the data", .authenticatorData, { $0.trailing = [0] }),
        ("no user handle", .userHandle, { $0.userHandle = nil }),
        ("an empty user handle", .userHandle, { $0.userHandle = [] }),
        ("the user handle of another account", .userHandle, { $0.userHandle = [UInt8](repeating: 4, count: 24) }),
        ("a short id", .credentialID, { $0.credentialID = [1] }),
    ]

    @Test(arguments: refusals.indices) func `SEC-41 SEC-43 refuses a response in which one thing is wrong`(index: Int) throws {
        let (why, check, change) = Self.refusals[index]
        var authenticator = try SoftAuthenticator(.es256, "webauthn.get")
        let stored = try authenticator.stored()
        try change(&authenticator)
        #expect(throws: CeremonyError.refused(check), "\(why)") { try authenticator.signIn(with: stored) }
    }

    @Test func `SEC-42 judges every combination of flags`() throws {
        for raw in 0..<UInt8.max {
            var authenticator = try SoftAuthenticator(.ed25519, "webauthn.get")
            let stored = try authenticator.stored()
            authenticator.flags = raw
            if raw & 0x80 != 0 { authenticator.trailing = CBORText.emptyMap }
            let isGood = raw & 0x4D == 0x0D
            #expect((try? authenticator.signIn(with: stored)) != nil || !isGood, "\(raw)")
            #expect((try? authenticator.signIn(with: stored)) == nil || isGood, "\(raw)")
        }
    }

    @Test func `accepts an unverified person only where the rules do`() throws {
        var authenticator = try SoftAuthenticator(.es256, "webauthn.get")
        authenticator.flags = 0x19
        #expect(try authenticator.signIn(.test(verification: false)).userVerified == false)
    }

    @Test func `needs no user handle where the account is known, but never takes another one`() throws {
        var authenticator = try SoftAuthenticator(.es256, "webauthn.get")
        authenticator.userHandle = nil
        let claim = try AuthenticationResponse(authenticator.assertion()).claim(by: .test())
        _ = try claim.verified(by: .test(), stored: authenticator.stored(), needsUserHandle: false)
        authenticator.userHandle = [9]
        let other = try AuthenticationResponse(authenticator.assertion()).claim(by: .test())
        #expect(throws: CeremonyError.refused(.userHandle)) {
            try other.verified(by: .test(), stored: authenticator.stored(), needsUserHandle: false)
        }
    }

    @Test func `SEC-44 takes the algorithm from the stored key, and no other key's signature`() throws {
        let authenticator = try SoftAuthenticator(.es256, "webauthn.get")
        for other in CredentialAlgorithm.allCases where other != .es256 {
            let stored = try SoftAuthenticator(other, "webauthn.get").stored()
            #expect(throws: CeremonyError.refused(.signature)) { try authenticator.signIn(with: stored) }
        }
    }

    @Test(
        arguments: [
            (0, 0, false, false), (0, 1, false, false), (5, 6, false, false), (5, 5, false, true), (5, 4, false, true), (5, 0, false, true),
            (5, 5, true, false), (5, 4, true, false), (5, 0, true, false), (0, 0, true, false), (.max, 0, false, true),
            (.max - 1, .max, false, false),
        ] as [(UInt32, UInt32, Bool, Bool)])
    func `SEC-45 suspects a copy when an authenticator without backups counts backwards`(
        stored: UInt32, now: UInt32, isBackupEligible: Bool, suggestsClone: Bool
    ) throws {
        var authenticator = try SoftAuthenticator(.es256, "webauthn.get")
        authenticator.flags = isBackupEligible ? 0x0D : 0x05
        authenticator.signCount = now
        #expect(try authenticator.signIn(with: authenticator.stored(signCount: stored)).suggestsClone == suggestsClone)
    }

    @Test func `names the credential before it knows it, and only for our own challenge`() throws {
        let authenticator = try SoftAuthenticator(.es256, "webauthn.get")
        let response = try AuthenticationResponse(authenticator.assertion())
        #expect(try response.claim(by: .test()).credentialID == authenticator.credentialID)
        #expect(throws: CeremonyError.challenge) { try response.claim(by: .test(challenge: .bytes([]))) }
    }
}
