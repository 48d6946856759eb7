package import Accounts
package import Curl
import JOSE
package import ProjectSettings
package import Runtime

/// Has Google judge the codes of authenticator apps whose secrets it keeps. Each loop has one.
package struct GoogleSecondFactors: FormerSecondFactors {
    private let tokens: GoogleTokens
    private let upstream: any Upstream
    private let access: GoogleAccess
    private let clock: Clock

    package init(tokens: GoogleTokens, upstream: any Upstream, shared: FirebaseBridge.Shared, clock: Clock) {
        self.tokens = tokens
        self.upstream = upstream
        access = shared.access
        self.clock = clock
    }

    package func proves(
        _ proof: FormerProof, at migration: FirebaseMigration, in project: ProjectSettings
    ) async throws(AccountError) -> Bool {
        let google = GoogleProject(migration, upstream: upstream, access: access, clock: clock)
        do {
            let token = try UnverifiedJWT.parse(try await google.finish(proof), as: .ownIDToken)
            return try await tokens.verified(token, of: migration).idToken.accountID == proof.accountID
        } catch GoogleFailure.refused(let code) where code == "INVALID_CODE" {
            return false
        } catch GoogleFailure.refused(let code) where Self.ended.contains(code) {
            throw .secondFactor(.pendingUnknown)
        } catch GoogleFailure.blocked(let text) {
            throw .blockedByFunction(text)
        } catch let failure as GoogleFailure {
            throw AccountError(failure, in: project)
        } catch {
            throw .formerIssuerUnavailable("Google answered a second factor with a token that is refused: \(error)")
        }
    }

    /// Google's answers after which the person begins again: the sign-in there is over, or its factor is gone.
    private static let ended: Set<String> = [
        "INVALID_MFA_PENDING_CREDENTIAL", "MFA_ENROLLMENT_NOT_FOUND", "SESSION_EXPIRED", "TOTP_CHALLENGE_TIMEOUT", "USER_DISABLED",
        "USER_NOT_FOUND",
    ]
}
