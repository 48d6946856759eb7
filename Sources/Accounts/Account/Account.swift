package import Runtime
import Text

/// A person as one project knows them, with everything that tokens and `accounts:lookup` show.
package struct Account: Sendable, Equatable {
    /// Unique over all providers of the project; it never changes and is never given to another account.
    package var id: String
    /// In lower case.
    package var email: String?
    /// The value that the app gets.
    package var emailVerified = false
    /// Whether the address is proven to belong to this person. Only then does a second proof of it join accounts.
    package var emailProven = false
    /// In E.164 form. No other account of the project has it.
    package var phoneNumber: String?
    /// Whether the number was linked while the address was not proven, perhaps by a person who does not own the address.
    package var phoneLinkedUnproven = false
    package var displayName: String?
    package var photoURL: String?
    /// A JSON object as text: what else the person said of themselves, by the names of OpenID Connect's claims (`ProfileClaim`).
    package var profile: String?
    package var disabled = false
    /// A JSON object as text: claims that an administrator has added to the person's tokens.
    package var customAttributes: String?
    /// The time in whole seconds from which tokens are valid; verifiers treat older tokens as revoked.
    package var validSince: Instant
    /// The time when sessions of it were last ended: all of them, all but the caller's, or those that an unlinked provider had signed in;
    /// `nil` if never.
    package var sessionsEndedAt: Instant?
    package var createdAt: Instant
    package var lastLoginAt: Instant?
    package var lastRefreshAt: Instant?
    /// The first address that the account ever had, when it has another one now.
    package var initialEmail: String?
    /// The time when the password was set; `nil` without one. The hash itself is read only where a password is checked.
    package var passwordUpdatedAt: Instant?
    /// Whether a link in a mail has signed in to it.
    package var emailLinkSignIn = false
    /// Whether a custom token has signed in to it.
    package var customAuth = false
    /// A JSON array as text: the second factors that it brought from another system (Firebase's `mfaInfo`).
    package var secondFactors: String?
    /// At most one for each provider, in the order of the providers' ids.
    package var identities: [LinkedIdentity] = []
    /// Random bytes by which authenticators know the account; `nil` until its first passkey is made.
    package var userHandle: [UInt8]?
    /// In no order.
    package var passkeys: [AccountPasskey] = []
}

/// An upstream identity that signs in to an account.
package struct LinkedIdentity: Sendable, Equatable {
    package var providerID: String
    package var subject: String
    package var email: String?
    /// Whether the provider had verified the address when the person last signed in.
    package var emailVerified = false
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?

    package init(
        providerID: String, subject: String, email: String? = nil, emailVerified: Bool = false, displayName: String? = nil,
        photoURL: String? = nil, screenName: String? = nil
    ) {
        self.providerID = providerID
        self.subject = subject
        self.email = email
        self.emailVerified = emailVerified
        self.displayName = displayName
        self.photoURL = photoURL
        self.screenName = screenName
    }
}

extension LinkedIdentity {
    /// Whether both are links to the same person at the same provider.
    func isSame(as other: LinkedIdentity) -> Bool { providerID.isExactly(other.providerID) && subject.isExactly(other.subject) }
}

extension Account {
    /// Whether an identity of this provider is linked.
    package func has(_ providerID: String) -> Bool { identity(of: providerID) != nil }

    func identity(of providerID: String) -> LinkedIdentity? { identities.first { $0.providerID.isExactly(providerID) } }

    package var hasPassword: Bool { passwordUpdatedAt != nil }

    /// Whether the address itself signs in, by a password or by a link: Firebase's provider `password`.
    package var hasEmailSignIn: Bool { hasPassword || emailLinkSignIn }

    /// The providers by which it signs in, by Firebase's names: `password` stands for a password and for links in mails.
    package var signInProviders: [String] {
        identities.map(\.providerID) + (hasEmailSignIn ? [SignInProvider.password] : [])
            + (phoneNumber == nil ? [] : [SignInProvider.phone]) + (passkeys.isEmpty ? [] : [SignInProvider.passkey])
    }

    /// Whether only its own session opens it, because it has no other way to sign in.
    package var isAnonymous: Bool { !hasEmailSignIn && !customAuth && identities.isEmpty && phoneNumber == nil && passkeys.isEmpty }
}
