import Pages
import Web

/// Says why an act was not done, where no rule has refused it.
struct ConsoleFault: Error {
    let reason: TemplateValue

    /// - Parameter word: of the act's group, or of `common`.
    init(_ word: String, _ values: [String: TemplateValue] = [:]) { reason = .word(word, values) }
}

/// Says in words why a rule has refused an act, from the code that the Admin API has for it.
enum FailureWords {
    /// The codes that have a word: `failureUserNotFound` for `USER_NOT_FOUND`. The others are shown as they are.
    static let codes: Set<String> = [
        "CLAIMS_TOO_LARGE", "FORBIDDEN_CLAIM", "INVALID_AUTHENTICATOR_RESPONSE", "INVALID_CLAIMS", "MISSING_AUTHENTICATOR_RESPONSE",
        "PASSKEY_CHALLENGE_TIMEOUT", "PASSKEY_EXISTS", "PASSKEY_LIMIT_EXCEEDED", "QUOTA_EXCEEDED", "RESET_PASSWORD_EXCEED_LIMIT",
        "TOO_MANY_ATTEMPTS_TRY_LATER", "UNVERIFIED_EMAIL", "USER_NOT_FOUND",
    ]

    static func word(_ failure: Failure) -> TemplateValue {
        guard codes.contains(failure.code) else {
            return .text([failure.code, failure.detail].compactMap(\.self).joined(separator: ": "))
        }
        let name = failure.code.split(separator: "_").map { $0.lowercased().capitalizedFirst }.joined()
        return .word("failure\(name)", ["failureDetail": .text(failure.detail.map(ConsoleVisit.inert))])
    }
}
