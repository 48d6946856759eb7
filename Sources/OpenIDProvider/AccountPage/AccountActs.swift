import Accounts
import Crypto
import HTTP
import Identity
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web
import WebAuthn

/// The changes that a person makes at the account page.
extension AccountVisit {
    /// Does what the form's button says.
    func answer(_ form: Form) async throws -> Response {
        let own = accounts.openID.ownSessions
        switch form["do"] {
        case "withdraw":
            let (_, outcome) = try await accounts.secondFactors.enrollments.withdraw(
                form["factor"] ?? "", forIDToken: idToken, language: language, in: settings, from: client)
            return try await going(on: outcome)
        case "codes":
            let codes = try await accounts.secondFactors.recoveryCodes.make(
                in: session, language: language, of: settings, from: client)
            return project.templates.page(codes, in: language, goingOnTo: path)
        case "enrol": return try await enrol(form)
        case "passkey": return try await addPasskey(form)
        case "rename":
            if let id = passkey(form), let name = passkeyName(form) {
                try await accounts.passkeys.registrations.rename(id, to: name, in: session, of: settings, from: client)
            }
            return go(.done)
        case "removePasskey":
            var change = AccountChange()
            change.removedPasskeys = Set([passkey(form)].compactMap { $0 })
            let (_, outcome) = try await accounts.changes.update(idToken, change, language: language, in: settings, from: client)
            if let outcome { return try await going(on: outcome) }
        case "end": try await own.end(form["session"]?.asString ?? "", in: session, of: settings, from: client)
        case "endOthers": try await own.endOthers(in: session, of: settings, from: client)
        case "forget": try await own.forgetDevices(in: session, of: settings, from: client)
        case "signOut":
            try await accounts.openID.browserSessions.end(session, in: settings)
            var response = Self.signedOut(project, context.request)
            response.setCookie(IssuerCookies.session(of: settings, site).clear())
            return response
        default: throw Failure.invalidArgument("The form is not one of this page.")
        }
        return go(.done)
    }

    private func enrol(_ form: Form) async throws -> Response {
        let enrolment = try await accounts.secondFactors.enrollments.finish(
            form, in: session, language: language, of: settings, from: client)
        switch enrolment {
        case .done(_, let outcome): return try await going(on: outcome)
        case .again(let started, let fault): return show(started, fault)
        case .late: return try await showEnrolment(.enrolledLate)
        }
    }

    private func addPasskey(_ form: Form) async throws -> Response {
        guard let text = form["credential"], let answer = try? JSON.parse(text.asString) else { return go(.passkeyRefused) }
        let label = PasskeyRegistrations.Label(name: passkeyName(form), displayName: nil)
        let (_, outcome) = try await accounts.passkeys.registrations.finalize(
            idToken, answer, label, language: language, in: settings, from: client)
        return try await going(on: outcome)
    }

    /// `nil` where the person gave it none.
    private func passkeyName(_ form: Form) -> String? {
        let text = (form["name"] ?? "").trimmed.prefix(bytes: Passkey.longestName).asString
        let name = ProfileText.readable(text)
        return name.isEmpty ? nil : name
    }

    private func passkey(_ form: Form) -> [UInt8]? { form["passkey"].flatMap { Base64URL.decodeStrict($0.asString) } }

    /// Goes on in the session that took the place of the present one.
    private func going(on outcome: SignInOutcome) async throws(AccountError) -> Response {
        guard case .session(let session) = outcome else { return go() }
        try await accounts.openID.browserSessions.replace(self.session, by: session, in: settings)
        var response = go(.done)
        let value = accounts.openID.browserSessions.cookie(for: session, in: settings)
        response.setCookie(IssuerCookies.setSession(value, of: settings, site))
        return response
    }
}
