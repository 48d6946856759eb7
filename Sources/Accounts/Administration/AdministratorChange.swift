package import JSON
import ProjectSettings
package import Runtime
import Text

/// A change that an administrator makes to an account, or what a new account begins with, and its consequences: rules without I/O.
package struct AdministratorChange: Sendable {
    /// The changes that people can make to their own accounts, too.
    package var own = AccountChange()
    /// The value that the app gets. Only the owner of an address proves it, so `emailProven` never becomes true here.
    package var emailVerified: Bool?
    /// In E.164 form.
    package var phoneNumber = FieldUpdate<String>.keep
    package var disabled: Bool?
    /// As `CustomClaims` returned it.
    package var customAttributes = FieldUpdate<String>.keep
    /// Tokens from before this time do not count any more. It never goes back.
    package var validSince: Instant?
    package var createdAt: Instant?
    package var lastLoginAt: Instant?
    /// The second factors in place of the account's; `nil` leaves these.
    package var secondFactors: [StatedFactor]?
    /// An identity to link, in place of the one that the account has of the same provider.
    package var linked: LinkedIdentity?

    package init() {}

    /// How far the clock of an administrator may be behind. A `validSince` of less than this ago means now, since Admin SDKs take it from
    /// the clock of their machine when all sessions are to end.
    static let skew: Duration = .seconds(300)
}

extension AdministratorChange {
    /// The account after this change.
    ///
    /// Throws `addressNeeded` for a password without an address to sign in with.
    func applied(to account: Account, at now: Instant) throws(AccountError) -> Account {
        var changed = try own.applied(to: account, at: now)
        if let emailVerified, changed.email != nil {
            changed.emailVerified = emailVerified
            // An address that the administrator takes back joins no accounts.
            if !emailVerified { changed.emailProven = false }
        }
        phoneNumber.apply(to: &changed.phoneNumber)
        if let disabled { changed.disabled = disabled }
        customAttributes.apply(to: &changed.customAttributes)
        if let createdAt { changed.createdAt = createdAt }
        if let lastLoginAt { changed.lastLoginAt = lastLoginAt }
        if let linked {
            changed.identities.removeAll { $0.providerID.isExactly(linked.providerID) }
            changed.identities.append(linked)
            changed.identities.sort { $0.providerID < $1.providerID }
        }
        return changed
    }

    /// The sessions that end.
    enum Ending: Equatable {
        case all(because: String)
        /// Those that one of these providers has signed in, and those whose person authenticated before a time.
        case some(signedInBy: [String], authenticatedBefore: Instant?)

        static let none = Ending.some(signedInBy: [], authenticatedBefore: nil)

        /// Whether tokens end that were issued until now, or until a time.
        var isOfTokens: Bool {
            switch self {
            case .all: true
            case .some(_, let start): start != nil
            }
        }
    }

    /// A disabled account, another address, another password and a revocation end every session. A way to sign in that the account loses
    /// ends the sessions that came by it.
    func ending(of account: Account, changed: Account, at now: Instant) -> Ending {
        if changed.disabled, !account.disabled { return .all(because: "account disabled") }
        if own.password != nil || changed.credentials != account.credentials { return .all(because: "credentials changed") }
        if let validSince, validSince > now - Self.skew { return .all(because: "revoked") }
        var lost = account.identitiesLost(in: changed).map(\.providerID)
        if account.phoneNumber != nil, changed.phoneNumber != account.phoneNumber { lost.append(SignInProvider.phone) }
        return .some(signedInBy: lost, authenticatedBefore: validSince.flatMap { $0 > account.validSince ? $0 : nil })
    }

    /// The events of the change, besides those of the ways to sign in and of the address (`Account.events`).
    func events(from account: Account, to changed: Account, _ ending: Ending) -> [AccountEvent] {
        var actions: [AuditEvent.Action] = []
        if changed.disabled != account.disabled { actions.append(changed.disabled ? .accountDisabled : .accountEnabled) }
        if validSince != nil, ending.isOfTokens { actions.append(.sessionsRevoked) }
        if Self.differ(changed.customAttributes, account.customAttributes) { actions.append(.claimsChanged) }
        // Another address in place of one is among those of `Account.events`.
        let saysMore = changed.email == account.email ? changed.emailVerified != account.emailVerified : account.email == nil
        if saysMore { actions.append(.emailChanged) }
        if changed.secondFactors != account.secondFactors {
            actions.append(changed.secondFactors == nil ? .secondFactorsRemoved : .secondFactorsChanged)
        }
        if changed.hasOtherProfile(than: account) || refreshes(account) || changed.createdAt != account.createdAt
            || changed.lastLoginAt != account.lastLoginAt
        {
            actions.append(.profileChanged)
        }
        return account.phoneEvents(to: changed) + actions.map { AccountEvent($0) }
    }

    /// Whether two texts have other bytes.
    private static func differ(_ one: String?, _ other: String?) -> Bool {
        guard let one else { return other != nil }
        return !one.isExactly(other)
    }

    /// Whether it says something else of an identity that the account has.
    private func refreshes(_ account: Account) -> Bool {
        guard let linked, let known = account.identity(of: linked.providerID), known.subject.isExactly(linked.subject) else { return false }
        return Self.differ(linked.email, known.email) || Self.differ(linked.displayName, known.displayName)
            || Self.differ(linked.photoURL, known.photoURL) || Self.differ(linked.screenName, known.screenName)
    }
}
