package import Runtime

/// What an upstream provider has proven of a person, checked and mapped: the input of every federated sign-in and link.
package struct ProvenIdentity: Sendable, Equatable {
    package var providerID: String
    /// Under which issuer the subject means this person: the identity space of the provider's entry.
    package var issuer: String
    /// The provider's name for the person; never reused for another.
    package var subject: String
    /// A second form of the subject under which the same person may be stored.
    package var alias: String?
    /// The provider's tenant that vouches for the subject.
    package var tenant: String?
    package var email: String?
    /// The provider's statement, shown to the app.
    package var emailVerified: Bool
    /// Whether the provider's word on this address is proof enough to join accounts.
    package var emailAuthoritative: Bool
    package var displayName: String?
    package var photoURL: String?
    package var screenName: String?
    /// When the provider proved it; `nil`: just now.
    package var provenAt: Instant?

    package init(
        providerID: String, issuer: String, subject: String, alias: String? = nil, tenant: String? = nil, email: String? = nil,
        emailVerified: Bool = false, emailAuthoritative: Bool = false, displayName: String? = nil, photoURL: String? = nil,
        screenName: String? = nil, provenAt: Instant? = nil
    ) {
        self.providerID = providerID
        self.issuer = issuer
        self.provenAt = provenAt
        self.subject = subject
        self.alias = alias
        self.tenant = tenant
        self.email = email.flatMap(EmailAddress.canonical)
        self.emailVerified = emailVerified && self.email != nil
        self.emailAuthoritative = emailAuthoritative && self.email != nil
        self.displayName = displayName.flatMap { Self.shown($0) }
        self.photoURL = photoURL.flatMap { $0.utf8.count <= 2048 ? Self.shown($0, most: 2048) : nil }
        self.screenName = screenName.flatMap { Self.shown($0) }
    }

    /// Both forms under which the person may be stored.
    var names: [String] { [subject] + (alias.map { [$0] } ?? []) }

    /// A proof from before the account's sessions were ended opens it no more. Throws `invalidPendingToken`.
    func checkAge(against account: Account) throws(AccountError) {
        guard let provenAt else { return }
        let isLater = account.sessionsEndedAt.map { provenAt > $0 } ?? true
        guard isLater, provenAt.seconds >= account.validSince.seconds else { throw .invalidPendingToken }
    }

    /// A provider's text as it may be kept and shown: without treacherous characters (`ProfileText`), cut to what Firebase keeps, `nil` when nothing is left.
    private static func shown(_ text: String, most: Int = 256) -> String? {
        let text = String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { !ProfileText.isTreacherous($0) }.prefix(most)))
        return text.isEmpty ? nil : text
    }
}
