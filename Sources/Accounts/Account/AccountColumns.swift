import Postgres
import ProjectSettings

/// The only list of an account's columns, with the code that selects, reads, inserts and updates them.
///
/// A new column of `accounts` is added here alone: to `columns` and to the initializer below them, at the same place in both; then to
/// `insert` if it is known from the beginning, and to `update` if people change it. A test holds the lists against the database.
extension Account {
    /// The columns to select from `accounts a LEFT JOIN identities i` to read accounts. There is one row for each identity.
    static let columns: SQL = """
        a.account_id, a.email, a.email_verified, a.email_proven, a.phone_number, a.display_name, a.photo_url, a.profile, a.disabled, \
        a.custom_attributes, a.valid_since, a.created_at, a.last_login_at, a.last_refresh_at, a.initial_email, a.password_updated_at, a.email_link_sign_in, a.custom_auth, \
        a.sessions_ended_at, \
        \(LinkedIdentity.columns)
        """

    /// Reads one account from all of its rows; `nil` when an outer join found no account.
    /// - Parameter row: the first of `rows`, with `columns` to be read next. Afterwards it goes on with what the statement selects behind
    ///   them.
    init?(_ rows: [Row], _ row: inout RowReader) throws(PostgresError) {
        guard let id = try row.next(as: String?.self) else { return nil }
        self.id = id
        email = try row.next()
        emailVerified = try row.next()
        emailProven = try row.next()
        phoneNumber = try row.next()
        displayName = try row.next()
        photoURL = try row.next()
        profile = try row.next()
        disabled = try row.next()
        customAttributes = try row.next()
        validSince = try row.next()
        createdAt = try row.next()
        lastLoginAt = try row.next()
        lastRefreshAt = try row.next()
        initialEmail = try row.next()
        passwordUpdatedAt = try row.next()
        emailLinkSignIn = try row.next()
        customAuth = try row.next()
        sessionsEndedAt = try row.next()
        for other in rows.dropFirst() {
            var other = row.moved(to: other)
            if let identity = try LinkedIdentity(&other) { identities.append(identity) }
        }
        if let identity = try LinkedIdentity(&row) { identities.append(identity) }
        // Sorted here, since the database would prepare to sort also the single row that most people have.
        if identities.count > 1 { identities.sort { $0.providerID < $1.providerID } }
    }

    /// Reads one account from rows that have no other columns than `columns`; `nil` when there are no rows.
    init?(_ rows: [Row]) throws(PostgresError) {
        guard var row = rows.first?.reader() else { return nil }
        try self.init(rows, &row)
    }

    static func one(of rows: [Row]) throws(AccountError) -> Account? {
        try reading { try Account(rows) }
    }

    /// Selects the accounts for which `condition` on `a` is true. Where that is one account, `one(of:)` reads the rows.
    /// - Parameter others: what to select behind `columns`.
    static func select(_ condition: SQL, with others: SQL? = nil, in project: ProjectSettings) -> SQL {
        let selected: SQL = others.map { "\(columns), \($0)" } ?? columns
        return """
            SELECT \(selected) FROM accounts a LEFT JOIN identities i USING (project_id, account_id)
            WHERE a.project_id = \(project.id) AND \(condition)
            """
    }
}

extension LinkedIdentity {
    /// The columns to select from `identities i` to read identities.
    static let columns: SQL = "i.provider_id, i.subject, i.email, i.email_verified, i.display_name, i.photo_url, i.screen_name"

    /// Reads the identity of a row; `nil` when an outer join found none.
    init?(_ row: inout RowReader) throws(PostgresError) {
        let (providerID, subject) = (try row.next(as: String?.self), try row.next(as: String?.self))
        email = try row.next()
        emailVerified = try row.next(as: Bool?.self) ?? false
        displayName = try row.next()
        photoURL = try row.next()
        screenName = try row.next()
        guard let providerID, let subject else { return nil }
        self.providerID = providerID
        self.subject = subject
    }
}

extension Account {
    /// Stores a new account. Its identities have statements of their own.
    /// - Parameter passwordHash: `nil` exactly where `passwordUpdatedAt` is `nil`.
    func insert(passwordHash: String? = nil, in project: ProjectSettings) -> SQL {
        """
        INSERT INTO accounts (project_id, account_id, email, email_verified, email_proven, phone_number, display_name, photo_url, profile,
            disabled, custom_attributes, valid_since, created_at, last_login_at, password_hash, password_updated_at, email_link_sign_in,
            custom_auth)
        VALUES (\(project.id), \(id), \(email), \(emailVerified), \(emailProven), \(phoneNumber), \(displayName), \(photoURL), \(profile),
            \(disabled), \(customAttributes), \(validSince), \(createdAt), \(lastLoginAt), \(passwordHash), \(passwordUpdatedAt),
            \(emailLinkSignIn), \(customAuth))
        """
    }

