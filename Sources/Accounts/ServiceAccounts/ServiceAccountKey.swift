import JOSE
import JSON
import Postgres

/// A live key of a service account, as a statement by `select` reads it.
struct ServiceAccountKey: Sendable {
    let projectID: String
    let id: String
    /// Those of the account.
    let rights: Set<Administrator.Right>
    let key: JWK

    /// Reads the live keys of the account with this e-mail, in the project that the e-mail names. It may be another one than that of the call,
    /// which shows only once a key fits.
    ///
    /// - Parameters:
    ///   - id: of the only key to read; `nil` reads all keys of the account.
    ///   - project: in place of the one that the e-mail names, for keys of another one that were imported.
    static func select(of email: ServiceAccountEmail, id: String?, in project: String? = nil) -> SQL {
        let project = project ?? email.projectID
        return """
            SELECT k.project_id, k.key_id, a.rights, k.public_key
            FROM service_account_keys k
            JOIN service_accounts a ON a.project_id = \(project: project) AND a.email = k.email
            WHERE k.project_id = \(project: project) AND k.email = \(email.text) AND k.revoked_at IS NULL AND (\(id)::text IS NULL OR k.key_id = \(id))
            ORDER BY k.created_at DESC LIMIT \(ServiceAccounts.mostKeys)
            """
    }
}

extension ServiceAccountKey {
    init(_ row: Row) throws(PostgresError) {
        var row = row.reader()
        projectID = try row.next()
        id = try row.next()
        rights = Administrator.Right.reading(try row.next())
        let text: String = try row.next()
        guard let json = try? JSON.parse(text), let key = try? JWK(json) else { throw .decoding("public_key") }
        self.key = key
    }
}
