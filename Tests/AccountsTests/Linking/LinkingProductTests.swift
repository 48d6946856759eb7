@testable import Accounts
import Identity
import ProjectSettings
import Runtime
import Testing

/// The decision for every combination of inputs, against sentences that say for themselves when they apply.
@Suite struct LinkingProductTests {
    /// One sentence of the policy: when it applies, and what must come of it then. Sentences exclude one another.
    private struct Sentence: Sendable {
        let rule: LinkingRule
        let applies: @Sendable (LinkingCase) -> Bool
        let comesTo: @Sendable (LinkingCase) -> LinkingDecision.Action?

        init(
            _ rule: LinkingRule, when applies: @escaping @Sendable (LinkingCase) -> Bool,
            _ action: LinkingDecision.Action
        ) {
            self.init(rule, when: applies, { _ in action })
        }

        init(
            _ rule: LinkingRule, when applies: @escaping @Sendable (LinkingCase) -> Bool,
            _ comesTo: @escaping @Sendable (LinkingCase) -> LinkingDecision.Action?
        ) {
            self.rule = rule
            self.applies = applies
            self.comesTo = comesTo
        }
    }

    private static let sentences: [Sentence] = [
        Sentence(.otherTenant, when: { $0.owner == .ofOtherTenant }, .refuse(.tenantChanged)),

        // A known person signs in or reauthenticates.
        Sentence(
            .knownIdentity, when: { $0.wantsIn && $0.isKnown && !$0.ownerIsDisabled },
            { $0.candidates.owner.map(LinkingDecision.Action.signIn) }),
        Sentence(.knownIdentityDisabled, when: { $0.wantsIn && $0.isKnown && $0.ownerIsDisabled }, .refuse(.accountDisabled)),
        Sentence(.onlyReauthenticates, when: { $0.wish == .reauthenticate && !$0.isKnown && $0.isOfTenant }, .refuse(.noSuchIdentity)),

        // A new person, whose address no account has.
        Sentence(.signUpClosed, when: { $0.isNew && (!$0.addressIsTaken || $0.movesAddress) && !$0.signUp }, .refuse(.adminOnly)),
        Sentence(.noAddress, when: { $0.isNew && !$0.addressIsTaken && $0.signUp && $0.address == .none }, .create(email: nil)),
        Sentence(
            .separateAccounts, when: { $0.isNew && $0.signUp && $0.address != .none && !$0.oneAccountPerEmail }, .create(email: nil)),
        Sentence(
            .newAddress, when: { $0.isNew && !$0.addressIsTaken && $0.signUp && $0.address != .none && $0.oneAccountPerEmail },
            .create(email: LinkingCase.email)),

        // A new person with the address of an account.
        Sentence(
            .addressNotProven, when: { $0.isNew && $0.addressIsTaken && [.claimed, .verified].contains($0.address) },
            { $0.accountOfAddress.map(LinkingDecision.Action.confirm) }),
        Sentence(
            .addressForwards,
            when: { $0.isNew && $0.addressIsTaken && $0.address == .forwarding && $0.addressHolder?.hasProvider == false },
            { $0.accountOfAddress.map(LinkingDecision.Action.confirm) }),
        Sentence(.addressOfDisabled, when: { $0.proves && $0.addressHolder?.disabled == true }, .refuse(.accountDisabled)),
        Sentence(
            .policyConfirms, when: { $0.proves && $0.addressHolder?.disabled == false && $0.policy == .confirm },
            { $0.accountOfAddress.map(LinkingDecision.Action.confirm) }),
        Sentence(
            .providerHasOtherAddress, when: { $0.mayJoin && $0.hasOtherAddress },
            { $0.accountOfAddress.map(LinkingDecision.Action.confirm) }),
        Sentence(
            .bothProven, when: { $0.mayJoin && $0.addressHolder?.holding == .proven && $0.addressHolder?.hasProvider == false },
            { $0.accountOfAddress.map(LinkingDecision.Action.join) }),
        Sentence(
            .madeByAdministrator, when: { $0.mayJoin && $0.addressHolder?.holding == .administrators },
            { $0.accountOfAddress.map(LinkingDecision.Action.join) }),
        Sentence(
            .heldByBackEnd, when: { $0.movesAddress && $0.signUp },
            { $0.accountOfAddress.map(LinkingDecision.Action.moveAddress) }),
        Sentence(
            .makerNeverProved,
            when: { $0.mayJoin && $0.addressHolder?.holding == .unproven && $0.policy == .firebase && !$0.movesAddress },
            { $0.accountOfAddress.map { .takeOver($0, recycled: false) } }),
        Sentence(
            .mailboxRecycled,
            when: {
                $0.mayJoin && $0.isRecycled && $0.policy == .firebase && !$0.movesAddress
            },
            { $0.accountOfAddress.map { .takeOver($0, recycled: true) } }),
        Sentence(
            .policyKeepsAccount,
            when: {
                $0.mayJoin && $0.policy == .neverOverwrite && ($0.addressHolder?.holding == .unproven || $0.isRecycled)
            }, { $0.accountOfAddress.map(LinkingDecision.Action.confirm) }),

        // A person who is signed in adds the identity.
        Sentence(.linkToDisabled, when: { $0.links && $0.callersAccount.disabled }, .refuse(.accountDisabled)),
        Sentence(.identityTaken, when: { $0.mayLink && $0.isKnown }, .refuse(.identityTaken)),
        Sentence(.providerTaken, when: { $0.mayLink && !$0.isKnown && $0.callerHasProvider }, .refuse(.identityTaken)),
        Sentence(
            .addressTaken, when: { $0.mayLink && !$0.isKnown && !$0.callerHasProvider && $0.addressIsTaken && $0.caller != .addressHolder },
            .refuse(.emailTaken)),
        Sentence(
            .linkAdds, when: { $0.mayLink && !$0.isKnown && !$0.callerHasProvider && (!$0.addressIsTaken || $0.caller == .addressHolder) },
            { .link($0.callersAccount) }),
    ]

