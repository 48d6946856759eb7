import Postgres

/// The rows of a table that are about one person: how they are found, what an export shows of them, and their fate at an erasure.
///
/// `all` has an entry for each table of `Table.all`, and each column is either shown or hidden: a test compares both with a migrated database,
/// so that neither an export nor an erasure forgets a new table or shows a new secret.
struct PersonalRows: Sendable {
    enum Fate: Sendable {
        /// It is the account, which is deleted first.
        case isAccount
        /// The database deletes them with the account.
        case goWithAccount
        /// A statement deletes them.
        case areDeleted
        /// They stay as a record, without the account's id and without what could be traced to the person (`AccountErasure`).
        case loseName
    }

    /// A column of an export: its name, and an expression where that differs from the column.
    struct Shown: Sendable, ExpressibleByStringLiteral {
        let name: String
        let expression: SQL

        init(stringLiteral name: StaticString) {
            self.name = name.description
            expression = SQL(unsafe: name.description)
        }

        init(_ name: String, as expression: SQL) {
            self.name = name
            self.expression = "\(expression) AS \(SQL(unsafe: name))"
        }
    }

    /// The columns that may have the account's id.
    let ids: [String]
    /// A column of `accounts` that this table has, too: rows with the account's value are about its person.
    var contact: String?
    let shown: [Shown]
    let hidden: [String]
    let fate: Fate

    init(by ids: [String] = ["account_id"], or contact: String? = nil, shown: [Shown], hidden: [String] = [], fate: Fate) {
        self.ids = ids
        self.contact = contact
        self.shown = shown
        self.hidden = hidden
        self.fate = fate
    }

    /// A condition that is true for the rows about an account.
    func condition(_ id: String, in project: String) -> SQL {
        var condition: SQL = "\(id) IN (\(SQL(unsafe: ids.joined(separator: ", "))))"
        if ids.count == 1 { condition = "\(SQL(unsafe: ids[0])) = \(id)" }
        guard let contact else { return condition }
        let column = SQL(unsafe: contact)
        return """
            (\(condition) OR \(column) = (
                SELECT a.\(column) FROM accounts a WHERE a.project_id = \(project: project) AND a.account_id = \(id)))
            """
    }
}

extension PersonalRows {
    /// Each table, with what it has of a person; `nil` for a table without an account's id, an address or a number that could be read.
    static let all: KeyValuePairs<String, PersonalRows?> = [
        "accounts": accounts,
        "identities": identities,
        "passkeys": passkeys,
        "provider_tokens": providerTokens,
        "action_codes": actionCodes,
        "consents": consents,
        "sessions": sessions,
        // The account is not known before a sign-in ends; what the provider said is sealed, and is gone within an hour.
        "sign_in_flows": nil,
        "pending_sign_ins": pendingSignIns,
        "recovery_codes": recoveryCodes,
        "remembered_devices": rememberedDevices,
        "authorization_requests": authorizationRequests,
        "sms_codes": smsCodes,
        // Numbers of messages to a region.
        "sms_counters": nil,
        // Random ids.
        "spent_tokens": nil,
        // Hashes.
        "rate_limits": nil,
        // What is to be delivered is sealed; `PersonalDeliveries` finds it.
        "deliveries": nil,
        "audit_events": auditEvents,
        "sign_in_log": signInLog,
        "imported_accounts": importedAccounts,
        "erasures": nil,
        "mirrors": nil,
        "stopped_endpoints": nil,
        "hash_keys": nil,
        "provider_issuers": nil,
        "tenants": nil,
        "service_accounts": nil,
        "service_account_keys": nil,
        "projects": nil,
        // Of operators, who have no accounts here.
        "console_sessions": nil,
        "console_operators": nil,
        "console_openings": nil,
        "operator_passkeys": nil,
        "signing_keys": nil,
        "session_cookie_keys": nil,
    ]

    /// Those that have something.
    static var found: [(table: String, rows: PersonalRows)] { all.compactMap { table, rows in rows.map { (table, $0) } } }

