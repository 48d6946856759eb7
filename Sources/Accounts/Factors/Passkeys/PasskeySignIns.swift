package import JSON
import Postgres
package import ProjectSettings
import Runtime
package import WebAuthn

/// Signs people in by passkeys alone. The person chooses the account in the browser; no call says which accounts there are.
package struct PasskeySignIns: Sendable {
    let clock: Clock
    let limits: RateLimits
    let challenges: PasskeyChallenges
    let credentials: PasskeyCredentials
    let completion: SignInCompletion

    /// The options with which a browser asks for any passkey of the project. Nothing is stored (SEC-46).
    ///
    /// Throws `passkeysNotEnabled` and what `RateLimits.charge` throws.
    /// - Parameter flow: the sign-in flow of a page, to which the answer is bound; empty without one.
    package func start(
        flow: [UInt8] = [], in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> RequestOptions {
        let passkeys = try project.enabledPasskeys
        try await limits.charge(.startPasskey, in: project, from: client)
        return RequestOptions(
            rpID: passkeys.rpID, challenge: challenges.make(.signIn, for: .signIn, flow: flow, of: passkeys, in: project).bytes)
    }

    /// Signs in the account of the passkey that the browser has used.
    ///
    /// Throws `passkeysNotEnabled`, `passkeyResponseMissing`, `passkeyChallengeRefused`, `passkeyRefused`, `noSuchPasskey`, `accountDisabled`
    /// and what `RateLimits.charge` throws.
    /// - Parameter flow: as at the start.
    package func finalize(
        _ response: JSON?, flow: [UInt8] = [], language: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let passkeys = try project.enabledPasskeys
        var account: Account?
        return try await completion.tellingRefusals(by: SignInProvider.passkey, to: account, in: project, from: client) {
            () async throws(AccountError) in
            let claim = try checking { () throws(CeremonyError) in
                try AuthenticationResponse(response).claim(by: challenges.rules(for: .signIn, flow: flow, of: passkeys, in: project))
            }
            return try await retryingConflicts { () async throws(AccountError) in
                let found = try await limits.charge(
                    Attempt(.passkey, from: client, in: project), then: PasskeyCredentials.select(claim.credentialID, in: project))
                guard let credential = try PasskeyCredential(rows: found) else { throw .noSuchPasskey }
                account = credential.account
                let rules = challenges.rules(for: .signIn, flow: flow, rpID: credential.rpID, of: passkeys, in: project)
                let verified = try checking { () throws(CeremonyError) in try claim.verified(by: rules, stored: credential.stored()) }
                guard !credential.account.disabled else { throw .accountDisabled }
                guard !verified.suggestsClone else {
                    throw try await credentials.suspectCopy(of: credential, language: language, in: project, from: client)
                }
                return try await signIn(
                    credential, verified, claim, counts: passkeys.countAsSecondFactor, in: project, from: client)
            }
        }
    }

    private func signIn(
        _ credential: PasskeyCredential, _ verified: VerifiedAssertion, _ claim: AssertionClaim, counts: Bool,
        in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (Account, SignInOutcome) {
        let now = clock.now()
        var account = credential.account
        account.lastLoginAt = now
        var statements = [account.recordSignIn(in: project)]
        if let challenge = claim.challenge { statements.append(challenge.spend(in: project)) }
        statements.append(credential.use(verified, in: project, at: now))
        let authentication = Authentication(
            account: account, signInProvider: SignInProvider.passkey, time: now,
            secondFactor: verified.userVerified && counts ? credential.proof : nil)
        do {
            let done = try await completion.complete(
                authentication, with: statements, as: .signedIn, sharesCommit: true, in: project, from: client, at: now)
            return (done.account, done.outcome)
        } catch { throw error.ofSpentToken(.passkeyChallengeRefused) }
    }
}
