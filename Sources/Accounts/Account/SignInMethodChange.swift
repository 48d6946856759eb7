import Postgres
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

extension Accounts {
    /// One letter for each change of the ways to sign in, to the address that was proven before. Each bears a link that takes the account
    /// back. For the transaction that makes the change, behind the statement that changes the account; ring the outbox after the commit.
    ///
    /// - Parameters:
    ///   - changes: `methodChanges` of the two accounts.
    ///   - account: as it was before.
    ///   - changed: as it is once the transaction's earlier statements have run.
    func notices(
        of changes: [SignInMethodChange], from account: Account, to changed: Account, language: String, in project: ProjectSettings
    ) -> [SQL] {
        guard let address = account.noticeAddress else { return [] }
        return changes.flatMap { change in
            let posting = Posting(
                change.kind, to: address, account: changed, email: address, newEmail: changed.email, emailProven: true,
                providerID: change.providerID)
            return statements(for: posting, LetterWish(language: language), in: project)
        }
    }

    /// Charges the mailbox that `notices` go to, where there are any: a session cannot be used to flood it by linking and unlinking in turns.
    /// The change itself is refused, for one that is not told must not happen.
    ///
    /// Only for changes by an ID token: how often mails and providers themselves prove a person is limited elsewhere, and a thief who used
    /// the limit up must not keep the owner from a new password. Nor from unlinking what the thief linked: removals are not charged, for
    /// there cannot be more of them than of additions. Throws `tooManyAttempts`.
    func chargeNotices(
        of changes: [SignInMethodChange], to account: Account, in project: ProjectSettings, from origin: Session.Origin
    ) async throws(AccountError) {
        let isCharged = changes.contains { $0.kind != .signInMethodRemoved }
        guard outbox != nil, isCharged, let address = account.noticeAddress else { return }
        try await limits.charge(Attempt(.changeSignInMethods, from: origin.address, mailbox: address, in: project))
    }
}
