package import ProjectSettings
import Runtime

/// A question for a hook: what is about to happen, to whom, and who asks for it.
package struct HookQuestion: Sendable {
    package let event: HookEvent
    /// Names the question: one that is asked again has the same id.
    package let id: String
    package let userAgent: String?
    package let address: String
    /// The language that the app asks for; `nil` where it says none.
    package let locale: String?
    package let subject: Subject

    package enum Subject: Sendable {
        case signIn(HookedSignIn)
        case mail(HookedMail.Kind, to: String)
        case message(PhonePurpose, to: String)
    }

    init(_ event: HookEvent, id: String, from client: Session.ClientInfo, about subject: Subject) {
        self.event = event
        self.id = id
        userAgent = client.userAgent
        address = client.address
        locale = client.hooks?.locale
        self.subject = subject
    }

    /// About a mail that waits in the outbox.
    package init(id: String, about mail: HookedMail) {
        event = .beforeSendEmail
        self.id = id
        userAgent = mail.userAgent
        address = mail.address
        locale = mail.locale
        subject = .mail(mail.kind, to: mail.email)
    }
}

/// A sign-in as hooks learn of it.
package struct HookedSignIn: Sendable {
    /// As the sign-in is about to leave it.
    package let account: Account
    /// The id of a provider, or `password`, `emailLink`, `phone` or `passkey`.
    package let method: String
    /// `nil` for none, and for a remembered device.
    package let secondFactor: SecondFactorProof?
    /// `nil` without a provider, and where a second factor came after it.
    package let credential: ProviderCredential?
}

/// The statement of a provider about a person, and the tokens that came with it. Nothing keeps it.
package struct ProviderCredential: Sendable {
    /// All that the provider said, as the text of a JSON object.
    package let rawUserInfo: String
    package let idToken: String?
    package let accessToken: String?
    /// The secret that signs requests with the access token (OAuth 1.0a).
    package let tokenSecret: String?
    package let refreshToken: String?
    /// In seconds.
    package let expiresIn: Int?

    package init(
        rawUserInfo: String, idToken: String?, accessToken: String?, tokenSecret: String?, refreshToken: String?, expiresIn: Int?
    ) {
        self.rawUserInfo = rawUserInfo
        self.idToken = idToken
        self.accessToken = accessToken
        self.tokenSecret = tokenSecret
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
    }
}

/// The facts about a mail that a hook is asked about before it leaves. They wait with the mail.
package struct HookedMail: Sendable, Codable, Equatable {
    /// Firebase's names of what the mail is for.
    package enum Kind: String, Sendable, Codable {
        case signIn = "EMAIL_SIGN_IN"
        case passwordReset = "PASSWORD_RESET"
    }

    package let kind: Kind
    package let email: String
    package let userAgent: String?
    package let address: String
    package let locale: String?

    /// `nil` where the project asks no hook about mails.
    init?(_ kind: Kind, to email: String, in project: ProjectSettings, from client: Session.ClientInfo) {
        guard project.hooks[.beforeSendEmail] != nil else { return nil }
        self.kind = kind
        self.email = email
        userAgent = client.userAgent
        address = client.address
        locale = client.hooks?.locale
    }
}
