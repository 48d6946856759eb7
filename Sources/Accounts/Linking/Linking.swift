package import Identity
package import ProjectSettings

/// Decides which account a proven identity opens. A function without I/O: it gives one decision, with the rule that made it.
///
/// It follows Firebase's table: a proven address joins accounts; an address that is not proven must be confirmed by signing in the old
/// way. The proof is `emailAuthoritative`, never the provider's mere statement. An account whose own address was never proven loses
/// everything that its maker left in it, so that an attacker cannot prepare an account for the address of another person. Where the app's
/// back end signs that maker in, the account is never another person's: it loses the address alone (`AddressMove.swift`). A project may
/// be stricter (`ProjectSettings.LinkingPolicy`): then more people must confirm. It can never make joining easier.
package enum Linking {
    package enum Intent: Sendable {
        /// Sign in; `mayCreate` is false when the caller only reauthenticates.
        case signIn(mayCreate: Bool)
        /// Add the identity to this account.
        case link(Account)
    }

    /// The accounts that an identity may concern, as they were read.
    package struct Candidates: Sendable {
        /// Has the identity already.
        package var owner: Account?
        /// Whether the owner's identity was stored for another tenant of the provider than the one that vouches for it now.
        package var ownerHasOtherTenant = false
        /// Has the identity's address as its own.
        package var accountOfAddress: Account?
    }

    package static func decide(
        _ intent: Intent, _ identity: ProviderIdentity, _ candidates: Candidates, _ settings: ProjectSettings.SignInMethods
    ) -> LinkingDecision {
        guard !candidates.ownerHasOtherTenant else { return .refuse(.tenantChanged, .otherTenant) }
        // Where several accounts may have one address, an address says nothing about whose account it is.
        let accountOfAddress = settings.oneAccountPerEmail ? candidates.accountOfAddress : nil
        switch intent {
        case .link(let account):
            return link(identity, to: account, owner: candidates.owner, accountOfAddress: accountOfAddress)
        case .signIn(let mayCreate):
            if let owner = candidates.owner {
                return owner.disabled ? .refuse(.accountDisabled, .knownIdentityDisabled) : LinkingDecision(.signIn(owner), .knownIdentity)
            }
            // A person who only reauthenticates has the identity already, or is another person; a reauthentication must not join accounts.
            guard mayCreate else { return .refuse(.noSuchIdentity, .onlyReauthenticates) }
            if let accountOfAddress { return joinOrConfirm(accountOfAddress, identity, settings) }
            return create(identity, settings)
        }
    }

    private static func link(
        _ identity: ProviderIdentity, to account: Account, owner: Account?, accountOfAddress: Account?
    ) -> LinkingDecision {
        guard !account.disabled else { return .refuse(.accountDisabled, .linkToDisabled) }
        guard owner == nil else { return .refuse(.identityTaken, .identityTaken) }
        guard !account.has(identity.providerID) else { return .refuse(.identityTaken, .providerTaken) }
        if let accountOfAddress, accountOfAddress.id != account.id { return .refuse(.emailTaken, .addressTaken) }
        return LinkingDecision(.link(account), .linkAdds)
    }

    private static func create(_ identity: ProviderIdentity, _ settings: ProjectSettings.SignInMethods) -> LinkingDecision {
        guard settings.signUp else { return .refuse(.adminOnly, .signUpClosed) }
        guard let email = identity.email else { return LinkingDecision(.create(email: nil), .noAddress) }
        guard settings.oneAccountPerEmail else { return LinkingDecision(.create(email: nil), .separateAccounts) }
        return LinkingDecision(.create(email: email), .newAddress)
    }

    /// Decides about an identity that no account has, when `account` has its address. Only a person who has proven the address learns that
    /// the account is disabled.
    private static func joinOrConfirm(
        _ account: Account, _ identity: ProviderIdentity, _ settings: ProjectSettings.SignInMethods
    ) -> LinkingDecision {
        let policy = settings.linking
        guard identity.emailAuthoritative else { return LinkingDecision(.confirm(account), .addressNotProven) }
        if identity.emailIsRelay, !account.has(identity.providerID) { return LinkingDecision(.confirm(account), .addressForwards) }
        guard !account.disabled else { return .refuse(.accountDisabled, .addressOfDisabled) }
        guard policy != .confirm else { return LinkingDecision(.confirm(account), .policyConfirms) }
        if account.awaitsItsOwner { return LinkingDecision(.join(account), .madeByAdministrator) }
        if account.emailProven {
            guard let linked = account.identity(of: identity.providerID) else { return LinkingDecision(.join(account), .bothProven) }
            // The address alone does not say whether this is the account's person with a second identity, or a new owner of the mailbox.
            guard linked.email == identity.email else { return LinkingDecision(.confirm(account), .providerHasOtherAddress) }
        }
        guard policy != .neverOverwrite else { return LinkingDecision(.confirm(account), .policyKeepsAccount) }
        if account.customAuth {
            return settings.signUp ? LinkingDecision(.moveAddress(from: account), .heldByBackEnd) : .refuse(.adminOnly, .signUpClosed)
        }
        // Another person of the same provider with the same address: the mailbox has a new owner.
        let isRecycled = account.emailProven
        return LinkingDecision(.takeOver(account, recycled: isRecycled), isRecycled ? .mailboxRecycled : .makerNeverProved)
    }
}

extension Account {
    /// Whether an administrator made it for the owner of a verified address, who has not come yet. An account that a person made has been
    /// signed in to from its beginning, so it is not one, whatever the person has removed from it since.
    /// A phone number that the administrator gave it changes nothing.
    var awaitsItsOwner: Bool {
        emailVerified && !emailProven && !hasBeenUsed && !hasEmailSignIn && !customAuth && identities.isEmpty
    }

    /// Whether a person has signed in to it. Until then, only administrators have written what is in it.
    var hasBeenUsed: Bool { lastLoginAt != nil }

    /// Removes what the maker of the account said of themselves.
    mutating func clearProfile() { (phoneNumber, displayName, photoURL, profile) = (nil, nil, nil, nil) }
}
