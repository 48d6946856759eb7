/// A person, as a provider describes them.
///
/// This target has the words that `Providers` and `Accounts` both speak. `Providers` checks what a provider says and makes a
/// `ProviderIdentity` of it; `Accounts` decides whose account that is. Neither knows the other.
///
/// The texts are the provider's own, for the app to see. `kept` is the form in which an account keeps them.
package struct ProviderIdentity: Sendable, Codable, Equatable {
    package var providerID: String
    /// The issuer under which the subject means this person: the identity space of the provider's entry.
    package var issuer: String
    /// The provider's name for the person; never reused for another.
    package var subject: String
    /// A second form of the subject under which the same person may be stored.
    package var alias: String?
    /// A name under which an import from another system may have stored the person. A sign-in by it puts `subject` in its place.
    package var importedSubject: String?
    /// The person's address at the provider, where clients get that in place of the subject.
    package var federatedID: String?
    /// The provider's tenant that is responsible for the subject.
    package var tenant: String?
    package var email: String?
    /// The provider's statement, under the rules of its entry; shown to the app.
    package var emailVerified: Bool
    /// Whether the statement is proof enough to join accounts, because the provider runs the mailbox's domain or the operator says so.
    package var emailAuthoritative: Bool
    /// Whether the address only forwards mail to the person, and was made for this provider's sign-in alone. Then it joins no account that
    /// does not have this provider.
    package var emailIsRelay = false
    package var displayName: String?
    /// Whether the provider says the name at the first sign-in and never again, so that its absence does not mean that it was removed.
    package var saysNameOnce = false
    package var firstName: String?
    package var lastName: String?
    package var photoURL: String?
    package var screenName: String?
    package var language: String?
    /// All that the provider said, as the text of a JSON object.
    package var rawUserInfo: String

    package init(
        providerID: String, issuer: String, subject: String, email: String? = nil, emailVerified: Bool = false,
        emailAuthoritative: Bool = false, displayName: String? = nil, photoURL: String? = nil, screenName: String? = nil,
        rawUserInfo: String = "{}"
    ) {
        self.providerID = providerID
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.emailVerified = emailVerified
        self.emailAuthoritative = emailAuthoritative
        self.displayName = displayName
        self.photoURL = photoURL
        self.screenName = screenName
        self.rawUserInfo = rawUserInfo
    }

    /// The names under which the person may be stored.
    package var names: [String] { [subject, alias, importedSubject].compactMap(\.self) }

    /// The same person as accounts keep them: an address in its canonical form, or none with no statement about it; names without characters
    /// that mislead a reader, and no longer than Firebase keeps them; a picture that a page can show.
    package var kept: ProviderIdentity {
        var kept = self
        kept.email = email.flatMap(EmailAddress.canonical)
        kept.emailVerified = emailVerified && kept.email != nil
        kept.emailAuthoritative = emailAuthoritative && kept.email != nil
        kept.displayName = displayName.flatMap { ProfileText.fit($0, most: ProfileText.longestName) }
        kept.photoURL = photoURL.flatMap {
            $0.utf8.count <= ProfileText.longestURL ? ProfileText.fit($0, most: ProfileText.longestURL) : nil
        }.flatMap { ProfileText.isPicture($0) ? $0 : nil }
        kept.firstName = firstName.flatMap { ProfileText.fit($0, most: ProfileText.longestName) }
        kept.lastName = lastName.flatMap { ProfileText.fit($0, most: ProfileText.longestName) }
        kept.language = language.flatMap { ProfileText.fit($0, most: ProfileText.longestName) }
        kept.screenName = screenName.flatMap { ProfileText.fit($0, most: ProfileText.longestName) }
        return kept
    }
}
