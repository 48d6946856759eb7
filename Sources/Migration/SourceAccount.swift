package import Accounts
package import Crypto
package import Runtime

/// One account as a source describes it. `ImportRules` checks it; a source only converts its own spelling of ids, times and hashes.
package struct SourceAccount: Sendable, Equatable {
    package var id: String
    /// As `ImportedAccount.place`.
    package var place: Int
    package var email: String?
    package var emailVerified = false
    /// Whether the address is proven to be the person's, where the source has our own word for it; `nil` lets `ImportRules.mails` decide.
    package var emailProven: Bool?
    package var phoneNumber: String?
    package var displayName: String?
    package var photoURL: String?
    /// As `Account.profile`.
    package var profile: String?
    package var disabled = false
    /// A JSON object as text, kept byte for byte.
    package var customAttributes: String?
    package var validSince: Instant?
    package var sessionsEndedAt: Instant?
    package var createdAt: Instant?
    package var lastLoginAt: Instant?
    package var lastRefreshAt: Instant?
    package var initialEmail: String?
    package var password: ImportedPassword?
    package var passwordUpdatedAt: Instant?
    package var emailLinkSignIn = false
    package var customAuth = false
    /// Whether the source says that the account is an anonymous one. Without its word, an account without any way to sign in is kept as
    /// one of a custom token, so that nothing deletes it as anonymous.
    package var isAnonymous = false
    /// Without those of an address and of a phone number, which are the account's own.
    package var identities: [LinkedIdentity] = []
    /// As `ImportedAccount.identityRecords`.
    package var identityRecords: [String: IdentityRecord] = [:]
    /// A JSON array as text, as Firebase writes `mfaInfo`; `nil` for none.
    package var secondFactors: String?
    /// As `Account.userHandle`.
    package var userHandle: [UInt8]?
    package var passkeys: [PasskeyRecord] = []

    package init(id: String, place: Int) {
        self.id = id
        self.place = place
    }
}
