import Accounts
import ProjectSettings
import Projects
import Web

/// The end of a sign-in on the wire: tokens, or what the app must ask the person for first.
struct SignInEnd {
    var idToken: String?
    var refreshToken: String?
    /// Seconds, as a string.
    var expiresIn: String?
    var mfaPendingCredential: String?
    var mfaInfo: [MFAInfo]?

    init(_ account: Account, _ outcome: SignInOutcome, _ context: Context) async throws {
        switch outcome {
        case .session(let session):
            let tokens = try IssuedTokens(account, session, context)
            (idToken, refreshToken, expiresIn) = (tokens.idToken, tokens.refreshToken, tokens.expiresIn)
        case .pending(let pending):
            let factors = MFAInfo.list(of: account)
            guard !factors.isEmpty else { throw Failure.unanswerableSecondFactor }
            try await context.services.accounts.secondFactors.lost.mailDigits(
                for: pending, to: account, language: context.language, in: context.project.settings, from: context.clientInfo)
            mfaPendingCredential = pending.credential.text
            mfaInfo = factors
        }
    }
}