    @Test func `for every combination of inputs one sentence applies, and the decision is its own`() {
        var wrong: [String] = []
        var seen: Set<LinkingRule> = []
        for one in LinkingCase.all {
            let decision = one.decision
            let applying = Self.sentences.filter { $0.applies(one) }
            seen.insert(decision.rule)
            if applying.count != 1 || applying[0].rule != decision.rule || applying[0].comesTo(one) != decision.action {
                wrong.append("\(applying.map(\.rule)), decided \(decision.rule): \(one)")
            }
        }
        #expect(LinkingCase.all.count > 10_000)
        #expect(wrong.isEmpty, "\(wrong.count) of \(LinkingCase.all.count), such as \(wrong.prefix(3).joined(separator: "\n"))")
        #expect(seen == Set(LinkingRule.allCases), "each rule decides something")
    }

    @Test func `SEC-02 nothing is joined without authority for the address, and nothing unproven is kept`() {
        check { one, action in
            switch action {
            case .join(let account):
                one.address == .proven && account.email == one.identity.email && one.oneAccountPerEmail
                    && (account.emailProven && !account.has(LinkingCase.provider) || account.awaitsItsOwner)
            case .takeOver(let account, _), .moveAddress(let account):
                (one.address == .proven || one.address == .forwarding && account.has(LinkingCase.provider))
                    && account.email == one.identity.email && one.oneAccountPerEmail
            default: true
            }
        }
    }

    @Test func `SEC-02 an account that was taken over keeps no way to sign in of before`() {
        let now = Instant(seconds: 1000)
        check { one, action in
            guard case .takeOver(var account, _) = action else { return true }
            account.join(one.identity, takeover: true, oneAccountPerEmail: one.oneAccountPerEmail, at: now)
            return account.identities.isEmpty && !account.hasEmailSignIn && !account.customAuth && account.sessionsEndedAt == now
                && account.validSince == now && account.emailProven
        }
    }

    @Test func `SEC-02 an account that custom tokens open gets another person's proof only where both have proven the address`() {
        check { one, action in
            switch action {
            case .join(let account): !account.customAuth || account.emailProven
            case .takeOver(let account, _): !account.customAuth
            case .moveAddress(let account): account.customAuth && account.email == one.identity.email && one.signUp
            default: true
            }
        }
    }

