import Crypto
package import JSON
import Text

/// A browser's answer to `RequestOptions`. <https://w3c.github.io/webauthn/#dictdef-authenticationresponsejson>
package struct AuthenticationResponse: Sendable {
    package let credentialID: [UInt8]
    let clientData: [UInt8]
    let authenticatorData: [UInt8]
    let signature: [UInt8]
    let userHandle: [UInt8]?

    /// Throws `missingResponse` and `shape`.
    package init(_ json: JSON?) throws(CeremonyError) {
        let (id, members) = try ResponseMembers.read(json)
        credentialID = id
        clientData = try members.bytes("clientDataJSON")
        authenticatorData = try members.bytes("authenticatorData")
        signature = try members.bytes("signature")
        userHandle = try members.optional("userHandle")
    }
}

/// An assertion of which only the challenge is checked: it names the credential to look up.
package struct AssertionClaim: Sendable {
    /// Between 16 and 1023 bytes.
    package let credentialID: [UInt8]
    /// The challenge, which must be noted as spent; `nil` when the rules named the bytes.
    package let challenge: Challenge?
    fileprivate let response: AuthenticationResponse
    fileprivate let client: ClientData
}

/// A credential as the caller has stored it.
package struct StoredCredential: Sendable {
    package let key: CredentialKey
    package let signCount: UInt32
    package let isBackupEligible: Bool
    /// The user handle of the credential's account.
    package let userHandle: [UInt8]

    package init(key: CredentialKey, signCount: UInt32, isBackupEligible: Bool, userHandle: [UInt8]) {
        self.key = key
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
        self.userHandle = userHandle
    }
}

/// The result of an assertion whose checks all passed but, perhaps, the one of its counter.
package struct VerifiedAssertion: Sendable, Equatable {
    package let signCount: UInt32
    package let isBackedUp: Bool
    package let userVerified: Bool
    /// Whether the authenticator has counted backwards, though its credential cannot be copied: a second authenticator may have its key. The
    /// caller refuses the sign-in then, and flags the credential.
    package let suggestsClone: Bool
}

extension AuthenticationResponse {
    /// Checks the client data and the challenge, before anything is looked up.
    package func claim(by rules: CeremonyRules) throws(CeremonyError) -> AssertionClaim {
        let client = try ClientData(clientData)
        let challenge = try rules.check(client, isOf: "webauthn.get")
        guard WebAuthn.Limits.credentialID.contains(credentialID.count) else { throw .refused(.credentialID) }
        return AssertionClaim(credentialID: credentialID, challenge: challenge, response: self, client: client)
    }
}

extension AssertionClaim {
    /// Runs the rest of the authentication ceremony. <https://w3c.github.io/webauthn/#sctn-verifying-assertion>
    ///
    /// - Parameters:
    ///   - rules: those of the claim. Their RP ID is the one that is stored with the credential.
    ///   - stored: the credential with the claim's id.
    ///   - needsUserHandle: false where the account is known already, as for a second factor.
    package func verified(
        by rules: CeremonyRules, stored: StoredCredential, needsUserHandle: Bool = true
    ) throws(CeremonyError) -> VerifiedAssertion {
        guard response.userHandle.map({ $0 == stored.userHandle }) ?? !needsUserHandle else { throw .refused(.userHandle) }
        try rules.checkOrigin(of: client)
        guard let data = AuthenticatorData(response.authenticatorData), data.attested == nil else { throw .refused(.authenticatorData) }
        try rules.check(data)
        guard data.flags.contains(.backupEligible) == stored.isBackupEligible else { throw .refused(.backup) }
        guard stored.key.verify(response.signature, of: response.authenticatorData + client.hash) else { throw .refused(.signature) }
        let countsBack = data.signCount <= stored.signCount && (data.signCount, stored.signCount) != (0, 0)
        return VerifiedAssertion(
            signCount: data.signCount, isBackedUp: data.flags.contains(.backedUp), userVerified: data.flags.contains(.userVerified),
            suggestsClone: countsBack && !stored.isBackupEligible)
    }
}
