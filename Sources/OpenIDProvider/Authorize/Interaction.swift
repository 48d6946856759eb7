package import Accounts
import Identity
package import ProjectSettings
package import Runtime
import Text

/// The step that a person must take at a hosted page before a request can be granted.
///
/// The hosted pages establish a session, or note a choice or a consent in the pending request; this decides alone whether that is enough. So each
/// request ends in one place, whether it needed a page or not.
package enum Interaction: Sendable, Equatable {
    /// Sign in, with a session that is new.
    case signIn
    /// Make an account (`prompt=create`, or a user flow for signing up).
    case signUp
    /// Set a new password (a user flow for that).
    case resetPassword
    /// Go on with the account of the session, or take another.
    case chooseAccount
    /// Enrol a second factor, without which the project lets no one in.
    case enrolFactor
    /// Look through one's own profile (a user flow for that).
    case editProfile
    /// Allow the client these scopes.
    case consent(scopes: [String])
    /// The person is signed in to another account than the one the client asked for, although they have just signed in, or no page may be
    /// shown. No page can help.
    case otherAccount
    /// The client demands a second factor, and the person has just signed in without one. No page can help.
    case unmetSecondFactor

    /// How a second factor comes to an account that must have one.
    package enum Enrolment: Sendable, Equatable {
        /// In the session, whose person signed in a moment ago.
        case possible
        /// In another session: this one is too old.
        case afterSignIn
    }

    /// The facts that decide how a request goes on.
    package struct Situation: Sendable {
        package let request: AuthorizationRequest
        package let client: OAuthClient
        package let userFlow: UserFlow?
        package let session: BrowserSession?
        /// The step that the person must still take before the session can answer a request (`SignInStep.due`).
        package let due: SignInStep?
        /// Whether the person must enrol a second factor before anything else; `nil` where they need none.
        package let enrolment: Enrolment?
        /// `nil` when the request has just arrived.
        package let authorization: PendingAuthorization?
        /// Whether the session is that of the account that the request names, if it names one.
        package let isAccountAsked: Bool
        /// Whether the person allowed this client these scopes before.
        package let isAllowed: Bool
        package let now: Instant

        package init(
            _ request: AuthorizationRequest, of client: OAuthClient, userFlow: UserFlow?, session: BrowserSession?,
            due: SignInStep?, enrolment: Enrolment? = nil, authorization: PendingAuthorization?, isAccountAsked: Bool, isAllowed: Bool,
            at now: Instant
        ) {
            self.request = request
            self.client = client
            self.userFlow = userFlow
            self.session = session
            self.due = due
            self.enrolment = enrolment
            self.authorization = authorization
            self.isAccountAsked = isAccountAsked
            self.isAllowed = isAllowed
            self.now = now
        }
    }

    /// The first step that is still needed; `nil` when the request can be granted to the session.
    package static func needed(_ situation: Situation) -> Interaction? {
        guard situation.session != nil, !situation.needsNewSession else { return situation.stepToSession }
        guard situation.isAccountAsked else { return situation.isSessionNew ? .otherAccount : .signIn }
        if situation.hintsAtAnother { return .otherAccount }
        if let enrolment = situation.enrolment { return enrolment == .possible ? .enrolFactor : .signIn }
        if situation.lacksSecondFactor, situation.request.secondFactor == .required { return .unmetSecondFactor }
        if situation.asksToChoose, !situation.isDone(by: situation.authorization?.chosenBy) { return .chooseAccount }
        if situation.userFlow?.kind == .profileEdit, !situation.isDone(by: situation.authorization?.editedBy) { return .editProfile }
        if situation.asksConsent, !situation.isDone(by: situation.authorization?.consentedBy) {
            return .consent(scopes: situation.request.scopes)
        }
        return nil
    }
}

extension Session {
    /// Whether the session began at the provider that a user flow names. Its name for a link by mail is that of the password.
    fileprivate func isSignIn(by provider: String) -> Bool {
        signInProvider.isExactly(provider) || signInProvider.isExactly("password") && provider.isExactly("emailLink")
    }
}

extension Interaction.Situation {
    /// Whether the person authenticated for this very request. That meets `prompt=login` and every `max_age`.
    fileprivate var isSessionNew: Bool {
        guard let session, let authorization else { return false }
        return session.session.authTime >= authorization.createdAt
    }

    /// Whether the session cannot answer the request, however the person chooses.
    fileprivate var needsNewSession: Bool {
        guard let session = session?.session else { return true }
        // The sign-in that makes the new session asks for the step.
        if due != nil { return true }
        // A user flow with a list of providers is not for those who signed in by another one.
        if let providers = userFlow?.providers, !providers.contains(where: session.isSignIn) { return true }
        if lacksSecondFactor, self.session?.account.secondFactors != nil { return true }
        if isSessionNew { return false }
        if lacksSecondFactor, request.secondFactor == .required { return true }
        if request.prompts.contains(.login) || request.prompts.contains(.create) { return true }
        if userFlow?.kind == .signUp || userFlow?.kind == .passwordReset { return true }
        guard let maxAge = request.maxAge else { return false }
        // The client compares the `auth_time` that it gets, in whole seconds.
        return maxAge == 0 || (session.authTime + .seconds(maxAge)).isInEarlierSecond(than: now)
    }

    /// Whether the client asks for a second factor that the person has not passed in the session.
    fileprivate var lacksSecondFactor: Bool { request.secondFactor != nil && session?.session.showsSecondFactor == false }

    fileprivate var stepToSession: Interaction {
        if request.prompts.contains(.create) { return .signUp }
        return switch userFlow?.kind {
        case .signUp: .signUp
        case .passwordReset: .resetPassword
        case .signIn, .signUpOrSignIn, .profileEdit, nil: .signIn
        }
    }

    /// Any app of a device can ask for the scheme of another, so a request for a custom scheme is never answered without the person.
    /// <https://www.rfc-editor.org/rfc/rfc8252#section-8.6>
    fileprivate var asksToChoose: Bool {
        if request.prompts.contains(.selectAccount) { return true }
        // Other programs of the machine can listen on its loopback addresses, too. Only an `https` address is certainly the client's.
        return client.kind == .native && !UTF8Text(request.redirectURI).asciiLowercased.hasPrefix("https:")
    }

    /// Whether no page may be shown, and the client names an address that is not the person's, as far as the account knows. It is not looked up
    /// whether another account has the address: the answer would tell strangers.
    fileprivate var hintsAtAnother: Bool {
        guard request.prompts.contains(.none), let account = session?.account, let hint = request.loginHint.flatMap(EmailAddress.canonical)
        else { return false }
        let own = [account.email, account.initialEmail] + account.identities.flatMap { [$0.email, $0.screenName] }
        return !own.contains { $0.flatMap(EmailAddress.canonical) == hint }
    }

    /// Whether the account that did something at the pages is that of the session, in which another person may have signed in since.
    fileprivate func isDone(by accountID: String?) -> Bool { session?.account.id.isExactly(accountID) ?? false }

    fileprivate var asksConsent: Bool { request.prompts.contains(.consent) || client.asksConsent && !isAllowed }
}
