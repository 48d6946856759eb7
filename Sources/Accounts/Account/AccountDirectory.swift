import Postgres
package import ProjectSettings
import Text

/// Finds accounts, with their identities.
package struct AccountDirectory: Sendable {
    let storage: Storage
    let limits: RateLimits

    /// The account with this id.
    package func account(_ id: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try Account.one(of: await storage.read(Account.select("a.account_id = \(id)", in: project)))
    }

    /// The account that has this address as its own.
    package func account(email: String, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try Account.one(of: await storage.read(Account.select("a.email = \(email)", in: project)))
    }

    /// The same, in one round trip with the charge of an attempt.
    func account(email: String, charging attempt: Attempt, in project: ProjectSettings) async throws(AccountError) -> Account? {
        try Account.one(of: await limits.charge(attempt, then: Account.select("a.email = \(email)", in: project)))
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
        try await storage.read(Self.holder(of: email, in: project)).isEmpty
    }

    /// Selects a row where an account has this address as its own.
    static func holder(of email: String, in project: ProjectSettings) -> SQL {
        "SELECT 1 FROM accounts WHERE project_id = \(project: project) AND email = \(email)"
    }
}
