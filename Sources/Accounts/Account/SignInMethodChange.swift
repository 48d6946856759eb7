import Runtime

/// One way to sign in that an account gained, lost or got a new secret for: what its owner is told by mail (SEC-73).
struct SignInMethodChange: Sendable, Equatable {
    let kind: Letter.Kind
    /// `nil` for the password.
    let providerID: String?

    static func added(_ providerID: String) -> Self { Self(kind: .signInMethodAdded, providerID: providerID) }
    static func removed(_ providerID: String) -> Self { Self(kind: .signInMethodRemoved, providerID: providerID) }
    static let passwordAdded = Self(kind: .signInMethodAdded, providerID: nil)
    static let passwordRemoved = Self(kind: .signInMethodRemoved, providerID: nil)
    static let passwordChanged = Self(kind: .passwordChanged, providerID: nil)
}

extension Letter.Kind {
    /// Whether it tells the owner how the account is signed in to since.
    package var tellsOfMethods: Bool {
        switch self {
        case .signInMethodAdded, .signInMethodRemoved, .passwordChanged: true
        case .resetPassword, .verifyEmail, .verifyAndChangeEmail, .recoverEmail, .signIn: false
        }
    }
}

extension Account {
    /// What differs in the ways to sign in once the account is `changed`. Links in mails are not among them: a reader of the mailbox has
    /// them in any case.
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

    /// Where its owner is told of changes: the address, provided that it is proven. Any other may be a stranger's; a new or an
    /// anonymous account has none.
    var noticeAddress: String? { emailProven ? email : nil }
}

extension LinkedIdentity {
    fileprivate func isSame(as other: LinkedIdentity) -> Bool { providerID == other.providerID && subject == other.subject }
}
