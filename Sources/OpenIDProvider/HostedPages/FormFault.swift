import Accounts
import Pages
import Text

/// A mistake in a form, or the reason why a rule refused it, as a page tells the person.
struct FormFault: Error, Sendable, Equatable {
    /// The name of the field; `nil` when no field alone is wrong.
    let field: String?
    /// A word of the page.
    let word: String
    /// Whether the text also stands at the field, and not only above the form.
    var isAtField = true
    var values: [String: TemplateValue] = [:]
    var status = 400

    var text: TemplateValue { .word(word, values) }

    /// The name of the field in front of the text, where the text does not tell which field it means.
    var label: TemplateValue? { word == "missingName" || word == "badName" ? field.map { .word($0) } : nil }

    static let badEmail = FormFault(field: "email", word: "badEmail")
    static let unknownEmail = FormFault(field: "email", word: "unknownEmail")
    static let missingPassword = FormFault(field: "password", word: "missingPassword")
    static let missingCode = FormFault(field: "code", word: "missingCode")
    static let wrongCode = FormFault(field: "code", word: "wrongCode")
    static let enrolledLate = FormFault(field: nil, word: "tooLate")
    static let phoneLate = FormFault(field: nil, word: "phoneLate")
    static let passkeyRefused = FormFault(field: nil, word: "passkeyRefused")
    static let passkeyUnknown = FormFault(field: nil, word: "passkeyUnknown")
    static let notNew = FormFault(field: nil, word: "notNew")
    static let weak = FormFault(field: "password", word: "weak")

    init(field: String?, word: String, values: [String: TemplateValue] = [:], status: Int = 400) {
        self.field = field
        self.word = word
        self.values = values
        self.status = status
    }

    /// The fault that the person is told of; `nil` for an error that is not theirs.
    init?(_ error: AccountError, on page: HostedPage) {
        switch error {
        case .invalidCredentials:
            self.init(field: "password", word: "wrongCredentials")
            isAtField = false
        case .noSuchEmail: self = .unknownEmail
        case .wrongPassword: self.init(field: "password", word: "wrongPassword")
        // At sign-in the password is the account's, and only a new one can help.
        case .passwordRequirements where page == .signIn: self.init(field: "password", word: "oldPassword")
        case .weakPassword, .passwordRequirements: self = .weak
        case .accountDisabled: self.init(field: nil, word: "disabled")
        case .refusedByHook(let refusal):
            self.init(field: nil, word: "hookRefused", values: ["reason": .text(refusal.message)], status: 403)
        case .hookUnavailable: self.init(field: nil, word: "hookSilent", status: 503)
        case .adminOnly, .noSuchIdentity, .accountNotFound: self = .notNew
        case .invalidActionCode, .voidDigits, .expiredActionCode, .emailMismatch:
            guard page.template == "code" else { return nil }
            self = .wrongCode
        case .wrongCode: self = .wrongCode
        case .codeSessionUnknown, .codeSessionExpired: self = .phoneLate
        case .noSuchPasskey: self = .passkeyUnknown
        case .passkeyRefused, .passkeyResponseMissing: self = .passkeyRefused
        case .passkeyChallengeRefused: self.init(field: nil, word: "passkeyLate")
        case .emailTaken: self.init(field: nil, word: "confirmFirstUnnamed", status: 409)
        case .tooManyAttempts, .quotaExceeded: self.init(field: nil, word: "tooMany", status: 429)
        default: return nil
        }
    }
}
