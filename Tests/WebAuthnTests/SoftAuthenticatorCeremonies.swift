import TestKit
import WebAuthn

extension SoftAuthenticator {
    /// The credential as the relying party has stored it.
    func stored(signCount: UInt32 = 0) throws -> StoredCredential {
        StoredCredential(
            key: try CredentialKey(cose: publicKey), signCount: signCount, isBackupEligible: flags & 8 != 0,
            userHandle: [UInt8](repeating: 3, count: 24))
    }

    /// Runs the registration ceremony on its response.
    func register(_ rules: CeremonyRules = .test()) throws -> NewCredential {
        try RegistrationResponse(registration()).verified(by: rules)
    }

    /// Runs the authentication ceremony on its response.
    func signIn(_ rules: CeremonyRules = .test(), with stored: StoredCredential? = nil) throws -> VerifiedAssertion {
        let claim = try AuthenticationResponse(assertion()).claim(by: rules)
        return try claim.verified(by: rules, stored: stored ?? self.stored())
    }
}

extension CeremonyRules {
    static func test(
        rpID: String = SoftAuthenticator.rpID, origin: String = SoftAuthenticator.origin, verification: Bool = true,
        framing: Framing = .refused, challenge: ExpectedChallenge = .bytes(SoftAuthenticator.challenge)
    ) -> CeremonyRules {
        CeremonyRules(rpID: rpID, origins: [origin], requiresUserVerification: verification, framing: framing, challenge: challenge)
    }
}
