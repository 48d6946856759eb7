package import JSON
import Runtime
package import Text

/// A change that people make to their own account, and its consequences: rules without I/O.
package struct AccountChange: Sendable {
    package var displayName = FieldUpdate<String>.keep
    package var photoURL = FieldUpdate<String>.keep
    /// In canonical form.
    package var email: String?
    package var password: String?
    package var removed: Set<Attribute> = []
    /// Ids of providers to unlink; `password` among them stands for the address's own ways to sign in. Unknown ids count as unlinked.
    package var unlinked: Set<UTF8Text> = []
    /// Ids of passkeys to remove. Unknown ones count as removed.
    package var removedPasskeys: Set<[UInt8]> = []

    package init() {}

    package enum Attribute: Sendable {
        case email, displayName, photoURL, password
    }
}

extension AccountChange {
    /// Whether the address becomes another one.
    func movesEmail(of account: Account) -> Bool { email != nil && email != account.email }

    /// Whether it changes how the address signs in, or takes away a passkey or the last way to sign in. A stolen session must not be able to do that,
    /// whatever it removes first, so it takes a recent sign-in.
    func needsFreshSignIn(for account: Account, changed: Account) -> Bool {
        password != nil || changed.credentials != account.credentials || !removedPasskeys.isEmpty
            || changed.isAnonymous && !account.isAnonymous
    }

    /// The effect on the account's sessions. SDKs take new tokens from the answer to a new address or password, and ignore those in any
    /// other answer; see docs/wire.md, "Which answers replace a session".
    enum SessionFate {
        case goOn
        /// The caller's own session goes on.
        case othersEnd
        /// All end, and the caller gets a new one.
        case replaced
    }

    func sessions(of account: Account, changed: Account) -> SessionFate {
        if password != nil || changed.email != nil && changed.email != account.email { return .replaced }
        return changed.credentials == account.credentials ? .goOn : .othersEnd
    }

    /// The account after this change.
    ///
    /// Throws `addressNeeded` for a password without an address to sign in with.
    func applied(to account: Account, at now: Instant) throws(AccountError) -> Account {
        var changed = account
        displayName.apply(to: &changed.displayName)
        photoURL.apply(to: &changed.photoURL)
        if removed.contains(.displayName) { changed.displayName = nil }
        if removed.contains(.photoURL) { changed.photoURL = nil }
        if let email, email != account.email { changed.move(to: email) }
        if password != nil { changed.passwordUpdatedAt = now }
        changed.identities.removeAll { unlinked.contains(UTF8Text($0.providerID)) }
        changed.passkeys.removeAll { removedPasskeys.contains($0.credentialID) }
        if removed.contains(.password) { changed.passwordUpdatedAt = nil }
        if removed.contains(.email) { changed.loseEmail() }
        if unlinked.contains(UTF8Text(SignInProvider.password)) {
            // The address stays with the account: a sign-in with it in another way, or a password that is linked again, finds the same
            // account.
            changed.passwordUpdatedAt = nil
            changed.emailLinkSignIn = false
        }
        if unlinked.contains(UTF8Text(SignInProvider.phone)) { changed.phoneNumber = nil }
        guard changed.email != nil || !changed.hasPassword else { throw .addressNeeded }
        return changed
    }
}

extension Account {
    /// The parts of an account whose change ends its sessions.
    struct Credentials: Equatable {
        let email: String?
        let passwordUpdatedAt: Instant?
        let emailLinkSignIn: Bool
    }

    var credentials: Credentials {
        Credentials(email: email, passwordUpdatedAt: passwordUpdatedAt, emailLinkSignIn: emailLinkSignIn)
    }

    /// Sets another address, which is not verified yet.
    mutating func move(to address: String) {
        if initialEmail == nil { initialEmail = email }
        email = address
        emailVerified = false
        emailProven = false
    }

    mutating func loseEmail() {
        email = nil
        emailVerified = false
        emailProven = false
        passwordUpdatedAt = nil
        emailLinkSignIn = false
    }
}
