package import Accounts
package import Providers
package import Text

/// The reason why a sign-in at a provider does not go on. All steps of a sign-in share this one error policy.
///
/// Each case says whose fault it is. The features above write it in their own form: a page, Google's JSON, an event for an SDK, a
/// redirect to the app. The first text of a case may be shown to the person. `detail` is for the log alone. Neither holds a token, a secret
/// or anything of the person. docs/architecture.md has the table of what the caller learns and what is logged and counted.
package enum BrokerageError: Error, Sendable {
    /// The person said no at the provider.
    case declined(String)
    /// The provider does not answer, or answers that it cannot now.
    case outage(detail: String)
    /// The provider's fault: what it said proves nothing.
    case providerFault(String, detail: String)
    /// The operator's fault: the provider does not fit its entry in the configuration.
    case misconfigured(String, detail: String)
    /// The project does not have this provider, or has switched it off; or the app named none.
    case notEnabled(UTF8Text, hasEntry: Bool = false)
    /// The app's fault: a parameter or scope that may not be sent, an answer that is not well formed.
    case badParameter(String)
    /// The app's fault: what it posted is not a credential.
    case invalidCredential(String)
    /// The nonce of an ID token is missing, unexpected or another one: a mistake in the app, or a token that was stolen.
    case nonce
    /// An answer of another provider than the one that the flow waits for: an attacker may mix up providers (RFC 9700, section 4.4).
    case foreignAnswer(String, detail: String)
    /// No flow fits the state, cookie, one-time code or secret: it is over, was started elsewhere, or the value is made up. One answer for
    /// all, so that nothing can be probed.
    case unknownFlow
    /// A rule about accounts said no, or the database could not be asked.
    case account(AccountError)
    /// One of the other cases, with the provider and the project that it is about, for the log.
    indirect case at(provider: String, project: String, BrokerageError)

    package init(_ error: ProviderError) {
        switch error {
        case .badParameter(let text): self = .badParameter(text)
        case .invalidResponse(let reason, let detail), .grantRefused(let reason, let detail): self = .providerFault(reason, detail: detail)
        case .misconfigured(let reason, let detail), .clientRefused(let reason, _, let detail):
            self = .misconfigured(reason, detail: detail)
        case .unavailable(let detail): self = .outage(detail: detail)
        case .nonce: self = .nonce
        case .invalidCredential(let text): self = .invalidCredential(text)
        case .denied(let text): self = .declined(text)
        }
    }

    package init(_ error: AccountError) {
        if case .flowRefused = error { self = .unknownFlow } else { self = .account(error) }
    }

    /// The error with another sentence for the app, where it has a text.
    func adding(_ sentence: String) -> BrokerageError {
        switch self {
        case .providerFault(let reason, let detail): .providerFault("\(reason) \(sentence)", detail: detail)
        case .invalidCredential(let reason): .invalidCredential("\(reason) \(sentence)")
        default: self
        }
    }

    /// How a sign-in that this ended is counted.
    package var outcome: SignInMetrics.Outcome {
        switch self {
        case .outage: .providerUnavailable
        case .at(_, _, let error): error.outcome
        default: .refused
        }
    }

    /// The reason that the log of sign-ins has: the name of the case, without what belongs to it.
    var code: String {
        switch self {
        case .at(_, _, let error): error.code
        case .account(let error): String("\(error)".prefix { $0 != "(" })
        default: String("\(self)".prefix { $0 != "(" })
        }
    }

    /// The log's text for an error that a provider caused by its answer, or by not answering; `nil` for the others, which any client
    /// could cause without a sign-in at a provider.
    package var logDetail: String? {
        switch self {
        case .declined(let text), .invalidCredential(let text): text
        case .providerFault(let reason, let detail), .misconfigured(let reason, let detail), .foreignAnswer(let reason, let detail):
            "\(reason) \(detail)"
        case .outage(let detail): "The provider does not answer. \(detail)"
        case .nonce: "The nonce does not fit."
        case .at(_, _, let error): error.logDetail
        case .notEnabled, .badParameter, .unknownFlow, .account: nil
        }
    }
}
