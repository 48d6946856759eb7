import Postgres

/// A table of the schema, and what work that no request waits for must know of it.
///
/// `all` is the one list of tables. Clean-up, `AccountDeletion.deleteAll`, `gatehouse keys reseal` and the check of a distributed database
/// are made from it; a test compares it with a migrated database and with docs/scaling.md.
struct Table: Sendable {
    let name: String
    /// The columns of the primary key; behind `project_id`, where rows belong to a project.
    let key: [Column]
    /// Whether each row belongs to a project. A distributed database keeps such a row with the others of its project, and all other tables on
    /// each node.
    var isOfProjects = true
    /// When rows are deleted. A table without one keeps its rows until something else deletes them.
    var expiry: [Expiry] = []
    /// The fate of a project's rows when all its accounts are deleted at once.
    var whenAccountsGo = WhenAccountsGo.stay
    /// The columns that the master key seals.
    var sealed: SealedColumns?

    struct Column: Sendable, Equatable {
        enum Kind: Sendable { case text, bytes, number }
        let name: String
        let kind: Kind

        static func text(_ name: String) -> Column { Column(name: name, kind: .text) }
        static func bytes(_ name: String) -> Column { Column(name: name, kind: .bytes) }
        static func number(_ name: String) -> Column { Column(name: name, kind: .number) }
    }

    struct Expiry: Sendable {
        enum Age: Sendable {
            case fixed(Duration)
            /// As long as the project keeps its audit events.
            case auditRetention
            /// As long as lines of the log of sign-ins are kept.
            case signInRetention
        }
        /// A time; a row is deleted once it is older than `age`.
        let column: String
        let age: Age
        /// Whether an index finds the rows. Otherwise each batch reads all rows of the project.
        var hasIndex = true
        /// The rows that are left while their project's people come from Firebase, as a condition; `nil` for none.
        var sparedWhileMoving: SQL?
    }

    enum WhenAccountsGo: Sendable {
        /// A statement deletes them.
        case areDeleted
        /// The database deletes them with the accounts that they refer to.
        case cascade
        case stay
    }
}

extension Table {
    /// An hour late, since the clocks of two processes differ: nothing may be forgotten while one of them still accepts it.
    private static let expires = Expiry(column: "expires_at", age: .fixed(.seconds(3600)))

    static let all: [Table] =
        [
            Table(name: "accounts", key: [.text("account_id")], whenAccountsGo: .areDeleted, sealed: .factorSecrets),
            Table(name: "identities", key: [.text("provider_id"), .text("subject")], whenAccountsGo: .cascade),
            Table(name: "passkeys", key: [.bytes("credential_id")], whenAccountsGo: .cascade),
            Table(
                name: "provider_tokens", key: [.text("account_id"), .text("provider_id")], whenAccountsGo: .cascade,
                sealed: .providerTokens),
            Table(
                name: "action_codes", key: [.bytes("code_hash")],
                expiry: [Expiry(column: "expires_at", age: .fixed(ActionCode.memory))], whenAccountsGo: .areDeleted),
            Table(name: "consents", key: [.text("account_id"), .text("client_id")], whenAccountsGo: .cascade),
            Table(
                name: "sessions", key: [.bytes("session_id")],
                expiry: [expires, Expiry(column: "ended_at", age: .fixed(.seconds(30 * 86400)), sparedWhileMoving: "bridged")],
                whenAccountsGo: .areDeleted),
            Table(
                name: "sign_in_flows", key: [.bytes("flow_id")], expiry: [expires], whenAccountsGo: .areDeleted, sealed: .flows),
            Table(
                name: "pending_sign_ins", key: [.bytes("pending_hash")], expiry: [expires], whenAccountsGo: .cascade,
                sealed: .formerCredentials),
            Table(name: "recovery_codes", key: [.text("account_id"), .bytes("code_hash")], whenAccountsGo: .cascade),
            Table(name: "remembered_devices", key: [.bytes("device_hash")], expiry: [expires], whenAccountsGo: .cascade),
            Table(name: "authorization_requests", key: [.bytes("request_id")], expiry: [expires], whenAccountsGo: .areDeleted),
            Table(name: "sms_codes", key: [.bytes("session_hash")], expiry: [expires], whenAccountsGo: .areDeleted),
            Table(
                name: "sms_counters", key: [.text("slot")],
                expiry: [Expiry(column: "expires_at", age: .fixed(.seconds(3600)), hasIndex: false)]),
            Table(name: "spent_tokens", key: [.bytes("token_id")], expiry: [expires]),
            // Full buckets contain no information.
            Table(
                name: "rate_limits", key: [.bytes("key")],
                expiry: [Expiry(column: "full_at", age: .fixed(.seconds(3600)), hasIndex: false)], whenAccountsGo: .areDeleted),
            Table(
                name: "deliveries", key: [.bytes("delivery_id")], expiry: [expires], whenAccountsGo: .areDeleted, sealed: .deliveries),
            Table(
                name: "audit_events", key: [.number("event_id")],
                expiry: [Expiry(column: "occurred_at", age: .auditRetention, sparedWhileMoving: JustInTimeImports.saysDeletion)],
                whenAccountsGo: .areDeleted),
            Table(
                name: "sign_in_log", key: [.number("entry_id")], expiry: [Expiry(column: "occurred_at", age: .signInRetention)],
                whenAccountsGo: .areDeleted),
            Table(name: "erasures", key: [.text("account_name")]),
            Table(name: "imported_accounts", key: [.text("account_id")], whenAccountsGo: .cascade),
            Table(name: "mirrors", key: [.text("firebase_project"), .text("purpose")]),
            Table(name: "stopped_endpoints", key: [.text("endpoint")]),
            Table(name: "hash_keys", key: [.text("key_id")], sealed: .hashKeys),
            Table(name: "provider_issuers", key: [.text("provider_id")]),
            Table(name: "tenants", key: [.text("tenant_id")]),
            Table(name: "service_accounts", key: [.text("email")]),
            Table(name: "service_account_keys", key: [.text("key_id")]),
            Table(name: "projects", key: [.text("project_id")], isOfProjects: false),
            Table(name: "console_sessions", key: [.bytes("session_hash")], isOfProjects: false, expiry: [expires]),
            Table(name: "console_operators", key: [.text("issuer"), .text("subject")], isOfProjects: false),
            Table(
                name: "console_openings", key: [.bytes("opening_hash")], isOfProjects: false,
                expiry: [Expiry(column: "expires_at", age: .fixed(.seconds(3600)), hasIndex: false)]),
            Table(name: "operator_passkeys", key: [.bytes("credential_id")], isOfProjects: false),
        ]
        + SigningKeyPurpose.allCases.map {
            Table(name: $0.tableName, key: [.text("kid")], isOfProjects: false, sealed: .signingKeys)
        }
}

extension Table {
    var sql: SQL { SQL(unsafe: name) }
}

extension Table.Column {
    var sql: SQL { SQL(unsafe: name) }

    /// Reads the value as a text, which `value` takes back; bytes as hex digits.
    var asText: SQL {
        switch kind {
        case .text: sql
        case .bytes: "encode(\(sql), 'hex')"
        case .number: "\(sql)::text"
        }
    }

    /// The value of a text by `asText`. The empty text stands before all texts and bytes.
    func value(_ text: String) -> SQL {
        switch kind {
        case .text: "\(text)"
        case .bytes: "decode(\(text), 'hex')"
        case .number: "\(Int64(text) ?? .min)"
        }
    }
}
