/// One of the pages at `/{project}/sign-in`. The address names one by its parameter `page`; `shown` decides which one the person sees.
enum HostedPage: String, Sendable, CaseIterable {
    /// Sign in, by whatever the project and the user flow offer.
    case signIn
    /// Enter the code that a mail brought, to sign in.
    case signInCode
    /// End a sign-in by a second step: a code of an authenticator app, a code on a phone, a passkey, or a recovery code in their place.
    case secondFactor, phoneCode, passkey, recoveryCode
    /// Make an account: the address first, then a code from its mailbox, then the password and the attributes of the user flow.
    case signUp, signUpCode, signUpDetails
    /// Choose a new password, after a code from the mailbox.
    case reset, resetCode, newPassword
    /// Change the attributes of the user flow, or fill them in after the first sign-in at a provider.
    case profile
    /// Enrol an authenticator app, where the project lets no one in without a second factor.
    case enrol
    /// Go on with the present session, or with another account.
    case accounts
    /// Allow the client what it asks for.
    case consent

    /// Whether it asks for the second factor of a sign-in that waits.
    var isSecondStep: Bool {
        switch self {
        case .secondFactor, .phoneCode, .passkey, .recoveryCode: true
        default: false
        }
    }

    /// The facts that decide about the page.
    struct Facts: Sendable, Equatable {
        /// The step that the request still needs; `nil` when it needs none.
        var needed: Interaction?
        var offer = SignInOffer()
        /// Whether a code was mailed for this request.
        var isCodeMailed = false
        /// Whether the person has entered that code.
        var isEmailProven = false
        /// The pages on which a sign-in of this browser that waits for a second step can be ended.
        var secondSteps: [HostedPage] = []
        /// Whether the account is new and the user flow asks for attributes.
        var mayComplete = false
    }

    /// The page for a visit that asks for `asked`. A page whose step is not needed, not offered or not due yet is replaced by one that is.
    ///
    /// - Returns: `nil` when nothing is left to do here, so that the request goes on.
    static func shown(asked: HostedPage?, _ facts: Facts) -> HostedPage? {
        switch facts.needed {
        case nil: asked == .profile && facts.mayComplete ? .profile : nil
        // No page can help: the client is told.
        case .otherAccount, .unmetSecondFactor: nil
        case .consent: asked == .profile && facts.mayComplete ? .profile : .consent
        case .enrolFactor: .enrol
        case .editProfile: .profile
        case .chooseAccount: asked?.towardsSession(facts) ?? .accounts
        case .signIn: asked?.towardsSession(facts) ?? .signIn
        case .signUp: asked?.towardsSession(facts) ?? .signUp
        case .resetPassword: asked?.towardsReset(facts) ?? .reset
        }
    }

    /// This page, or the one before it that is still due, as far as it leads to a session; `nil` when it does not.
    private func towardsSession(_ facts: Facts) -> HostedPage? {
        let offer = facts.offer
        return switch self {
        case .signIn: offer.signsIn ? .signIn : nil
        case .signInCode: offer.hasCode && facts.isCodeMailed ? .signInCode : nil
        case .secondFactor, .phoneCode, .passkey, .recoveryCode:
            facts.secondSteps.contains(self) ? self : facts.secondSteps.first
        case .signUp: offer.signsUp ? .signUp : nil
        case .signUpCode: !offer.signsUp ? nil : facts.isCodeMailed ? .signUpCode : .signUp
        case .signUpDetails: !offer.signsUp ? nil : facts.isEmailProven ? .signUpDetails : .signUp
        case .reset, .resetCode, .newPassword: offer.resets ? towardsReset(facts) : nil
        case .profile, .accounts, .consent, .enrol: nil
        }
    }

    private func towardsReset(_ facts: Facts) -> HostedPage? {
        switch self {
        case .newPassword where facts.isEmailProven: .newPassword
        case .resetCode where facts.isCodeMailed: .resetCode
        // A new password gives a session, which may need a second factor.
        case .secondFactor, .phoneCode, .passkey, .recoveryCode: towardsSession(facts)
        case .reset, .resetCode, .newPassword: .reset
        default: nil
        }
    }
}
