package import ProjectSettings
package import Runtime

/// The reason why a way to sign in gives a person no session.
package enum SignInObstacle: Sendable, Equatable {
    /// No app may call the tenant.
    case tenantSwitchedOff
    /// The project's settings do not have this way to sign in.
    case notEnabled
    case providerNotConfigured
    case providerSwitchedOff
    /// The person has used up a limit, which lets one more attempt through at a time.
    case limitReached(LimitedAction, LimitScope, until: Instant)
    case noAddress
    case noPassword
    case noPhoneNumber
    /// The project sends nothing to the person's number.
    case numberNotReached
    case noPasskey
    case notLinked
    case accountDisabled
    /// A phone is not the first factor of an account that has second ones.
    case phoneBesideSecondFactor
    /// The account has second factors, of which none is of a kind that this server asks for.
    case secondFactorUnknown
}

extension SignInObstacle {
    /// The words for an operator.
    package var sentence: String {
        switch self {
        case .tenantSwitchedOff: "The tenant is switched off, so no app can call it."
        case .notEnabled: "The project does not allow this way to sign in."
        case .providerNotConfigured: "The project's file has no entry for this provider."
        case .providerSwitchedOff: "The provider is switched off in the project's file."
        case .limitReached(let action, let scope, let until):
            "The limit \(action.rawValue) \(scope.configKey) is used up. It lets one more attempt through at \(Timestamp.text(until))."
        case .noAddress: "The account has no e-mail address."
        case .noPassword: "The account has no password. The person can set one by a reset mail."
        case .noPhoneNumber: "The account has no phone number."
        case .numberNotReached: "The project sends no messages to the region of the account's number."
        case .noPasskey: "The account has no passkey."
        case .notLinked:
            "The account has no identity of this provider. A sign-in there finds the account only by an address that the provider proves."
        case .accountDisabled: "The account is disabled."
        case .phoneBesideSecondFactor: "The account has second factors, and a phone number is not a first factor beside them."
        case .secondFactorUnknown: "The account has second factors of kinds that this server does not ask for. An operator can remove them."
        }
    }
}

/// A step behind the first proof, which can still end a sign-in.
package enum SignInCondition: Sendable, Equatable {
    /// One of these second factors is asked for: their kinds and names.
    case secondFactor([String])
    /// The project's hook is asked, which may refuse.
    case hook(HookEvent)
    /// The password must meet the project's policy, as it is now.
    case passwordPolicy
}

extension SignInCondition {
    /// The words for an operator.
    package var sentence: String {
        switch self {
        case .secondFactor(let names): "Then a second factor is asked for: \(names.joined(separator: ", "))."
        case .hook(let event): "The project's hook \(event.rawValue) is asked, which may refuse."
        case .passwordPolicy: "A password that does not meet the project's policy is refused until it is changed."
        }
    }
}
