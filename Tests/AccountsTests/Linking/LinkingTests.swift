@testable import Accounts
import Identity
import ProjectSettings
import Runtime
import Testing
import Text

@Suite struct LinkingTests {
    private let mail = "ada@example.com"

    private func account(_ id: String, proven: Bool = true, providers: [String] = [], disabled: Bool = false) -> Account {
        Account(
            id: id, email: mail, emailVerified: proven, emailProven: proven, disabled: disabled, validSince: Instant(seconds: 0),
            createdAt: Instant(seconds: 0), identities: providers.map { LinkedIdentity(providerID: $0, subject: "s", email: mail) })
    }

    private func identity(_ provider: String = "oidc.acme", authoritative: Bool = true) -> ProviderIdentity {
        ProviderIdentity(
            providerID: provider, issuer: "https://issuer.example.com", subject: "subject", email: mail, emailVerified: true,
            emailAuthoritative: authoritative)
    }

    private func decide(
        _ intent: Linking.Intent, _ identity: ProviderIdentity, owner: Account? = nil,
        accountOfAddress: Account? = nil, one: Bool = true
    ) -> LinkingDecision.Action {
        var settings = ProjectSettings.SignInMethods()
        settings.oneAccountPerEmail = one
        let candidates = Linking.Candidates(owner: owner, accountOfAddress: accountOfAddress)
        return Linking.decide(intent, identity, candidates, settings).action
    }

    private func decide(
        _ identity: ProviderIdentity, owner: Account? = nil, accountOfAddress: Account? = nil, one: Bool = true
    ) -> LinkingDecision.Action {
        decide(.signIn(mayCreate: true), identity, owner: owner, accountOfAddress: accountOfAddress, one: one)
    }

    @Test func `signs in the account that has the identity, whatever its address says`() {
        let owner = account("owner")
        #expect(decide(identity(authoritative: false), owner: owner, accountOfAddress: account("other")) == .signIn(owner))
    }

    @Test func `makes an account for a new person, with the address as its own`() {
        #expect(decide(identity()) == .create(email: mail))
    }

    @Test func `gives a federated account no address of its own where several accounts may share one`() {
        #expect(decide(identity(), accountOfAddress: account("other"), one: false) == .create(email: nil))
    }

    @Test func `makes no account when the caller only reauthenticates`() {
        #expect(decide(.signIn(mayCreate: false), identity()) == .refuse(.noSuchIdentity))
    }

    @Test func `an address that only forwards joins no account but one that has the provider`() {
        var relayed = identity()
        relayed.emailIsRelay = true
        for (provider, proven) in [("oidc.other", true), ("oidc.other", false)] {
            let other = account("other", proven: proven, providers: [provider])
            #expect(decide(relayed, accountOfAddress: other) == .confirm(other))
        }
        let own = account("own", providers: ["oidc.acme"])
        #expect(decide(relayed, accountOfAddress: own) == .takeOver(own, recycled: true))
        let linking = account("linking")
        #expect(decide(.link(linking), relayed, accountOfAddress: linking) == .link(linking))
    }

    @Test(arguments: [true, false])
    func `SEC-02 takes nothing over and joins nothing when the caller only reauthenticates`(proven: Bool) {
        let accountOfAddress = account("accountOfAddress", proven: proven, providers: ["oidc.old"])
        #expect(decide(.signIn(mayCreate: false), identity(), accountOfAddress: accountOfAddress) == .refuse(.noSuchIdentity))
    }

    @Test func `asks for confirmation when the provider does not prove the address`() {
        let accountOfAddress = account("accountOfAddress", providers: ["oidc.old"])
        #expect(decide(identity(authoritative: false), accountOfAddress: accountOfAddress) == .confirm(accountOfAddress))
    }

    @Test func `joins an account whose address is proven when the new proof is good too`() {
        let accountOfAddress = account("accountOfAddress", providers: ["oidc.old"])
        #expect(decide(identity(), accountOfAddress: accountOfAddress) == .join(accountOfAddress))
    }

    @Test func `SEC-02 takes over an account whose maker never proved its address`() {
        let trap = account("trap", proven: false, providers: ["oidc.attacker"])
        #expect(decide(identity(), accountOfAddress: trap) == .takeOver(trap, recycled: false))
    }

    @Test func `SEC-02 leaves an account that custom tokens open to the back end's person, and moves the address to its owner's`() {
        for provider in ["oidc.attacker", "oidc.acme"] {
            var trap = account("trap", proven: false, providers: [provider])
            trap.customAuth = true
            #expect(decide(identity(), accountOfAddress: trap) == .moveAddress(from: trap))
            (trap.emailVerified, trap.emailProven) = (true, true)
            #expect(decide(identity(), accountOfAddress: trap) == (provider == "oidc.acme" ? .moveAddress(from: trap) : .join(trap)))
        }
    }

    @Test func `SEC-02 takes over for the new owner of a mailbox, whom the provider knows by another subject`() {
        let accountOfAddress = account("accountOfAddress", providers: ["oidc.acme"])
        #expect(decide(identity(), accountOfAddress: accountOfAddress) == .takeOver(accountOfAddress, recycled: true))
    }

    @Test(arguments: ["other@example.com", nil])
    func `asks for confirmation when the account's identity of the same provider has another address`(other: String?) {
        var mine = account("mine", providers: ["oidc.acme"])
        mine.identities[0].email = other
        #expect(decide(identity(), accountOfAddress: mine) == .confirm(mine))
        mine.emailProven = false
        #expect(decide(identity(), accountOfAddress: mine) == .takeOver(mine, recycled: false))
    }

    @Test func `refuses disabled accounts, known or joined`() {
        let disabled = account("a", disabled: true)
        for (owner, accountOfAddress) in [(disabled, nil), (nil, disabled)] as [(Account?, Account?)] {
            #expect(decide(identity(), owner: owner, accountOfAddress: accountOfAddress) == .refuse(.accountDisabled))
        }
    }

    @Test func `does not tell a stranger that the account with their claimed address is disabled`() {
        let accountOfAddress = account("a", disabled: true)
        #expect(decide(identity(authoritative: false), accountOfAddress: accountOfAddress) == .confirm(accountOfAddress))
    }

    @Test func `links to the signed-in account`() {
        let me = account("me", providers: ["oidc.old"])
        #expect(decide(.link(me), identity(), accountOfAddress: me) == .link(me))
    }

    @Test func `refuses to link an identity that any account has, the same one included`() {
        let me = account("me")
        for owner in [me, account("other")] {
            #expect(decide(.link(me), identity(), owner: owner) == .refuse(.identityTaken))
        }
    }

    @Test func `refuses to link a second identity of one provider`() {
        let me = account("me", providers: ["oidc.acme"])
        #expect(decide(.link(me), identity()) == .refuse(.identityTaken))
    }

    @Test func `refuses to link an identity whose address is another account's`() {
        let me = account("me")
        #expect(decide(.link(me), identity(), accountOfAddress: account("other")) == .refuse(.emailTaken))
    }
}
