@testable import Accounts
import Identity
import ProjectSettings
import Runtime

/// One case of the product of all classes of inputs that `Linking` decides about: what the caller wants, what the provider proved, which
/// accounts there are, and what the project asks for.
struct LinkingCase {
    enum Wish: CaseIterable { case signIn, reauthenticate, link }
    /// What the provider says of an address. One that only forwards mail is proven, too.
    enum Address: CaseIterable { case none, claimed, verified, proven, forwarding }
    /// What is known of the address of the account that has it: an administrator's word, for an account that no person has signed in to;
    /// the word of the person who made it; proof.
    enum Holding: CaseIterable { case administrators, unproven, proven }
    /// Its own identity of the provider, if it has one.
    enum Linked: CaseIterable { case none, sameAddress, otherAddress, noAddress }

    struct AddressHolder {
        let holding: Holding
        let disabled: Bool
        let linked: Linked
        /// Whether custom tokens sign in to it.
        let customAuth: Bool

        var hasProvider: Bool { linked != .none }

        static let all = Holding.allCases.flatMap { holding in
            // An account that waits for its owner has no identity, and no custom token has signed in to it.
            let isFresh = holding == .administrators
            return [false, true].flatMap { disabled in
                (isFresh ? [.none] : Linked.allCases).flatMap { linked in
                    (isFresh ? [false] : [false, true]).map {
                        AddressHolder(holding: holding, disabled: disabled, linked: linked, customAuth: $0)
                    }
                }
            }
        }
    }

    /// The account that has the identity.
    enum Owner: CaseIterable { case none, another, disabled, ofOtherTenant, addressHolder }
    /// The account that links.
    enum Caller: CaseIterable { case plain, withProvider, disabled, addressHolder, owner }

    let wish: Wish
    let address: Address
    let addressHolder: AddressHolder?
    let owner: Owner
    /// Only where the wish is a link.
    let caller: Caller
    let policy: ProjectSettings.LinkingPolicy
    let oneAccountPerEmail: Bool
    let signUp: Bool

    /// Every case that can be.
    static let all: [LinkingCase] = {
        var cases: [LinkingCase] = []
        for wish in Wish.allCases {
            for address in Address.allCases {
                for addressHolder in (address == .none ? [] : AddressHolder.all.map(Optional.some)) + [nil] {
                    for owner in Owner.allCases where owner != .addressHolder || addressHolder?.hasProvider == true {
                        for caller in wish == .link ? Caller.allCases : [.plain] {
                            if caller == .addressHolder, addressHolder == nil || addressHolder?.holding == .administrators { continue }
                            if caller == .owner, owner == .none { continue }
                            for policy in ProjectSettings.LinkingPolicy.allCases {
                                for flags in 0..<4 {
                                    cases.append(
                                        LinkingCase(
                                            wish: wish, address: address, addressHolder: addressHolder, owner: owner, caller: caller,
                                            policy: policy,
                                            oneAccountPerEmail: flags & 1 == 0, signUp: flags & 2 == 0))
                                }
                            }
                        }
                    }
                }
            }
        }
        return cases
    }()
}

/// The inputs of the function, made of the case.
extension LinkingCase {
    static let email = "ada@example.com"
    static let provider = "oidc.acme"

    var identity: ProviderIdentity {
        var identity = ProviderIdentity(
            providerID: Self.provider, issuer: "https://issuer.example.com", subject: "ada",
            email: address == .none ? nil : Self.email, emailVerified: [.verified, .proven, .forwarding].contains(address),
            emailAuthoritative: [.proven, .forwarding].contains(address))
        identity.emailIsRelay = address == .forwarding
        return identity
    }

    var settings: ProjectSettings.SignInMethods {
        var settings = ProjectSettings.SignInMethods()
        settings.linking = policy
        settings.oneAccountPerEmail = oneAccountPerEmail
        settings.signUp = signUp
        return settings
    }

    var accountOfAddress: Account? {
        guard let addressHolder else { return nil }
        var account = Self.account("addressHolder", providers: addressHolder.hasProvider ? [Self.provider, "oidc.old"] : ["oidc.old"])
        let addresses: [Linked: String] = [.sameAddress: Self.email, .otherAddress: "other@example.com"]
        for place in account.identities.indices where account.identities[place].providerID == Self.provider {
            account.identities[place].email = addresses[addressHolder.linked]
        }
        account.email = Self.email
        account.disabled = addressHolder.disabled
        account.emailProven = addressHolder.holding == .proven
        account.emailVerified = addressHolder.holding != .unproven
        account.passwordUpdatedAt = Instant(seconds: 1)
        account.emailLinkSignIn = true
        account.customAuth = addressHolder.customAuth
        guard addressHolder.holding == .administrators else { return account }
        (account.passwordUpdatedAt, account.emailLinkSignIn) = (nil, false)
        (account.identities, account.lastLoginAt) = ([], nil)
        return account
    }

    var candidates: Linking.Candidates {
        let owner: Account? =
            switch owner {
            case .none: nil
            case .another, .ofOtherTenant: Self.account("owner", providers: [Self.provider])
            case .disabled: Self.account("owner", providers: [Self.provider], disabled: true)
            case .addressHolder: accountOfAddress
            }
        return Linking.Candidates(owner: owner, ownerHasOtherTenant: self.owner == .ofOtherTenant, accountOfAddress: accountOfAddress)
    }

    var intent: Linking.Intent {
        switch wish {
        case .signIn: .signIn(mayCreate: true)
        case .reauthenticate: .signIn(mayCreate: false)
        case .link: .link(callersAccount)
        }
    }

    var callersAccount: Account {
        switch caller {
        case .plain: Self.account("caller", providers: ["oidc.old"])
        case .withProvider: Self.account("caller", providers: [Self.provider])
        case .disabled: Self.account("caller", providers: ["oidc.old"], disabled: true)
        case .addressHolder: accountOfAddress ?? Self.account("caller", providers: [])
        case .owner: candidates.owner ?? Self.account("caller", providers: [])
        }
    }

    private static func account(_ id: String, providers: [String], disabled: Bool = false) -> Account {
        Account(
            id: id, disabled: disabled, validSince: Instant(seconds: 0), createdAt: Instant(seconds: 0), lastLoginAt: Instant(seconds: 0),
            identities: providers.map { LinkedIdentity(providerID: $0, subject: "another") })
    }
}
