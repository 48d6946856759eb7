import Accounts
import Crypto
import HTTP
import JSON
import Pages
import ProjectSettings
import Projects
import Text
import Web
import WebAuthn

/// The question to a browser for a passkey of its person, for the page's script.
struct PasskeyQuestion: Sendable {
    let options: JSON
    /// Whether the browser also offers passkeys in the field of the address, before the person asks for one.
    var isConditional = false
    /// The id of a passkey that opens no account any more, which the browser is told.
    var unknown: String?

    var json: JSON {
        var question: JSON.Object = ["request": options, "conditional": .bool(isConditional)]
        if let unknown, let rpID = options["rpId"] {
            question["unknown"] = ["rpId": rpID, "credentialId": .string(UTF8Text(unknown))]
        }
        return .object(question)
    }
}

/// Passkeys at the pages: as the first step, and as the second one.
extension HostedVisit {
    /// The page with the question that its script asks the browser.
    func shown(_ page: HostedPage, _ content: HostedContent) async throws -> Response {
        var content = content
        content.passkey = try await passkeyQuestion(at: page)
        // At the second step, the passkey may be good for another account.
        if page == .signIn, content.faults.contains(.passkeyUnknown), let response = content.form["credential"] {
            content.passkey?.unknown = (try? JSON.parse(response.asString))?["id"]?.string?.asString
        }
        return show(page, content)
    }

    private func passkeyQuestion(at page: HostedPage) async throws -> PasskeyQuestion? {
        do throws(AccountError) {
            switch page {
            case .signIn where offer.hasPasskeys && offer.signsIn:
                // The answer counts for this request alone.
                let options = try await accounts.signIn.passkeys.start(
                    flow: Array(authorization.id.text.utf8), in: settings, from: clientInfo)
                return PasskeyQuestion(options: options.json, isConditional: offer.hasEmail)
            case .passkey:
                guard let step = secondStep else { return nil }
                return PasskeyQuestion(
                    options: try await accounts.passkeys.secondFactors.start(step.credential, in: settings).json)
            default: return nil
            }
        } catch {
            // The page offers the other ways.
            guard case .tooManyAttempts = error else { throw error }
            return nil
        }
    }

    /// Signs in with the browser's answer.
    func signInByPasskey(_ form: Form) async throws -> Response {
        guard offer.hasPasskeys else { throw Failure.operationNotAllowed() }
        let (_, outcome) = try await accounts.signIn.passkeys.finalize(
            try passkeyAnswer(in: form), flow: Array(authorization.id.text.utf8), language: language, in: settings, from: clientInfo)
        return try await begin(outcome)
    }

    /// Ends the second step with the browser's answer.
    func passPasskey(_ form: Form) async throws -> Response {
        let answer = try passkeyAnswer(in: form)
        return try await passSecondFactor(form) { credential, client throws(AccountError) in
            try await accounts.passkeys.secondFactors.signIn(credential, answer, language: language, in: settings, from: client).1
        }
    }

    private func passkeyAnswer(in form: Form) throws(FormFault) -> JSON {
        guard let text = form["credential"], let answer = try? JSON.parse(text.asString) else { throw .passkeyRefused }
        return answer
    }
}
