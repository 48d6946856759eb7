import Accounts
import HTTP
import ProjectSettings
import Text
import Web

/// The forms around the six digits that a mail brings: ask for them, enter them.
extension HostedVisit {
    /// Mails a code to the address of the form.
    func mailCode(_ form: Form, from page: HostedPage, to codePage: HostedPage) async throws -> Response {
        guard page != .signIn || offer.hasCode else { throw Failure.operationNotAllowed() }
        try await mailCode(to: try email(in: form), for: codePage)
        return go(to: codePage)
    }

    /// Mails another code to the same address; the former one is void.
    func mailAgain(from page: HostedPage) async throws -> Response {
        guard let email = authorization.email else { return go(to: page.addressPage) }
        try await mailCode(to: email, for: page)
        return go(to: page, [(name: "note", value: PageNotice.sentAgain.rawValue)])
    }

    private func mailCode(to email: String, for page: HostedPage) async throws {
        let purpose: EmailCodes.Purpose =
            switch page {
            case .signUpCode: .signUp
            case .signInCode: .signIn(makesAccounts: offer.makesAccounts)
            default: .resetPassword
            }
        try await accounts.openID.requests.sendEmailCode(
            to: email, for: authorization, purpose, language: language, in: settings, from: clientInfo)
    }

    func enterCode(_ form: Form, at page: HostedPage) async throws -> Response {
        let digits = UTF8Text(decoding: (form["code"] ?? "").utf8.filter { $0 != UInt8(ascii: " ") })
        guard !digits.isEmpty else { throw FormFault.missingCode }
        try await accounts.openID.requests.proveEmail(digits, of: authorization, in: settings, from: clientInfo)
        guard let email = authorization.email else { return go(to: page.addressPage) }
        switch page {
        case .signUpCode:
            if try await accounts.directory.account(email: email, in: settings) != nil { return emailTaken() }
            return offer.hasPassword ? go(to: .signUpDetails) : try await signIn(withProven: email)
        case .resetCode: return go(to: .newPassword)
        default: return try await signIn(withProven: email)
        }
    }

    /// Signs in with an address that the digits have proven, as a link in a mail does.
    private func signIn(withProven email: String) async throws -> Response {
        guard offer.hasCode else { return go(to: .signIn) }
        let account = try await accounts.directory.account(email: email, in: settings)
        guard account != nil || offer.makesAccounts else { throw FormFault.notNew }
        let code = try await accounts.openID.requests.signInCode(for: authorization, of: account, in: settings)
        let signIn = try await accounts.signIn.emailLinks.signIn(
            withMade: code, email: email, language: language, in: settings, from: clientInfo)
        return try await begin(signIn.outcome, goingTo: signIn.isNewUser && !(flow?.collect ?? []).isEmpty ? .profile : nil)
    }
}
