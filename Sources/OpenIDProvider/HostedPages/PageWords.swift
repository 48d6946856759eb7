import Accounts
import Pages
import ProjectSettings
import Providers

extension HostedPage {
    /// The name of its template.
    var template: String {
        switch self {
        case .signIn: "signIn"
        case .signUp, .reset: "email"
        case .signInCode, .signUpCode, .resetCode: "code"
        case .secondFactor, .phoneCode, .passkey, .recoveryCode: "factor"
        case .enrol: "enrol"
        case .signUpDetails, .newPassword: "password"
        case .profile: "profile"
        case .accounts: "accounts"
        case .consent: "consent"
        }
    }

    /// The page that asks for the address to which the code of this page was mailed.
    var addressPage: HostedPage {
        switch self {
        case .signUpCode, .signUpDetails: .signUp
        case .resetCode, .newPassword: .reset
        default: .signIn
        }
    }
}

/// The scopes of a request in words that people understand.
enum ConsentWords {
    static func word(for scope: String) -> TemplateValue {
        switch scope {
        case "openid": .word("openid")
        case "profile": .word("profile")
        case "email": .word("emailScope")
        case "phone": .word("phone")
        case "address": .word("address")
        case "offline_access": .word("offline")
        default: .word("other", ["scope": .text(scope)])
        }
    }
}

/// The colours of the providers' buttons, as rules of the page's style.
enum ProviderStyle {
    static func name(_ number: Int) -> String { "p\(number)" }

    static func rules(for buttons: [ProviderButton]) -> String {
        let light = buttons.enumerated().map { rule($0, $1.style.light) }.joined()
        let dark = buttons.enumerated().map { rule($0, $1.style.dark) }.joined()
        return light + (dark.isEmpty ? "" : "@media(prefers-color-scheme:dark){\(dark)}")
    }

    private static func rule(_ number: Int, _ colors: ButtonStyle.Colors?) -> String {
        colors.map { ".\(name(number)){--text:\($0.text);--back:\($0.background);--edge:\($0.border)}" } ?? ""
    }
}

extension UserFlow.Attribute {
    /// <https://html.spec.whatwg.org/#autofill>
    var autocomplete: String {
        switch self {
        case .displayName: "name"
        case .givenName: "given-name"
        case .surname: "family-name"
        }
    }

    /// Some people have a single name, so its parts may be left out.
    var isRequired: Bool { self == .displayName }

    func value(of account: Account) -> String? {
        switch self {
        case .displayName: account.displayName
        case .givenName: account.profileClaims[.givenName]
        case .surname: account.profileClaims[.familyName]
        }
    }
}
