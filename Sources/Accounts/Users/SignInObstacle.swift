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

/// A step behind the first proof, which can still end a sign-in.
package enum SignInCondition: Sendable, Equatable {
    /// One of these second factors is asked for: their kinds and names.
    case secondFactor([String])
    /// The project's hook is asked, which may refuse.
    case hook(HookEvent)
    /// The password must meet the project's policy, as it is now.
    case passwordPolicy
}
