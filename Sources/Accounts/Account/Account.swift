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

    /// What to select from `accounts a LEFT JOIN identities i` to make accounts: `columnCount` columns, one row an identity.
    static let columns: SQL = """
        a.account_id, a.email, a.email_verified, a.email_proven, a.display_name, a.photo_url, a.disabled, a.custom_attributes, a.valid_since, \
        a.created_at, a.last_login_at, a.last_refresh_at, a.initial_email, a.password_updated_at, a.email_link_sign_in, a.custom_auth, \
        a.sessions_ended_at, \
        i.provider_id, i.subject, i.email, i.display_name, i.photo_url, i.screen_name
        """
    /// What finds the one account that `condition` on `a` is true of; read the rows by `one(of:)`.
    static func select(_ condition: SQL, in project: ProjectSettings) -> SQL {
        """
        SELECT \(columns) FROM accounts a LEFT JOIN identities i USING (project_id, account_id)
        WHERE a.project_id = \(project.id) AND \(condition)
        """
    }

    static func one(of rows: [Row]) throws(AccountError) -> Account? {
        do { return try Account(rows: rows) } catch { throw .database(error) }
    }

    static let columnCount = 23
    /// The first of an identity's columns.
    static let providerColumn = 17

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
        initialEmail = try row.get(start + 12)
        passwordUpdatedAt = try row.get(start + 13)
        emailLinkSignIn = try row.get(start + 14)
        customAuth = try row.get(start + 15)
        sessionsEndedAt = try row.get(start + 16)
        for row in rows {
            let first = start + Self.providerColumn
            guard let providerID = try row.get(first, as: String?.self) else { continue }
            identities.append(
                LinkedIdentity(
                    providerID: providerID, subject: try row.get(first + 1), email: try row.get(first + 2),
                    displayName: try row.get(first + 3), photoURL: try row.get(first + 4),
                    screenName: try row.get(first + 5)))
        }
        // Here and not in the database, which would make ready to sort for the one row that most people have.
        if identities.count > 1 { identities.sort { $0.providerID < $1.providerID } }
    }
}
