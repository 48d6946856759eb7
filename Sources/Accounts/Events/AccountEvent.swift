import Runtime
import Text

/// Something that happened to an account, with its data. `AuditedAct` makes a row of the record of it, and `OwnerNotices` a mail to the owner.
/// Where only a statement knows the data, such as which identities it unlinked, the statement makes the row (`AuditedAct.values`).
///
/// A sign-in is not an event. It writes no row, since sign-ins would soon be most of the record: a metric counts it (`SignInMetrics`), the
/// account has the time of the last one, and the log has those that were refused (`Refusals`). What a sign-in changes in an account is an event.
struct AccountEvent: Sendable, Equatable {
    let action: AuditEvent.Action
    /// The provider that it is about. For a new account, the way to sign in that made it; `nil` where an administrator did.
    let providerID: String?
    /// The provider's name for the person, of an identity that was linked or unlinked; the name of a passkey in ID tokens.
    let subject: String?
    /// The account that got what this one has lost.
    let successor: String?
    /// The id of the second factor that was added or removed.
    let factorID: String?

    init(
        _ action: AuditEvent.Action, providerID: String? = nil, subject: String? = nil, successor: String? = nil, factorID: String? = nil
    ) {
        self.action = action
        self.providerID = providerID
        self.subject = subject
        self.successor = successor
        self.factorID = factorID
    }

    static func linked(_ identity: LinkedIdentity) -> Self {
        Self(.providerLinked, providerID: identity.providerID, subject: identity.subject)
    }

    static func unlinked(_ identity: LinkedIdentity) -> Self {
        Self(.providerUnlinked, providerID: identity.providerID, subject: identity.subject)
    }

    /// Whether a way to sign in was added, changed or removed. Links in mails are none of these, since a reader of the mailbox has them in any
    /// case.
    var isOfSignInMethod: Bool {
        switch action {
        case .providerLinked, .providerUnlinked, .passwordAdded, .passwordChanged, .passwordRemoved, .passkeyAdded, .passkeyRemoved,
            .passkeySuspected, .phoneNumberUsedAgain, .phoneNumberAdded, .phoneNumberChanged, .phoneNumberRemoved:
            true
        default: false
        }
    }

    /// Whether it is about second factors, which only accounts with a verified address have.
    var isOfSecondFactors: Bool {
        switch action {
        case .secondFactorAdded, .secondFactorRemoved, .secondFactorWarningMailed, .recoveryCodesMade, .recoveryCodeUsed: true
        default: false
        }
    }
}

extension Account {
    /// The events by which the account becomes `changed`: those of its ways to sign in, and of its address.
    func events(to changed: Account) -> [AccountEvent] {
        var events = identitiesLost(in: changed).map(AccountEvent.unlinked) + changed.identitiesLost(in: self).map(AccountEvent.linked)
        events += passkeys(lostIn: changed).map { AccountEvent(.passkeyRemoved, subject: Passkey.factorID(of: $0)) }
        switch (hasPassword, changed.hasPassword) {
        case (false, true): events.append(AccountEvent(.passwordAdded))
        case (true, false): events.append(AccountEvent(.passwordRemoved))
        case (true, true) where passwordUpdatedAt != changed.passwordUpdatedAt: events.append(AccountEvent(.passwordChanged))
        default: break
        }
        if emailLinkSignIn != changed.emailLinkSignIn {
            events.append(AccountEvent(changed.emailLinkSignIn ? .emailLinkAdded : .emailLinkRemoved))
        }
        if email != nil, email != changed.email { events.append(AccountEvent(.emailChanged)) }
        return events
    }

    /// Whether the name or the picture has other bytes.
    func hasOtherProfile(than former: Account) -> Bool {
        [(displayName, former.displayName), (photoURL, former.photoURL)].contains { $0.map { Array($0.utf8) } != $1.map { Array($0.utf8) } }
    }

    /// The ids of the passkeys that `changed` lacks.
    func passkeys(lostIn changed: Account) -> [[UInt8]] {
        passkeys.map(\.credentialID).filter { id in !changed.passkeys.contains { $0.credentialID == id } }
    }

    /// The identities that `changed` lacks, or has with another subject.
    func identitiesLost(in changed: Account) -> [LinkedIdentity] {
        identities.filter { former in
            !changed.identities.contains { $0.isSame(as: former) }
        }
    }
}
