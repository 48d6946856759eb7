/// The rules by which `Linking` decides. Their names stand in audit rows and in the output of `gatehouse explain-link`, so a name is never
/// changed and never given to another rule.
package enum LinkingRule: String, Sendable, CaseIterable {
    case knownIdentity
    case knownIdentityDisabled
    case otherTenant
    case onlyReauthenticates

    case newAddress
    case noAddress
    case separateAccounts
    case signUpClosed

    case addressNotProven
    case addressForwards
    case addressOfDisabled
    case policyConfirms
    case policyKeepsAccount
    case providerHasOtherAddress
    case bothProven
    case madeByAdministrator
    case heldByBackEnd
    case makerNeverProved
    case mailboxRecycled

    case linkAdds
    case linkToDisabled
    case identityTaken
    case providerTaken
    case addressTaken
}

extension LinkingRule {
    /// The rule in one sentence, for operators.
    package var explanation: String {
        switch self {
        case .knownIdentity: "An account has this identity already, so it signs in, whatever addresses say."
        case .knownIdentityDisabled: "An account has this identity already, and an administrator has disabled that account."
        case .otherTenant:
            "An account has this identity from another tenant of the provider, and a tenant can vouch for its own people only."
        case .onlyReauthenticates:
            "No account has this identity, and a reauthentication neither makes an account nor joins one."
        case .newAddress: "No account has this identity or its address, so a new account gets both."
        case .noAddress: "No account has this identity, and the provider gives no address, so a new account is made without one."
        case .separateAccounts:
            "No account has this identity, and the project has separate accounts for one address (signIn.oneAccountPerEmail: false), so a new account is made without an address."
        case .signUpClosed: "The sign-in needs a new account, and apps may not make accounts here (signIn.signUp: false)."
        case .addressNotProven:
            "An account has this address, and this provider does not prove it: it does not say that the address is verified, or it neither runs the address's domain nor is trusted with it by the operator (authoritativeDomains)."
        case .addressForwards:
            "An account without this provider has this address, which the provider made for its own sign-in and which only forwards mail, so the person must say that both are theirs."
        case .addressOfDisabled: "The address is proven, and an administrator has disabled the account that has it."
        case .policyConfirms:
            "The address is proven, and the project joins no account without asking the person to sign in to it first (signIn.linking: confirm)."
        case .policyKeepsAccount:
            "The address is proven, but joining would remove what the account signs in with now, which the project never does (signIn.linking: neverOverwrite)."
        case .providerHasOtherAddress:
            "The account's address is proven, and the account has an identity of this provider with another address. It can have one of each provider only, so its owner must sign in to it and unlink the other one first."
        case .bothProven: "The account's address is proven, and this provider proves the same address, so both are the same person."
        case .madeByAdministrator:
            "An administrator made the account with a verified address and no way to sign in, and this provider proves the address, so its owner has come."
        case .heldByBackEnd:
            "The app's back end signs a person in to the account of this address (custom tokens), and no proof of an address changes whose account that is, so the owner of the address gets a new account, to which the address moves."
        case .makerNeverProved:
            "The account was made with this address by a person who never proved it; the owner of the address has proven it now, so everything that its maker signs in with ends."
        case .mailboxRecycled:
            "The account has another identity of this provider with the same address, so the mailbox has a new owner, and everything that the former owner signs in with ends."
        case .linkAdds:
            "The caller is signed in to this account, no account has the identity, and no other account's address stands in the way."
        case .linkToDisabled: "The caller's account is disabled."
        case .identityTaken: "An account has this identity already, this one or another one."
        case .providerTaken: "The caller's account has another identity of this provider, which must be unlinked first."
        case .addressTaken: "The identity has the address of another account, and the project has one account for each address."
        }
    }
}
