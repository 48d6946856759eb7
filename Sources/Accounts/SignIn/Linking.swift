package import Identity

/// Decides which account a proven identity opens, under the policy of one account for each e-mail address. A function without I/O.
///
/// It follows Firebase's table: a proven address joins accounts; an address that is not proven must be confirmed by signing in the old
/// way. The proof is `emailAuthoritative`, never the provider's mere statement. An account whose own address was never proven loses
/// everything that its maker left in it, so that an attacker cannot prepare an account for the address of another person.
package enum Linking {
    package enum Intent: Sendable {
        /// Sign in; `mayCreate` is false when the caller only reauthenticates.
        case signIn(mayCreate: Bool)
        /// Add the identity to this account.
        case link(Account)
    }

    package enum Decision: Sendable, Equatable {
        /// The identity is known: its account signs in.
        case known(Account)
        case create(email: String?)
        /// The identity joins this account. `takeover`: the account's earlier identities and sessions end first. `recycled`: it replaces
        /// the provider's former identity.
        case join(Account, takeover: Bool, recycled: Bool)
        /// The address belongs to this account; the person must confirm by signing in to it.
        case confirm(Account)
    }

    /// - Parameters:
    ///   - owner: the account that has the identity already.
    ///   - accountOfAddress: the account whose e-mail address the identity has.
    package static func decide(
        _ intent: Intent, _ identity: ProviderIdentity, owner: Account?, accountOfAddress: Account?, oneAccountPerEmail: Bool
    ) throws(AccountError) -> Decision {
        let accountOfAddress = oneAccountPerEmail ? accountOfAddress : nil
        switch intent {
        case .link(let account):
            guard owner == nil, !account.has(identity.providerID) else { throw .identityTaken }
            guard accountOfAddress == nil || accountOfAddress?.id == account.id else { throw .emailTaken }
            return .join(account, takeover: false, recycled: false)
        case .signIn(let mayCreate):
            if let owner {
                guard !owner.disabled else { throw .accountDisabled }
                return .known(owner)
            }
            // A person who only reauthenticates has the identity already, or is another person; a reauthentication must not join accounts.
            guard mayCreate else { throw .noSuchIdentity }
            guard let accountOfAddress else {
                return .create(email: oneAccountPerEmail ? identity.email : nil)
            }
            guard identity.emailAuthoritative else { return .confirm(accountOfAddress) }
            guard !accountOfAddress.disabled else { throw .accountDisabled }
            // Another person of the same provider with the same address: the mailbox has a new owner.
            let recycled = accountOfAddress.emailProven && accountOfAddress.has(identity.providerID)
            return .join(accountOfAddress, takeover: recycled || !accountOfAddress.emailProven, recycled: recycled)
        }
    }
}

extension Account {
    /// Whether an identity of this provider is linked.
    func has(_ providerID: String) -> Bool { identities.contains { $0.providerID == providerID } }
}
