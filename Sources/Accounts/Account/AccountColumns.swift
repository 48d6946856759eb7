import Postgres
import ProjectSettings

/// The only list of an account's columns, with the code that selects, reads, inserts and updates them.
///
/// A new column of `accounts` is added here alone: to `columns` and to the initializer below them, at the same place in both; then to
/// `insert` if it is known from the beginning, and to `update` if people change it. A test holds the lists against the database.
extension Account {
    /// The columns to select from `accounts a` to read accounts.
    ///
    /// The identities come as one value: a join would send the account once for each of them, and costs PostgreSQL a sixth more. Passkeys are
    /// looked for only where the account has ever had one.
    static func columns(in project: ProjectSettings) -> SQL {
        """
        a.account_id, a.email, a.email_verified, a.email_proven, a.phone_number, a.phone_linked_unproven, a.display_name, a.photo_url, a.profile, a.disabled, \
        a.custom_attributes, a.valid_since, a.created_at, a.last_login_at, a.last_refresh_at, a.initial_email, a.password_updated_at, a.email_link_sign_in, a.custom_auth, \
        a.sessions_ended_at, a.second_factors, ARRAY(SELECT \(LinkedIdentity.column) FROM identities i \
        WHERE i.project_id = \(project: project) AND i.account_id = a.account_id), a.user_handle, \
        CASE WHEN a.user_handle IS NOT NULL THEN ARRAY(SELECT \(AccountPasskey.column) FROM passkeys p \
        WHERE p.project_id = \(project: project) AND p.account_id = a.account_id) END
        """
    }

    /// Reads the account of a row; `nil` when an outer join found none.
    init?(_ row: inout RowReader) throws(PostgresError) {
        guard let id = try row.next(as: String?.self) else { return nil }
        self.id = id
        email = try row.next()
        emailVerified = try row.next()
        emailProven = try row.next()
        phoneNumber = try row.next()
        phoneLinkedUnproven = try row.next()
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
        secondFactors = try row.next()
        identities = try LinkedIdentity.all(in: row.next())
        // Sorted here, since the database would prepare to sort also the one identity that most people have.
        if identities.count > 1 { identities.sort { $0.providerID < $1.providerID } }
        userHandle = try row.next(as: [UInt8]?.self)
        passkeys = try AccountPasskey.all(in: row.next(as: [String?]?.self) ?? [])
    }

    /// Reads the account of the first row, which begins with `columns`; `nil` when there is no row.
    init?(_ rows: [Row]) throws(PostgresError) {
        guard var row = rows.first?.reader() else { return nil }
        try self.init(&row)
    }

    static func one(of rows: [Row]) throws(AccountError) -> Account? {
        try reading { try Account(rows) }
    }

    /// Selects the accounts for which `condition` on `a` is true.
    /// - Parameter others: what to select behind `columns`.
    static func select(_ condition: SQL, with others: SQL? = nil, in project: ProjectSettings) -> SQL {
        let others: SQL = others.map { ", \($0)" } ?? ""
        return "SELECT \(columns(in: project))\(others) FROM accounts a WHERE a.project_id = \(project: project) AND \(condition)"
    }
}

extension LinkedIdentity {
    /// The value to select from `identities i` to read an identity: a list of texts.
    static let column: SQL = """
        ARRAY[i.provider_id, i.subject, i.email, CASE WHEN i.email_verified THEN '' END, i.display_name, i.photo_url, i.screen_name]
        """
    /// The length of the list.
    private static let width = 7

    /// Reads identities from their lists, which follow one another.
    static func all(in texts: [String?]) throws(PostgresError) -> [LinkedIdentity] {
        var identities: [LinkedIdentity] = []
        var rest = texts[...]
        while !rest.isEmpty {
            let (list, start) = (rest.prefix(width), rest.startIndex)
            guard list.count == width, let providerID = list[start], let subject = list[start + 1] else {
                throw .decoding("a list of texts is not an identity")
            }
            identities.append(
                LinkedIdentity(
                    providerID: providerID, subject: subject, email: list[start + 2], emailVerified: list[start + 3] != nil,
                    displayName: list[start + 4], photoURL: list[start + 5], screenName: list[start + 6]))
            rest = rest.dropFirst(width)
        }
        return identities
    }
}

extension Account {
    static let copiedColumns = 24
    /// Stores many accounts with everything that they have (`copy`).
    static let copyStatement: SQL = """
        COPY accounts (project_id, account_id, email, email_verified, email_proven, phone_number, display_name, photo_url, profile, disabled, \
        custom_attributes, valid_since, sessions_ended_at, created_at, last_login_at, last_refresh_at, initial_email, password_hash, \
        password_updated_at, email_link_sign_in, custom_auth, second_factors, factor_secrets, user_handle) FROM STDIN BINARY
        """

