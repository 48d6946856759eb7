package import Postgres
package import ProjectSettings
import Text

/// Finds accounts, with their identities.
package struct AccountDirectory: Sendable {
    let storage: Storage
    let limits: RateLimits
    let justInTime: JustInTimeImports

    /// The account with this id.
    package func account(_ id: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try await AccountReader(storage: storage).account(id, in: project)
    }

    /// The account that has this address as its own. Firebase's account comes just in time (`JustInTimeImports`).
    package func account(email: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        if let account = try Account.one(of: await storage.read(Self.bearer(of: email, in: project))) { return account }
        return try await arrived(email: email, in: project)
    }

    /// The same, in one round trip with the charge of an attempt.
    func account(email: String, charging attempt: Attempt, in project: ProjectSettings) async throws(AccountError) -> Account? {
        guard let account = try Account.one(of: await limits.charge(attempt, then: Self.bearer(of: email, in: project))) else {
            return try await arrived(email: email, in: project)
        }
        // Where addresses are protected, the time of the answer must not tell that this one has an account (SEC-15). Its owner does not depend on
        // Google's answer.
        if project.emailEnumerationProtection { _ = try? await justInTime.bring(.address(email), in: project) }
        return account
    }

    private static func bearer(of email: String, in project: ProjectSettings) -> SQL { Account.select("a.email = \(email)", in: project) }

    /// The account of an address that no account here has.
    private func arrived(email: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        guard case .here = try await justInTime.bring(.address(email), in: project) else { return nil }
        return try Account.one(of: await storage.read(Self.bearer(of: email, in: project)))
    }

    /// Tells a client whether any account signs in with this address, and which: the one whose own address it is, or else, where an address
    /// has one account, the only one with an identity that has it.
    package func identify(
        _ email: String, in project: ProjectSettings, from client: Session.ClientInfo
    ) async throws(AccountError) -> (account: Account?, isRegistered: Bool) {
        if let account = try await account(email: email, charging: Attempt(.identify, from: client, in: project), in: project) {
            return (account, true)
        }
        guard project.signIn.oneAccountPerEmail else {
            let found: SQL = "SELECT 1 FROM identities WHERE project_id = \(project: project) AND email = \(email) LIMIT 1"
            return (nil, try await !storage.read(found).isEmpty)
        }
        let bearer: SQL = """
            a.account_id = (SELECT min(account_id) FROM identities WHERE project_id = \(project: project) AND email = \(email)
                HAVING count(DISTINCT account_id) = 1)
            """
        let account = try Account.one(of: await storage.read(Account.select(bearer, in: project)))
        return (account, account != nil)
    }

    /// The identities of a provider under this issuer, those that signed in last first.
    package func identities(
        of providerID: String, issuer: String, most: Int, in project: ProjectSettings
    ) async throws(AccountError) -> [LinkedIdentity] {
        let rows = try await storage.read(
            """
            SELECT \(LinkedIdentity.column) FROM identities i
            JOIN provider_issuers p ON p.project_id = \(project: project) AND p.provider_id = i.provider_id
            WHERE i.project_id = \(project: project) AND i.provider_id = \(providerID) AND p.issuer = \(issuer)
            ORDER BY last_sign_in_at DESC, subject LIMIT \(most)
            """)
        return try reading { try rows.flatMap { row throws(PostgresError) in try LinkedIdentity.all(in: row.value()) } }
    }

    /// The accounts that were made last, the newest first. Reads all accounts of the project; for development mode.
    package func newest(_ most: Int, in project: ProjectSettings) async throws(AccountError) -> [Account] {
        let rows = try await storage.read(
            """
            SELECT \(Account.columns(in: project)) FROM accounts a WHERE project_id = \(project: project)
            ORDER BY created_at DESC, account_id LIMIT \(most)
            """)
        return try reading {
            try rows.compactMap { row throws(PostgresError) in
                var row = row.reader()
                return try Account(&row)
            }
        }
    }

    /// Whether no account has this address as its own.
    func isFree(_ email: String, in project: ProjectSettings) async throws(AccountError) -> Bool {
        guard try await storage.read(Self.holder(of: email, in: project)).isEmpty else { return false }
        return try await staysFree(email, in: project)
    }

    /// Whether an address that no account here has is free at Firebase, too, while people come from there: no second account may get it.
    func staysFree(_ email: String, in project: ProjectSettings) async throws(AccountError) -> Bool {
        switch try await justInTime.bring(.address(email), in: project) {
        case .nobody: true
        case .refused: false
        case .here: try await storage.read(Self.holder(of: email, in: project)).isEmpty
        }
    }

    /// Selects a row where an account has this address as its own.
    static func holder(of email: String, in project: ProjectSettings) -> SQL {
        "SELECT 1 FROM accounts WHERE project_id = \(project: project) AND email = \(email)"
    }
}

/// Reads accounts for work that no request waits for.
package struct AccountReader: Sendable {
    let storage: Storage

    init(storage: Storage) { self.storage = storage }

    package init(database: Database) { storage = Storage(database: database) }

    /// The account with this id.
    package func account(_ id: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try Account.one(of: await storage.read(Account.select("a.account_id = \(id)", in: project)))
    }
}