    @Test func `an account that an administrator made keeps its profile when its owner comes`() {
        check { one, action in
            guard case .join(var account) = action, account.awaitsItsOwner else { return true }
            account.displayName = "As the administrator wrote"
            var identity = one.identity
            (identity.displayName, identity.photoURL) = ("Ada", "https://example.com/ada.png")
            account.join(identity, takeover: false, oneAccountPerEmail: one.oneAccountPerEmail, at: Instant(seconds: 1000))
            return account.displayName == "As the administrator wrote" && account.photoURL == "https://example.com/ada.png"
                && account.emailProven
        }
    }

    @Test func `where the project confirms, nothing is ever joined; where it never overwrites, nothing is ever taken over`() {
        check { one, action in
            switch action {
            case .join: one.policy != .confirm
            case .takeOver, .moveAddress: one.policy == .firebase
            default: true
            }
        }
    }

    @Test func `SEC-02 a reauthentication signs in the account that has the identity, or changes nothing`() {
        check { one, action in
            guard one.wish == .reauthenticate else { return true }
            switch action {
            case .signIn(let account): return account == one.candidates.owner
            case .refuse: return true
            default: return false
            }
        }
    }

    @Test func `a link changes the caller's account alone, and a sign-in links nothing`() {
        check { one, action in
            switch action {
            case .link(let account): one.wish == .link && account == one.callersAccount
            case .refuse: true
            default: one.wish != .link
            }
        }
    }

    @Test func `an account that a person made never counts as an administrator's, whatever was removed from it`() {
        let owner = Account(AccountID.random(), new: LinkingCase.all[0].identity, email: LinkingCase.email, at: Instant(seconds: 1))
        var emptied = owner
        (emptied.emailVerified, emptied.emailProven, emptied.identities) = (true, false, [])
        #expect(emptied.isAnonymous && !emptied.awaitsItsOwner)
        emptied.lastLoginAt = nil
        #expect(emptied.awaitsItsOwner)
    }

    @Test func `each rule has a sentence of its own`() {
        let sentences = LinkingRule.allCases.map(\.explanation)
        #expect(Set(sentences).count == sentences.count)
        for sentence in sentences { #expect(sentence.hasSuffix(".") && sentence.utf8.count > 20) }
    }

    private func check(
        sourceLocation: SourceLocation = #_sourceLocation, _ holds: (LinkingCase, LinkingDecision.Action) -> Bool
    ) {
        let broken = LinkingCase.all.filter { !holds($0, $0.decision.action) }.map { "\($0)" }
        let first = broken.first ?? ""
        #expect(broken.isEmpty, "\(broken.count), such as \(first)", sourceLocation: sourceLocation)
    }
}

/// The words of the sentences.
extension LinkingCase {
    fileprivate var decision: LinkingDecision { Linking.decide(intent, identity, candidates, settings) }

    fileprivate var isOfTenant: Bool { owner != .ofOtherTenant }
    fileprivate var isKnown: Bool { owner != .none && isOfTenant }
    fileprivate var ownerIsDisabled: Bool { owner == .disabled || owner == .addressHolder && addressHolder?.disabled == true }
    fileprivate var wantsIn: Bool { wish != .link && isOfTenant }
    fileprivate var isNew: Bool { wish == .signIn && owner == .none }
    fileprivate var addressIsTaken: Bool { addressHolder != nil && oneAccountPerEmail }
    fileprivate var proves: Bool {
        isNew && addressIsTaken && (address == .proven || address == .forwarding && addressHolder?.hasProvider == true)
    }
    fileprivate var mayJoin: Bool { proves && addressHolder?.disabled == false && policy != .confirm }
    fileprivate var movesAddress: Bool {
        mayJoin && policy == .firebase && addressHolder?.customAuth == true
            && (addressHolder?.holding == .unproven || isRecycled)
    }
    fileprivate var isRecycled: Bool { addressHolder?.holding == .proven && addressHolder?.linked == .sameAddress }
    fileprivate var hasOtherAddress: Bool {
        addressHolder?.holding == .proven && (addressHolder?.linked == .otherAddress || addressHolder?.linked == .noAddress)
    }
    fileprivate var links: Bool { wish == .link && isOfTenant }
    fileprivate var mayLink: Bool { links && !callersAccount.disabled }
    fileprivate var callerHasProvider: Bool { callersAccount.has(Self.provider) }
}