    /// - Parameter factorSecrets: sealed (`FactorSecrets`).
    func copy(into row: inout CopyRows.Row, passwordHash: String?, factorSecrets: [UInt8]?, in project: ProjectSettings) {
        row.field(project.storageID)
        row.field(id)
        row.field(email)
        row.field(emailVerified)
        row.field(emailProven)
        row.field(phoneNumber)
        row.field(displayName)
        row.field(photoURL)
        row.field(profile)
        row.field(disabled)
        row.field(customAttributes)
        row.field(validSince)
        row.field(sessionsEndedAt)
        row.field(createdAt)
        row.field(lastLoginAt)
        row.field(lastRefreshAt)
        row.field(initialEmail)
        row.field(passwordHash)
        row.field(passwordUpdatedAt)
        row.field(emailLinkSignIn)
        row.field(customAuth)
        row.field(FactorSecrets.split(secondFactors).shown)
        row.field(factorSecrets)
        row.field(userHandle)
    }

    /// Stores a new account. Its identities have statements of their own.
    /// - Parameter passwordHash: `nil` exactly where `passwordUpdatedAt` is `nil`.
    func insert(passwordHash: String? = nil, in project: ProjectSettings) -> SQL {
        """
        INSERT INTO accounts (project_id, account_id, email, email_verified, email_proven, phone_number, display_name, photo_url, profile,
            disabled, custom_attributes, valid_since, created_at, last_login_at, password_hash, password_updated_at, email_link_sign_in,
            custom_auth)
        VALUES (\(project: project), \(id), \(email), \(emailVerified), \(emailProven), \(phoneNumber), \(displayName), \(photoURL), \(profile),
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
            WHERE project_id = \(project: project) AND account_id = \(id) AND NOT disabled AND \(read.isAsRead) RETURNING account_id
            """)
    }

    /// The same for an administrator, who also changes what people do not, and disabled accounts.
    func updateByAdministrator(from read: Account, passwordHash: String?, in project: ProjectSettings) -> SQL {
        // A sign-in in the meantime is not undone.
        let lastLogin: SQL = lastLoginAt == read.lastLoginAt ? "" : ", last_login_at = \(lastLoginAt)"
        return .required(
            """
            UPDATE accounts SET \(assignments(passwordHash: passwordHash)), disabled = \(disabled),
                custom_attributes = \(customAttributes), second_factors = \(secondFactors),
                factor_secrets = CASE WHEN \(secondFactors != nil) THEN factor_secrets END, created_at = \(createdAt)\(lastLogin)
            WHERE project_id = \(project: project) AND account_id = \(id) AND (disabled, created_at) = (\(read.disabled), \(read.createdAt))
                AND (custom_attributes, second_factors) IS NOT DISTINCT FROM (\(read.customAttributes), \(read.secondFactors)) AND \(read.isAsRead) RETURNING account_id
            """)
    }

    private func assignments(passwordHash: String?) -> SQL {
        """
        email = \(email), email_verified = \(emailVerified), email_proven = \(emailProven), phone_number = \(phoneNumber),
            phone_linked_unproven = \(phoneNumber != nil && phoneLinkedUnproven),
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
    /// its address did not change. Nor may a custom token have signed in to an account that is taken over, since the next one would do it again,
    /// nor its first person have come, whose profile would stay.
    ///
    /// Compares less than the other `update`, so that a person who signed up with a stranger's address cannot hold up the takeover by the
    /// owner with changes of the name.
    func update(_ read: Account, takeover: Bool, in project: ProjectSettings) -> SQL {
        // What only administrators have written stays, also what they write at this moment.
        let profile: SQL =
            takeover && read.hasBeenUsed
            ? ", display_name = \(displayName), photo_url = \(photoURL), profile = \(profile)"
            : ", display_name = coalesce(display_name, \(displayName)), photo_url = coalesce(photo_url, \(photoURL))"
        let cleared: SQL =
            takeover
            ? """
            , phone_number = NULL, valid_since = \(validSince), sessions_ended_at = \(sessionsEndedAt), password_hash = NULL,
                password_updated_at = NULL
            """ : ""
        return .required(
            """
            UPDATE accounts SET email = \(email), email_verified = \(emailVerified), email_proven = \(emailProven),
                email_link_sign_in = \(emailLinkSignIn), last_login_at = \(lastLoginAt)\(profile)\(cleared)
            WHERE project_id = \(project: project) AND account_id = \(id) AND NOT disabled AND \(read.sessionsStand)
                AND email_proven = \(read.emailProven) AND email IS NOT DISTINCT FROM \(read.email)
                AND NOT (\(takeover) AND (custom_auth OR (last_login_at IS NOT NULL) <> \(read.hasBeenUsed))) RETURNING account_id
            """)
    }
}
