import Accounts
import HTTP
import ProjectSettings
import Projects
import Text
import Web

/// The second step of a sign-in: what can answer it, and the page for each of these.
///
/// The sign-in that waits is named by a cookie of this request, so that it goes on in this browser alone.
struct SecondStep: Sendable {
    let credential: PendingCredential
    let waiting: PendingSignIns.Waiting
    /// The pages on which it can be answered, the first one at first. A recovery code never comes before what the person has every day.
    let pages: [HostedPage]
    /// The phones to which the project sends codes.
    let phones: [SecondFactors.Factor]

    /// `nil` where no sign-in waits any more.
    init?(
        _ credential: PendingCredential, hasPasskeys: Bool, _ accounts: Accounts, in project: ProjectSettings
    ) async throws(AccountError) {
        do throws(AccountError) {
            waiting = try await accounts.secondFactors.signIns.pending.find(credential, in: project)
        } catch {
            guard error.isEndedSignIn else { throw error }
            return nil
        }
        let account = waiting.account
        phones = account.factors.factors.filter { factor in
            guard case .phone(let number) = factor.kind else { return false }
            return (try? PhoneDestination(UTF8Text(number), in: project)) != nil
        }
        var pages: [HostedPage] = account.factors.hasTOTP ? [.secondFactor] : []
        if hasPasskeys, !waiting.isByPasskey, !account.passkeys.isEmpty { pages.append(.passkey) }
        if !phones.isEmpty { pages.append(.phoneCode) }
        if try await accounts.secondFactors.recoveryCodes.left(of: account.id, in: project) > 0 {
            pages.append(.recoveryCode)
        }
        self.pages = pages
        self.credential = credential
    }
}

extension HostedVisit {
    private var factorCookie: HostCookie { IssuerCookies.factors(site).cookie(authorization.id.text) }

    /// The credential that the browser brings.
    var pendingCredential: PendingCredential? { factorCookie.value(in: context.request).flatMap(PendingCredential.init) }

    /// Goes on to the page for the second step. Throws where no page can ask for what the account has.
    func begin(_ pending: PendingSignIn) async throws -> Response {
        guard let step = try await SecondStep(pending.credential, hasPasskeys: offer.hasPasskeys, accounts, in: settings),
            let page = step.pages.first
        else { throw Failure.unanswerableSecondFactor }
        try await accounts.secondFactors.lost.mailDigits(
            for: pending, to: step.waiting.account, language: language, in: settings, from: clientInfo)
        var response = go(to: page)
        response.setCookies(
            IssuerCookies.factors(site).set(
                authorization.id.text, pending.credential.text, for: PendingSignIns.lifetime, in: context.request))
        return response
    }

    /// Ends the sign-in with what the person has typed.
    func passSecondFactor(_ form: Form, at page: HostedPage) async throws -> Response {
        let code = (form["code"] ?? "").trimmed
        guard !code.isEmpty else { throw FormFault.missingCode }
        return try await passSecondFactor(form) { credential, client throws(AccountError) in
            let signIns = accounts.secondFactors.signIns
            return switch page {
            case .recoveryCode:
                try await signIns.signIn(credential, recoveryCode: code, language: language, in: settings, from: client).1
            case .phoneCode:
                try await accounts.secondFactors.phones.signIn(
                    credential, session: form["session"] ?? "", code: code, language: language, in: settings, from: client
                ).1
            default: try await signIns.signIn(credential, code: code, language: language, in: settings, from: client).1
            }
        }
    }

    /// Ends the sign-in with a second factor that `judge` finds right, and has the browser remembered where the person wishes it.
    func passSecondFactor(
        _ form: Form, judge: (PendingCredential, Session.ClientInfo) async throws(AccountError) -> SignInOutcome
    ) async throws -> Response {
        guard let step = secondStep else { return startAgain() }
        let time = form["remember"] == nil ? nil : settings.multiFactor.rememberDevice
        let device = time == nil ? nil : DeviceToken.random()
        let outcome: SignInOutcome
        do throws(AccountError) {
            outcome = try await judge(step.credential, context.browserClientInfo.on(device))
        } catch {
            guard error.isEndedSignIn else { throw error }
            return startAgain()
        }
        var response = try await begin(outcome)
        response.setCookie(factorCookie.clear())
        if let device, let time {
            let id = DeviceToken.cookieID(of: step.waiting.account.id, in: settings)
            response.setCookies(IssuerCookies.devices(site).set(id, device.text, for: time, in: context.request))
        }
        return response
    }

    /// Sends a code to the phone of the form, and shows the field for it.
    func sendPhoneCode(_ form: Form) async throws -> Response {
        guard let step = secondStep else { return startAgain() }
        let phones = accounts.secondFactors.phones
        let request = try await phones.signIn(step.credential, by: form["factor"] ?? "", in: settings)
        if !request.destination.isTest { try await accounts.phoneCodes.admit(clientInfo, in: settings) }
        let session = try await phones.send(request, language: language, appSignatureHash: nil, in: settings, from: clientInfo)
        return show(.phoneCode, HostedContent(form: Form([("session", UTF8Text(session)), ("factor", form["factor"] ?? "")])))
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
