import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// The second step of a sign-in: a code of an authenticator app, or a recovery code in its place.
///
/// The sign-in that waits is named by a cookie of this request, so that it goes on in this browser alone.
extension HostedVisit {
    /// The sign-in of this browser that waits for a second factor, and what can answer it.
    struct SecondStep: Sendable {
        let waiting: PendingSignIns.Waiting
        let hasRecoveryCodes: Bool

        var hasAuthenticator: Bool { waiting.account.factors.hasTOTP }

        /// The page on which it is answered at first. A recovery code never comes before what the person has every day.
        var page: HostedPage? { hasAuthenticator ? .secondFactor : hasRecoveryCodes ? .recoveryCode : nil }
    }

    /// `nil` where no sign-in waits any more.
    func secondStep(of credential: PendingCredential) async throws -> SecondStep? {
        let waiting: PendingSignIns.Waiting
        do throws(AccountError) {
            waiting = try await accounts.secondFactors.signIns.pending.find(credential, in: settings)
        } catch {
            guard error.isEndedSignIn else { throw error }
            return nil
        }
        let left =
            settings.multiFactor.recoveryCodes
            ? try await accounts.secondFactors.recoveryCodes.left(of: waiting.account.id, in: settings) : 0
        return SecondStep(waiting: waiting, hasRecoveryCodes: left > 0)
    }

    private var factorCookie: HostCookie { IssuerCookies.factors(site).cookie(authorization.id.text) }

    /// The credential that the browser brings.
    var pendingCredential: PendingCredential? { factorCookie.value(in: context.request).flatMap(PendingCredential.init) }

    /// Goes on to the page for the second step. Throws where no page can ask for what the account has.
    func begin(_ pending: PendingSignIn) async throws -> Response {
        guard let step = try await secondStep(of: pending.credential), let page = step.page else { throw Failure.unanswerableSecondFactor }
        try await accounts.secondFactors.lost.mailDigits(
            for: pending, to: step.waiting.account, language: language, in: settings, from: context.browserClientInfo)
        var response = go(to: page)
        response.setCookies(
            IssuerCookies.factors(site).set(
                authorization.id.text, pending.credential.text, for: PendingSignIns.lifetime, in: context.request))
        return response
    }

    /// Ends the sign-in with what the person typed.
    func passSecondFactor(_ form: Form, at page: HostedPage) async throws -> Response {
        guard let credential = pendingCredential else { return startAgain() }
        let code = (form["code"] ?? "").trimmed
        guard !code.isEmpty else { throw FormFault.missingCode }
        let outcome: SignInOutcome
        do throws(AccountError) {
            outcome = try await signIn(credential, code, isRecovery: page == .recoveryCode)
        } catch {
            guard error.isEndedSignIn else { throw error }
            return startAgain()
        }
        var response = try await begin(outcome)
        response.setCookie(factorCookie.clear())
        return response
    }

    private func signIn(_ credential: PendingCredential, _ code: UTF8Text, isRecovery: Bool) async throws(AccountError) -> SignInOutcome {
        let (signIns, client) = (accounts.secondFactors.signIns, context.browserClientInfo)
        if isRecovery {
            let (_, outcome) = try await signIns.signIn(credential, recoveryCode: code, language: language, in: settings, from: client)
            return outcome
        }
        let (_, outcome) = try await signIns.signIn(credential, code: code, language: language, in: settings, from: client)
        return outcome
    }

    /// The way back to the first step, for a sign-in that has waited too long or had too many wrong codes.
    func startAgain() -> Response {
        var response = go(to: .signIn, [(name: "note", value: PageNotice.startAgain.rawValue)])
        response.setCookie(factorCookie.clear())
        return response
    }
}

extension AccountError {
    /// Whether the sign-in that waited for a second factor is over.
    fileprivate var isEndedSignIn: Bool {
        guard case .secondFactor(let reason) = self else { return false }
        return reason == .pendingUnknown
    }
}
