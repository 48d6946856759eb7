package import Crypto
import Postgres
import ProjectSettings
import Text

/// Finds and lists accounts for administrators. `AccountDirectory` is for the rules themselves.
package struct AccountLists: Sendable {
    let storage: Storage

    /// The accounts that a list is asked for. An account that is named several times comes once.
    package struct Wanted: Sendable {
        package var ids: [String] = []
        /// In canonical form.
        package var emails: [String] = []
        /// First addresses of accounts that have another one now.
        package var initialEmails: [String] = []
        package var phoneNumbers: [String] = []
        package var identities: [(providerID: String, subject: String)] = []

        package init() {}

        package var count: Int { ids.count + emails.count + initialEmails.count + phoneNumbers.count + identities.count }
    }

    /// The accounts that were asked for, by their ids. One round trip.
    package func find(
        _ wanted: Wanted, by administrator: Administrator
    ) async throws(AccountError) -> [ListedAccount] {
        let project = administrator.project
        guard let condition = wanted.condition(in: project) else { return [] }
        let rows = try await storage.read(
            "\(Account.select(condition, with: administrator.hashColumn, in: project)) ORDER BY a.account_id")
        return try ListedAccount.all(of: rows)
    }

    /// The next accounts in the order of their ids, in one statement that reads no account before them.
    /// - Parameter id: the last one of the page before.
    package func page(
        after id: String?, most: Int, by administrator: Administrator
    ) async throws(AccountError) -> [ListedAccount] {
        let (project, start) = (administrator.project, id ?? "")
        let rows = try await storage.read(
            """
            SELECT \(Account.columns(in: project)), \(administrator.hashColumn) FROM accounts a
            WHERE project_id = \(project: project) AND account_id > \(start) ORDER BY account_id LIMIT \(most)
            """)
        return try ListedAccount.all(of: rows)
    }

    /// A column that accounts are sorted by.
    package enum Order: Sendable, CaseIterable {
        case id, displayName, createdAt, lastLoginAt, email

        fileprivate var column: SQL {
            switch self {
            case .id: "account_id"
            case .displayName: "display_name"
            case .createdAt: "created_at"
            case .lastLoginAt: "last_login_at"
            case .email: "email"
            }
        }
    }

    /// The accounts that were asked for, sorted.
    /// - Parameter wanted: `nil` for all accounts.
    package func query(
        _ wanted: Wanted?, by order: Order, descending: Bool, from offset: Int, most: Int, by administrator: Administrator
    ) async throws(AccountError) -> [ListedAccount] {
        let project = administrator.project
        guard let condition = Self.condition(wanted, in: project) else { return [] }
        let direction: SQL = descending ? "DESC NULLS LAST" : "ASC NULLS FIRST"
        let rows = try await storage.read(
            """
            SELECT \(Account.columns(in: project)), \(administrator.hashColumn) FROM accounts a
            WHERE a.project_id = \(project: project) AND a.account_id IN (
                SELECT a.account_id FROM accounts a WHERE a.project_id = \(project: project) AND \(condition)
                ORDER BY \(order.column) \(direction), account_id LIMIT \(most) OFFSET \(offset))
            ORDER BY \(order.column) \(direction), account_id
            """)
        return try ListedAccount.all(of: rows)
    }

    /// How many accounts there are of those that were asked for.
    /// - Parameter wanted: `nil` for all accounts.
    package func count(
        _ wanted: Wanted?, by administrator: Administrator
    ) async throws(AccountError) -> Int64 {
        let project = administrator.project
        guard let condition = Self.condition(wanted, in: project) else { return 0 }
        let rows = try await storage.read(
            "SELECT count(*) FROM accounts a WHERE project_id = \(project: project) AND \(condition)")
        return try reading { try rows.first?.value() ?? 0 }
    }

    private static func condition(_ wanted: Wanted?, in project: ProjectSettings) -> SQL? {
        guard let wanted else { return "true" }
        return wanted.condition(in: project)
    }
}

/// An account as administrators see it.
package struct ListedAccount: Sendable {
    package let account: Account
    /// Only for administrators who may read hashes.
    package let passwordHash: PasswordHash?

    fileprivate static func all(of rows: [Row]) throws(AccountError) -> [ListedAccount] {
        try reading {
            try rows.compactMap { row throws(PostgresError) in
                var row = row.reader()
                guard let account = try Account(&row) else { return nil }
                return ListedAccount(account: account, passwordHash: try row.next(as: String?.self).flatMap(PasswordHash.init))
            }
        }
    }
}

extension Administrator {
    fileprivate var hashColumn: SQL { may(.readPasswordHashes) ? "a.password_hash" : "NULL::text" }
}

extension AccountLists.Wanted {
    /// A condition on `accounts a`; `nil` when nothing is asked for. Each kind of name has an index, so each is looked up by itself.
    fileprivate func condition(in project: ProjectSettings) -> SQL? {
        // One id is the usual question, and PostgreSQL plans it better than a list of unknown length.
        if count == 1, let id = ids.first { return "a.account_id = \(id)" }
        if count == ids.count { return ids.isEmpty ? nil : "a.account_id = ANY(\(ids))" }
        var parts: [SQL] = []
        func own(_ names: [String], _ condition: SQL) {
            if !names.isEmpty { parts.append("SELECT account_id FROM accounts WHERE project_id = \(project: project) AND \(condition)") }
        }
        own(ids, "account_id = ANY(\(ids))")
        own(emails, "email = ANY(\(emails))")
        own(initialEmails, "initial_email = ANY(\(initialEmails))")
        own(phoneNumbers, "phone_number = ANY(\(phoneNumbers))")
        if !identities.isEmpty {
            let (providers, subjects) = (identities.map(\.providerID), identities.map(\.subject))
            for column: SQL in ["subject", "alias"] {
                parts.append(
                    """
                    SELECT account_id FROM unnest(\(providers), \(subjects)) AS named (provider_id, name)
                    JOIN identities ON project_id = \(project: project) AND identities.provider_id = named.provider_id AND \(column) = name
                    """)
            }
        }
        guard var union = parts.first else { return nil }
        for part in parts.dropFirst() { union = "\(union) UNION \(part)" }
        return "a.account_id IN (\(union))"
    }
}
