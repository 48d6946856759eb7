/// The outcome of a sign-in or a link with a proven identity, and the rule that decides it.
package struct LinkingDecision: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// The account that has the identity signs in.
        case signIn(Account)
        case create(email: String?)
        /// A new account gets the identity, and the address of this one, which keeps everything else, and signs in.
        case moveAddress(from: Account)
        /// The account of the address gets the identity and signs in.
        case join(Account)
        /// The same, after everything has ended by which people could sign in to the account until now. `recycled`: the mailbox has a new
        /// owner.
        case takeOver(Account, recycled: Bool)
        /// The caller's own account gets the identity.
        case link(Account)
        /// The address belongs to this account, and the person must confirm by signing in to it. Nothing is written.
        case confirm(Account)
        /// Nothing is written.
        case refuse(Refusal)
    }

    package enum Refusal: Sendable, Equatable {
        case accountDisabled, adminOnly, emailTaken, identityTaken, noSuchIdentity, tenantChanged
    }

    package let action: Action
    package let rule: LinkingRule

    init(_ action: Action, _ rule: LinkingRule) {
        self.action = action
        self.rule = rule
    }

    static func refuse(_ refusal: Refusal, _ rule: LinkingRule) -> LinkingDecision { LinkingDecision(.refuse(refusal), rule) }
}

extension LinkingDecision.Action {
    /// The account that gets the identity, as it was; `nil` when none does that was there.
    var joined: Account? {
        switch self {
        case .join(let account), .link(let account), .takeOver(let account, _): account
        case .signIn, .create, .moveAddress, .confirm, .refuse: nil
        }
    }

    /// Whether one account alone is written, and none of its sessions ends.
    var isPlain: Bool {
        switch self {
        case .signIn, .create: true
        case .moveAddress, .join, .link, .takeOver, .confirm, .refuse: false
        }
    }

    /// Whether the mailbox of the account has a new owner.
    var isRecycled: Bool { if case .takeOver(_, recycled: true) = self { true } else { false } }
}

extension LinkingDecision.Refusal {
    package var error: AccountError {
        switch self {
        case .accountDisabled: .accountDisabled
        case .adminOnly: .adminOnly
        case .emailTaken: .emailTaken
        case .identityTaken: .identityTaken
        case .noSuchIdentity: .noSuchIdentity
        case .tenantChanged: .tenantChanged
        }
    }
}
