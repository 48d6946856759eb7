import Pages

/// Says in words why a sign-in was refused, from the code that the log of sign-ins has for it.
enum RefusalWords {
    /// The codes that have a word: `refusedWrongPassword` for `wrongPassword`. The others are names of errors, and are shown as they are.
    static let codes: Set<String> = [
        "accountDisabled", "adminOnly", "badParameter", "codeSessionExpired", "codeSessionUnknown", "customToken", "declined",
        "emailMismatch", "emailTaken", "expiredActionCode", "foreignAnswer", "hookUnavailable", "identityTaken", "invalidActionCode",
        "invalidCredential", "misconfigured", "noSuchIdentity", "noSuchPasskey", "nonce", "notEnabled", "outage", "passkeyChallengeRefused",
        "passkeyRefused", "passwordRequirements", "phoneBesideSecondFactor", "providerFault", "quotaExceeded", "refusedByHook",
        "tenantChanged", "tooManyAttempts", "unknownAddress", "unknownFlow", "weakPassword", "wrongCode", "wrongPassword",
    ]

    /// The word for a code. What stands behind a colon says more of this one refusal: the limit that was reached, or the check that failed.
    static func word(_ code: String) -> TemplateValue {
        let parts = code.split(separator: ":", maxSplits: 1).map(String.init)
        guard let name = parts.first, codes.contains(name) else { return .text(ConsoleVisit.inert(code)) }
        let detail = parts.count > 1 ? ConsoleVisit.inert(parts[1].trimmingPrefix(" ").description) : ""
        return .word("refused" + name.capitalizedFirst, ["refusedDetail": .text(detail)])
    }
}
