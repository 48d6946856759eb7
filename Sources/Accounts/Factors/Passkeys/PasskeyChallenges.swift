import Crypto
import Postgres
import ProjectSettings
import Runtime
import WebAuthn

/// The challenges of a project's passkeys, and the rules of the ceremonies that answer them.
struct PasskeyChallenges: Sendable {
    /// The first one makes challenges, all are accepted.
    let keys: [[UInt8]]
    let clock: Clock

    /// The ceremony that a challenge is for.
    enum Purpose: Sendable {
        case registration(accountID: String)
        case signIn
        /// A second factor for this pending sign-in, by its hash.
        case secondFactor(pending: [UInt8])

        var subject: [UInt8] {
            switch self {
            case .registration(let accountID): Array(accountID.utf8)
            case .signIn: []
            case .secondFactor(let pending): pending
            }
        }

        var kinds: Set<Challenge.Kind> {
            switch self {
            case .registration: [.registration, .conditionalRegistration]
            case .signIn: [.signIn]
            case .secondFactor: [.secondFactor]
            }
        }

        /// A passkey that stands alone must be two factors. As a second one it is only asked to be there.
        var requiresUserVerification: Bool { if case .secondFactor = self { false } else { true } }
    }

    /// - Parameter flow: the sign-in flow of a page, to which the challenge is bound; empty without one.
    func make(
        _ kind: Challenge.Kind, for purpose: Purpose, flow: [UInt8] = [], of passkeys: ProjectSettings.Passkeys, in project: ProjectSettings
    ) -> Challenge {
        Challenge.make(kind, for: context(purpose, flow, passkeys, project), key: keys.first ?? [], at: clock.now())
    }

    /// - Parameter rpID: the site of the credential that answers; `nil` for the project's.
    func rules(
        for purpose: Purpose, flow: [UInt8] = [], rpID: String? = nil, of passkeys: ProjectSettings.Passkeys, in project: ProjectSettings
    ) -> CeremonyRules {
        CeremonyRules(
            rpID: rpID ?? passkeys.rpID, origins: passkeys.allOrigins, requiresUserVerification: purpose.requiresUserVerification,
            challenge: .ours(purpose.kinds, context(purpose, flow, passkeys, project), keys: keys, now: clock.now()))
    }

    private func context(
        _ purpose: Purpose, _ flow: [UInt8], _ passkeys: ProjectSettings.Passkeys, _ project: ProjectSettings
    ) -> Challenge.Context {
        Challenge.Context(
            projectID: project.storageID, rpID: passkeys.rpID, subject: purpose.subject, flow: flow,
            requiresUserVerification: purpose.requiresUserVerification)
    }
}

extension Challenge {
    /// Notes that the challenge is spent. Violates the table's key when it was spent before (SEC-40).
    func spend(in project: ProjectSettings) -> SQL { spend(in: project.storageID) }

    /// The same by the project's `storageID`.
    func spend(in projectID: String) -> SQL {
        """
        INSERT INTO spent_tokens (project_id, token_id, expires_at)
        VALUES (\(project: projectID), \(Array(Digest.sha256(Array("passkey".utf8) + bytes).prefix(16))), \(expires))
        """
    }
}

extension AccountError {
    /// A refusal of a ceremony.
    init(_ error: CeremonyError) {
        self =
            switch error {
            case .missingResponse: .passkeyResponseMissing
            case .challenge: .passkeyChallengeRefused
            case .refused(let check): .passkeyRefused(check)
            }
    }
}

/// Runs a check of a ceremony, and throws its refusal as an error of the rules.
func checking<Result>(_ check: () throws(CeremonyError) -> Result) throws(AccountError) -> Result {
    do { return try check() } catch { throw AccountError(error) }
}
