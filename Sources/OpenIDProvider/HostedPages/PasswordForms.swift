import Accounts
import HTTP
import Identity
import Migration
import ProjectSettings
import Text
import Web

/// The forms with a password: sign in, make an account, set a new password.
extension HostedVisit {
    /// Reads the address; throws a fault of its field.
    func email(in form: Form) throws(FormFault) -> String {
        guard let email = EmailAddress.canonical((form["email"] ?? "").trimmed.asString) else { throw .badEmail }
        return email
    }

    private func password(in form: Form) throws(FormFault) -> String {
        guard let password = form["password"], !password.isEmpty else { throw .missingPassword }
        return password.asString
    }

    func signIn(_ form: Form) async throws -> Response {
        guard offer.hasPassword else { throw Failure.passwordLoginDisabled }
        let (email, password) = (try email(in: form), try password(in: form))
        let (_, outcome) = try await context.services.firebaseBridge.passwords.signIn(
            email: email, password: password, in: settings, from: clientInfo)
        return try await begin(outcome)
    }

    /// Makes the account, whose address a code has proven.
    func signUp(_ form: Form) async throws -> Response {
        guard let email = authorization.email, authorization.emailProven, offer.signsUp, offer.hasPassword else { return go(to: .signUp) }
        let attributes = try attributes(in: form)
        let password = try password(in: form)
        let outcome: SignInOutcome
        do {
            (_, outcome) = try await accounts.signIn.signUps.signUp(
                email: email, password: password, displayName: attributes.displayName, profile: attributes.claims, provenAt: authorization,
                in: settings, from: clientInfo)
        } catch {
            switch error {
            case .emailTaken: return emailTaken()
            case .invalidActionCode: return go(to: .signUp)
            default: throw error
            }
        }
        return try await begin(outcome)
    }

    /// Goes on for a person who proved the address of an account that exists.
    func emailTaken() -> Response {
        offer.resets ? go(to: .newPassword, [(name: "note", value: PageNotice.exists.rawValue)]) : go(to: .signIn)
    }

    /// Sets the new password of the account whose address a code has proven, and signs in with it.
    func setPassword(_ form: Form) async throws -> Response {
        guard authorization.email != nil, authorization.emailProven, offer.resets else { return go(to: .reset) }
        let password = try password(in: form)
        let outcome: SignInOutcome
        do {
            outcome = try await accounts.openID.requests.resetPassword(
                for: authorization, to: password, language: language, in: settings, from: clientInfo)
        } catch {
            guard case .invalidActionCode = error else { throw error }
            return go(to: .reset)
        }
        return try await begin(outcome)
    }
}
