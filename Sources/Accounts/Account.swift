import Postgres
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
    /// What was issued before is dead. Whole seconds.
    package var validSince: Instant
    package var createdAt: Instant
    package var lastLoginAt: Instant?
    package var lastRefreshAt: Instant?
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
    /// What to select from `accounts a LEFT JOIN identities i` to make accounts: `columnCount` columns, one row an identity.
    static let columns = SQL(
        unsafe: """
            a.account_id, a.email, a.email_verified, a.email_proven, a.display_name, a.photo_url, a.disabled, a.custom_attributes, a.valid_since, \
            a.created_at, a.last_login_at, a.last_refresh_at, \
            i.provider_id, i.subject, i.email, i.display_name, i.photo_url, i.screen_name
            """)
    static let columnCount = 18
    /// The first of an identity's columns.
    static let providerColumn = 12

    /// The account that `rows` of one account tell of; `nil` when there are none, or an outer join found no account.
    init?(rows: [Row], at start: Int = 0) throws(PostgresError) {
        guard let row = rows.first, let id: String = try row.get(start, as: String?.self) else { return nil }
        self.id = id
        email = try row.get(start + 1)
        emailVerified = try row.get(start + 2)
        emailProven = try row.get(start + 3)
        displayName = try row.get(start + 4)
        photoURL = try row.get(start + 5)
        disabled = try row.get(start + 6)
        customAttributes = try row.get(start + 7)
        validSince = try row.get(start + 8)
        createdAt = try row.get(start + 9)
        lastLoginAt = try row.get(start + 10)
        lastRefreshAt = try row.get(start + 11)
        for row in rows {
            guard let providerID = try row.get(start + 12, as: String?.self) else { continue }
            identities.append(
                LinkedIdentity(
                    providerID: providerID, subject: try row.get(start + 13), email: try row.get(start + 14),
                    displayName: try row.get(start + 15), photoURL: try row.get(start + 16),
                    screenName: try row.get(start + 17)))
        }
    }
}