    /// Stores this account in place of `read`, provided that it still is as it was read, so that of two changes at once none is lost.
    /// - Parameter passwordHash: the hash of a new password. Without one the stored hash stays as long as the account has a password.
    func update(from read: Account, passwordHash: String?, in project: ProjectSettings) -> SQL {
        .required(
            """
            UPDATE accounts SET \(assignments(passwordHash: passwordHash)), last_login_at = greatest(last_login_at, \(lastLoginAt))
            WHERE project_id = \(project.id) AND account_id = \(id) AND NOT disabled AND \(read.isAsRead) RETURNING account_id
            """)
    }

    /// The same for an administrator, who also changes what people do not, and disabled accounts.
    func updateByAdministrator(from read: Account, passwordHash: String?, in project: ProjectSettings) -> SQL {
        // A sign-in in the meantime is not undone.
        let lastLogin: SQL = lastLoginAt == read.lastLoginAt ? "" : ", last_login_at = \(lastLoginAt)"
        return .required(
            """
            UPDATE accounts SET \(assignments(passwordHash: passwordHash)), disabled = \(disabled),
                custom_attributes = \(customAttributes), created_at = \(createdAt)\(lastLogin)
            WHERE project_id = \(project.id) AND account_id = \(id) AND (disabled, created_at) = (\(read.disabled), \(read.createdAt))
                AND custom_attributes IS NOT DISTINCT FROM \(read.customAttributes) AND \(read.isAsRead) RETURNING account_id
            """)
    }

    private func assignments(passwordHash: String?) -> SQL {
        """
        email = \(email), email_verified = \(emailVerified), email_proven = \(emailProven), phone_number = \(phoneNumber),
            display_name = \(displayName), photo_url = \(photoURL), profile = \(profile), initial_email = \(initialEmail),
            password_hash = CASE WHEN \(hasPassword) THEN coalesce(\(passwordHash), password_hash) END,
            password_updated_at = \(passwordUpdatedAt), email_link_sign_in = \(emailLinkSignIn), custom_auth = \(customAuth),
            valid_since = \(validSince), sessions_ended_at = \(sessionsEndedAt)
        """
    }

    /// A condition on the row in `accounts`: what people change is still as it was read.
    private var isAsRead: SQL {
        """
        \(sessionsStand)
            AND (email, phone_number, display_name, photo_url, profile, initial_email, password_updated_at) IS NOT DISTINCT FROM
                (\(email), \(phoneNumber), \(displayName), \(photoURL), \(profile), \(initialEmail), \(passwordUpdatedAt))
            AND (email_verified, email_proven, email_link_sign_in, custom_auth)
                = (\(emailVerified), \(emailProven), \(emailLinkSignIn), \(customAuth))
        """
    }

    /// Stores what a sign-in adds to the account that it joins, provided that since `read` the account was not revoked or taken over, and
    /// its address did not change. Nor may a custom token have signed in to an account that is taken over: the next one would do it again.
    ///
    /// Compares less than the other `update`, so that a person who signed up with a stranger's address cannot hold up the takeover by the
    /// owner with changes of the name.
    func update(_ read: Account, takeover: Bool, in project: ProjectSettings) -> SQL {
        let profile: SQL =
            takeover
            ? """
            , phone_number = NULL, display_name = \(displayName), photo_url = \(photoURL), profile = NULL, valid_since = \(validSince),
                sessions_ended_at = \(sessionsEndedAt), password_hash = NULL, password_updated_at = NULL
            """
            : ", display_name = coalesce(display_name, \(displayName)), photo_url = coalesce(photo_url, \(photoURL))"
        return .required(
            """
            UPDATE accounts SET email = \(email), email_verified = \(emailVerified), email_proven = \(emailProven),
                email_link_sign_in = \(emailLinkSignIn), last_login_at = \(lastLoginAt)\(profile)
            WHERE project_id = \(project.id) AND account_id = \(id) AND NOT disabled AND \(read.sessionsStand)
                AND email_proven = \(read.emailProven) AND email IS NOT DISTINCT FROM \(read.email)
                AND NOT (\(takeover) AND custom_auth) RETURNING account_id
            """)
    }
}
