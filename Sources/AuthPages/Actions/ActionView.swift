import Accounts
import HTTP
import Pages
import ProjectSettings
import Projects
import Text
import Web

/// The pages that people see behind a link: a question, its result, or the reason why the link does not work. They are in the language of
/// the mail and have no script.
struct ActionView {
    let link: ActionLink

    init(_ link: ActionLink) { self.link = link }

    /// The page that asks the person to confirm what the code does.
    func asking(_ code: ActionCode, isWeak: Bool = false) -> Response {
        var values = Self.naming(code)
        values["isAsking"] = true
        values["fields"] = .list(link.fields.map { ["name": .text($0.name), "value": .text($0.value)] })
        values["isWeak"] = .flag(isWeak)
        switch code.kind {
        case .resetPassword:
            let policy = link.project.settings.passwordPolicy
            let enforced = policy.enforcement == .enforce
            values["askReset"] = true
            values["minLength"] = .text("\(enforced ? max(policy.minLength, PasswordPolicy.shortest) : PasswordPolicy.shortest)")
            values["needsLower"] = .flag(enforced && policy.requiresLowercase)
            values["needsUpper"] = .flag(enforced && policy.requiresUppercase)
            values["needsDigit"] = .flag(enforced && policy.requiresNumeric)
            values["needsSymbol"] = .flag(enforced && policy.requiresNonAlphanumeric)
        case .verifyEmail: values["askVerify"] = true
        case .verifyAndChangeEmail: values["askChange"] = true
        case .recoverEmail: values["askRecover"] = true
        case .revertSecondFactorAddition: values["askRevert"] = true
        case .signIn: values["isSignIn"] = true
        }
        return page(values, status: isWeak ? 400 : 200, continuing: false)
    }

    /// The page that says that it is done, and where to continue.
    func done(_ code: ActionCode, resetLink: String? = nil) -> Response {
        var values = Self.naming(code)
        values["resetLink"] = .text(resetLink)
        switch code.kind {
        case .resetPassword: values["doneReset"] = true
        case .verifyEmail: values["doneVerify"] = true
        case .verifyAndChangeEmail: values["doneChange"] = true
        case .recoverEmail: values["doneRecover"] = true
        case .revertSecondFactorAddition: values["doneRevert"] = true
        case .signIn: break
        }
        return page(values)
    }

    /// The page for a link that does not work: one friendly text for codes that are unknown, used or expired. Throws errors that have
    /// another cause.
    func refusal(_ error: AccountError) throws -> Response {
        switch error {
        case .invalidActionCode, .expiredActionCode, .accountNotFound: page(["isGone": true], status: 400)
        case .emailTaken: page(["isTaken": true], status: 400)
        case .accountDisabled: page(["isDisabled": true], status: 400)
        default: throw error
        }
    }

    func page(_ values: [String: TemplateValue], status: Int = 200, continuing: Bool = true) -> Response {
        var values = values
        if continuing { values["link"] = .text(link.continueURL?.description) }
        return link.project.templates.page("action", in: link.language, values, status: status, allowing: .forms)
    }

    /// The page for a link that does not name a project.
    static func damaged(_ request: Request) -> Response {
        let templates = Templates.standard
        return templates.page("action", in: templates.language(for: request), ["isGone": true], status: 400)
    }

    private static func naming(_ code: ActionCode) -> [String: TemplateValue] {
        [
            "email": .text(code.email), "newEmail": .text(code.newEmail), "stays": .flag(code.keepsEmail),
            "factor": .text(code.factor?.displayName),
        ]
    }
}
