/// The outcome of a sign-in whose person was proven. The rule that signed in hands it on; the answer to the client is made of it.
package enum SignInOutcome: Sendable {
    /// The person is signed in.
    case session(Session)
    /// The person must take another step first; until then there is no session.
    case pending(PendingSignIn)
}

/// A sign-in that waits for its person to take another step.
package struct PendingSignIn: Sendable, Equatable {
    /// The step that is still due.
    package let due: SignInStep
    /// By which the client goes on with it.
    package let credential: PendingCredential
    /// Whether the secrets of the account's second factors are lost, and nothing stands in for them yet (`LostSecondFactors`).
    package var needsStandIn = false
}

/// A step between the first proof of a person and their session.
package enum SignInStep: Sendable, Equatable {
    case secondFactor

    /// The step that is due after this authentication; `nil` when it is enough for a session.
    ///
    /// This is the only rule about it: `SignInCompletion` asks it at the end of every sign-in, and the OpenID provider each time that a
    /// browser's session is to answer a request (`Interaction`). A person whose account has second factors signs in by no single factor,
    /// whatever the project's settings are now (SEC-31, SEC-55). A custom token asks for none: the back end that made it has proven the person.
    package static func due(after authentication: Authentication) -> SignInStep? {
        guard authentication.account.secondFactors != nil, !authentication.continuesSession, authentication.secondFactor == nil,
            authentication.signInProvider != SignInProvider.custom
        else { return nil }
        return .secondFactor
    }
}
