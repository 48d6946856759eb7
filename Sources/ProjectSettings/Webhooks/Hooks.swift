import Config
import HTTP
package import Webhooks

/// The moments at which a page of the operator's is asked whether, and how, something goes on. The names are Firebase's.
/// <https://firebase.google.com/docs/auth/extend-with-blocking-functions>
package enum HookEvent: String, Sendable, CaseIterable {
    /// Before a new account is stored.
    case beforeCreate
    /// Before a sign-in makes its session; for a new account after `beforeCreate`.
    case beforeSignIn
    /// Before a mail leaves by which a person signs in or sets a new password.
    case beforeSendEmail
    /// Before a code is sent to a phone.
    case beforeSendSms

    /// Whether it stands before a sign-in, and not before a message.
    package var isOfSignIn: Bool { self == .beforeCreate || self == .beforeSignIn }
}

/// A page of the operator's that is asked before something happens, and whose answer is waited for: an entry of `hooks` in a project's file.
package struct BlockingHook: Sendable {
    package let webhook: Webhook
    /// `aud` of the tokens that it gets. It is a URL, so that no such token passes for an ID token, whose audience is a project.
    package let audience: String
    package var onFailure = FailurePolicy.refuse
    /// The tokens of a provider that it gets.
    package var forwarded: Set<ForwardedToken> = []

    /// The consequence of an answer that is missing or not sound.
    package enum FailurePolicy: String, Sendable, CaseIterable {
        case refuse
        /// It goes on as if there were no hook.
        case allow
    }

    package enum ForwardedToken: String, Sendable, CaseIterable {
        case accessToken, idToken, refreshToken
    }

    /// - Parameter audience: `nil` for the address itself.
    package init(_ webhook: Webhook, audience: String? = nil) {
        self.webhook = webhook
        self.audience = audience ?? webhook.url
    }
}

extension BlockingHook {
    /// ```yaml
    /// hooks:
    ///   beforeSignIn:
    ///     url: https://hooks.example.com/sign-in
    ///     secrets: {file: hooks.secret}         # or a list, while one takes another's place
    ///     onFailure: refuse                     # or allow
    /// ```
    static func read(_ section: Section, development: Bool) -> [HookEvent: BlockingHook] {
        var hooks: [HookEvent: BlockingHook] = [:]
        for event in HookEvent.allCases where section.has(event.rawValue) {
            hooks[event] = BlockingHook(section.section(event.rawValue), of: event, development: development)
        }
        section.finish()
        return hooks
    }

    private init?(_ section: Section, of event: HookEvent, development: Bool) {
        let webhook = Webhook(section, purpose: "the address of your page, which is asked", development: development)
        let audience = section.has("audience") ? Self.audience(section) : nil
        let policy = section.choice("onFailure", default: FailurePolicy.refuse)
        var forwarded: Set<ForwardedToken> = []
        if event.isOfSignIn {
            forwarded = Set(section.values("forward", expected: "accessToken, idToken or refreshToken", ForwardedToken.init(rawValue:)))
        } else {
            section.hint("forward", "only beforeCreate and beforeSignIn get tokens of providers")
        }
        section.finish()
        guard let webhook else { return nil }
        self.init(webhook, audience: audience)
        onFailure = policy
        self.forwarded = forwarded
    }

    private static func audience(_ section: Section) -> String? {
        section.value("audience", expected: "an https URL, which your page expects in aud") { text in
            URI.parse(text).flatMap { $0.fragment == nil && $0.isSecure(orLoopbackIf: false) ? text : nil }
        }
    }
}
