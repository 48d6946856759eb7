package import Runtime

/// A person as one project knows them: what tokens and `accounts:lookup` tell of.
package struct Account: Sendable, Equatable {
    /// Unique over all providers of the project; never changes and is never given again.
    package var id: String
    /// In lower case.
    package var email: String?
    /// What the app is told.
    package var emailVerified = false
    /// Whether the address is proven to be this person's: only then does a second proof of it join accounts.
    package var emailProven = false
    package var displayName: String?
    package var photoURL: String?
    package var disabled = false
    /// A JSON object as text: claims that an administrator put into the person's tokens.
    package var customAttributes: String?
    /// What other verifiers are told: they take tokens of before for revoked. Whole seconds.
    package var validSince: Instant
    /// When its sessions were last ended, all of them or all but the one that asked for it; `nil` if never.
    package var sessionsEndedAt: Instant?
    package var createdAt: Instant
    package var lastLoginAt: Instant?
    package var lastRefreshAt: Instant?
    /// The first address the account ever had, once it has another.
    package var initialEmail: String?
    /// When the password was set; `nil` without one. The hash itself is read only where a password is checked.
    package var passwordUpdatedAt: Instant?
    /// Whether a link in a mail has signed in to it.
    package var emailLinkSignIn = false
    /// Whether a custom token has signed in to it.
    package var customAuth = false
    /// At most one a provider, in order of the provider's id.
    package var identities: [LinkedIdentity] = []
}

/// An upstream identity that signs in to an account.
package struct LinkedIdentity: Sendable, Equatable {
    package var providerID: String
    package var subject: String
    package var email: String?
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?
}

extension Account {
    package var hasPassword: Bool { passwordUpdatedAt != nil }

    /// Whether the address itself signs in, by a password or by a link: Firebase's provider `password`.
    package var hasEmailSignIn: Bool { hasPassword || emailLinkSignIn }

    /// Whether nothing but its own session opens it: it has no other way to sign in.
    package var isAnonymous: Bool { !hasEmailSignIn && !customAuth && identities.isEmpty }
}