    private static let accounts = PersonalRows(
        shown: [
            "account_id", "email", "email_verified", "email_proven", "initial_email", "phone_number", "phone_linked_unproven",
            "display_name", "photo_url", "profile", "custom_attributes", "second_factors", "disabled", "email_link_sign_in",
            "custom_auth", "password_updated_at", "created_at", "last_login_at", "last_refresh_at", "valid_since",
            "sessions_ended_at",
        ], hidden: ["password_hash", "factor_secrets", "totp_steps", "user_handle"], fate: .isAccount)
    private static let identities = PersonalRows(
        shown: [
            "provider_id", "subject", "alias", "tenant", "email", "email_verified", "display_name", "photo_url", "screen_name",
            "linked_at", "last_sign_in_at", "linked_unproven",
        ], hidden: ["account_id"], fate: .goWithAccount)
    private static let passkeys = PersonalRows(
        shown: [
            "credential_id", "rp_id", "name", "display_name", "aaguid", "format", "transports", "algorithm", "public_key",
            "backup_eligible", "backup_state", "uv_initialized", "sign_count", "linked_unproven", "flagged_at", "linked_at",
            "last_used_at",
        ], hidden: ["account_id"], fate: .goWithAccount)
    private static let providerTokens = PersonalRows(
        shown: ["provider_id", "expires_at", "updated_at"],
        hidden: ["account_id", "access_token", "refresh_token", "leased_until"], fate: .goWithAccount)
    private static let actionCodes = PersonalRows(
        or: "email", shown: ["kind", "email", "new_email", "email_proven", "created_at", "expires_at"],
        hidden: ["account_id", "code_hash", "enrollment_id"], fate: .areDeleted)
    private static let consents = PersonalRows(
        shown: ["client_id", "scopes", "given_at"], hidden: ["account_id"], fate: .goWithAccount)
    private static let sessions = PersonalRows(
        shown: [
            "created_at", "kind", "sign_in_provider", "auth_time", "second_factor", "second_factor_id", "developer_claims",
            "client_id", "user_flow", "scopes", "address", "user_agent", "refreshed_at", "expires_at", "ended_at", "end_reason",
            "bridged",
        ],
        hidden: [
            "account_id", "session_id", "generation", "rotated_at", "token_key", "late_repeats", "late_generations", "granted",
            "browser_session_id",
        ], fate: .areDeleted)
    private static let pendingSignIns = PersonalRows(
        shown: ["kind", "sign_in_provider", "method", "auth_time", "created_at", "expires_at"],
        hidden: ["account_id", "pending_hash", "tries", "former_credential", "mailed_code"], fate: .goWithAccount)
    private static let recoveryCodes = PersonalRows(shown: ["created_at"], hidden: ["account_id", "code_hash"], fate: .goWithAccount)
    private static let rememberedDevices = PersonalRows(
        shown: ["created_at", "used_at", "expires_at"], hidden: ["account_id", "device_hash"], fate: .goWithAccount)
    private static let authorizationRequests = PersonalRows(
        by: ["consented_by", "chosen_by", "edited_by"], or: "email", shown: ["client_id", "status", "created_at", "expires_at"],
        hidden: [
            "request_id", "parameters", "cookie_hash", "code_hash", "consented_by", "chosen_by", "edited_by", "email", "email_code",
            "email_code_expires", "email_tries", "email_proven", "browser_session_id", "scopes", "client_session_id",
        ], fate: .areDeleted)
    private static let smsCodes = PersonalRows(
        or: "phone_number", shown: ["purpose", "phone_number", "region", "expires_at"],
        hidden: ["account_id", "session_hash", "code_hash", "factor_id", "pending_hash", "tries"], fate: .areDeleted)
    private static let auditEvents = PersonalRows(
        shown: [
            "occurred_at", "action", "actor_kind", "provider_id", "rule",
            // The client of an administrator is another person's.
            Shown("address", as: "CASE WHEN actor_kind = 'person' THEN address END"),
            Shown("user_agent", as: "CASE WHEN actor_kind = 'person' THEN user_agent END"),
            // The account is another one.
            Shown("details", as: "details - 'account'"),
        ], hidden: ["account_id", "event_id", "actor", "recipients"], fate: .loseName)
    private static let signInLog = PersonalRows(
        shown: ["occurred_at", "provider", "outcome", "code", "network"], hidden: ["account_id", "entry_id"], fate: .areDeleted)
    private static let importedAccounts = PersonalRows(shown: [], hidden: ["account_id", "digest", "fields"], fate: .goWithAccount)
}
