import Runtime

/// A way to sign in that an account has gained or lost, or whose secret has changed. Its owner gets a mail about it (SEC-73).
struct SignInMethodChange: Sendable, Equatable {
    let kind: OutgoingMail.Kind
    /// `nil` for the password.
    let providerID: String?

    static func added(_ providerID: String) -> Self { Self(kind: .signInMethodAdded, providerID: providerID) }
    static func removed(_ providerID: String) -> Self { Self(kind: .signInMethodRemoved, providerID: providerID) }
    static let passwordAdded = Self(kind: .signInMethodAdded, providerID: nil)
    static let passwordRemoved = Self(kind: .signInMethodRemoved, providerID: nil)
    static let passwordChanged = Self(kind: .passwordChanged, providerID: nil)
}

extension OutgoingMail.Kind {
    /// Whether it tells the owner about a changed way to sign in.
    package var tellsOfMethods: Bool {
        switch self {
        case .signInMethodAdded, .signInMethodRemoved, .passwordChanged: true
        case .resetPassword, .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .signIn, .emailCode: false
        }
    }
}

extension Account {
    /// The differences in the ways to sign in, once the account is `changed`. Links in mails are not among them, since a reader of the
    /// mailbox has them in any case.
    func methodChanges(to changed: Account) -> [SignInMethodChange] {
        let lost = identities.filter { identity in !changed.identities.contains { $0.isSame(as: identity) } }
        let gained = changed.identities.filter { identity in !identities.contains { $0.isSame(as: identity) } }
        var changes = lost.map { SignInMethodChange.removed($0.providerID) } + gained.map { .added($0.providerID) }
        switch (hasPassword, changed.hasPassword) {
        case (false, true): changes.append(.passwordAdded)
        case (true, false): changes.append(.passwordRemoved)
        case (true, true) where passwordUpdatedAt != changed.passwordUpdatedAt: changes.append(.passwordChanged)
        default: break
        }
        return changes
    }

    /// The address that gets mails about changes: the account's own, if it is proven. Any other may belong to a stranger; a new or
    /// anonymous account has none.
    var noticeAddress: String? { emailProven ? email : nil }
}

extension LinkedIdentity {
    fileprivate func isSame(as other: LinkedIdentity) -> Bool { providerID == other.providerID && subject == other.subject }
}
