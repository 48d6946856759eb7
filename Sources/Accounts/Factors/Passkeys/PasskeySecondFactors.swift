package import JSON
import Postgres
package import ProjectSettings
import Runtime
import Text
package import WebAuthn

/// Passkeys as an alternative answer to the question for a second factor, for accounts that have factors. They are never the reason to ask.
package struct PasskeySecondFactors: Sendable {
    let clock: Clock
    let challenges: PasskeyChallenges
    let credentials: PasskeyCredentials
    let registrations: PasskeyRegistrations
    let signIns: SecondFactorSignIns

    /// The options with which the browser asks for one of the account's passkeys. Nothing is stored.
    ///
    /// Throws `passkeysNotEnabled`, `secondFactor(.pendingUnknown)`, `accountDisabled`, and `noSuchPasskey` for an account without one, and
    /// where a passkey was the first proof.
    package func start(_ credential: PendingCredential, in project: ProjectSettings) async throws(AccountError) -> RequestOptions {
        let passkeys = try project.enabledPasskeys
        let waiting = try await signIns.pending.find(credential, in: project)
        guard !waiting.isByPasskey else { throw .noSuchPasskey }
        let allowed = try await registrations.list(of: waiting.account, in: project)
        guard !allowed.isEmpty else { throw .noSuchPasskey }
        let challenge = challenges.make(.secondFactor, for: .secondFactor(pending: credential.hash), of: passkeys, in: project)
        return RequestOptions(
            rpID: passkeys.rpID, challenge: challenge.bytes,
            allowed: allowed.map { CredentialDescriptor(id: $0.credentialID, transports: $0.transports) }, requiresUserVerification: false)
    }

    /// Ends a pending sign-in with one of its account's passkeys.
    ///
    /// Throws `passkeysNotEnabled`, `secondFactor(.pendingUnknown)`, `accountDisabled`, `passkeyResponseMissing`, `passkeyChallengeRefused`,
    /// `passkeyRefused`, `noSuchPasskey` and `tooManyAttempts`.
    /// - Parameter language: that of a mail about it.
    package func signIn(
        _ credential: PendingCredential, _ response: JSON?, language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        _ = try project.enabledPasskeys
        do {
            return try await signIns.signIn(credential, language: language, in: project, from: client) { waiting throws(AccountError) in
                try await judge(response, of: waiting, language: language, in: project, from: client)
            }
        } catch { throw error.ofSpentToken(.passkeyChallengeRefused) }
    }

    private func judge(
        _ response: JSON?, of waiting: PendingSignIns.Waiting, language: String, in project: ProjectSettings,
        from client: Session.ClientInfo
    ) async throws(AccountError) -> PassedSecondFactor {
        let passkeys = try project.enabledPasskeys
        guard !waiting.isByPasskey else { throw .noSuchPasskey }
        let purpose = PasskeyChallenges.Purpose.secondFactor(pending: waiting.credential.hash)
        let claim = try checking { () throws(CeremonyError) in
            try AuthenticationResponse(response).claim(by: challenges.rules(for: purpose, of: passkeys, in: project))
        }
        let rows = try await credentials.storage.read(PasskeyCredentials.select(claim.credentialID, in: project))
        guard let credential = try PasskeyCredential(rows: rows), credential.account.id.isExactly(waiting.account.id) else {
            throw .noSuchPasskey
        }
        let rules = challenges.rules(for: purpose, rpID: credential.rpID, of: passkeys, in: project)
        let verified = try checking { () throws(CeremonyError) in
            try claim.verified(by: rules, stored: credential.stored(), needsUserHandle: false)
        }
        guard !verified.suggestsClone else {
            throw try await credentials.suspectCopy(of: credential, language: language, in: project, from: client)
        }
        let spending = claim.challenge.map { [$0.spend(in: project)] } ?? []
        return PassedSecondFactor(credential.proof, spending: spending + [credential.use(verified, in: project, at: clock.now())])
    }
}

extension PendingSignIns.Waiting {
    /// Whether a passkey was the first proof. It cannot be the second one, too: the same one could answer twice.
    package var isByPasskey: Bool { signInProvider == SignInProvider.passkey }
}
