/// The reason why a ceremony is refused.
package enum CeremonyError: Error, Equatable {
    /// The authenticator's response is absent.
    case missingResponse
    /// The challenge is not one of ours, is for something else, or has expired.
    case challenge
    case refused(RefusedCheck)
}

/// The check that a response did not pass. Developers see the word; it tells nothing of other people's credentials.
package enum RefusedCheck: String, Sendable, CaseIterable {
    /// A member is absent or of another form.
    case shape
    case clientData, type, origin, crossOrigin
    case attestation
    /// The authenticator data cannot be read.
    case authenticatorData = "authData"
    case relyingParty = "rpId"
    case userPresence, userVerification
    /// The two statements about backups contradict each other, or what was said at the registration.
    case backup
    case attestedData, algorithm
    case credentialID = "credentialId"
    case userHandle, signature
    /// The authenticator has counted backwards, so there may be a copy of it.
    case counter
}
