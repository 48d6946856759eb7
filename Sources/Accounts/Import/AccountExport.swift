package import Crypto
import Postgres
import ProjectSettings
import Runtime

/// Reads all accounts of a project with everything that is stored of them, for an export.
package struct AccountExport: Sendable {
    let storage: Storage
    let factorSecrets: FactorSecrets

    /// Gives the accounts in the order of their ids to `body`, some at a time, as they all were at one moment. The database waits while `body`
    /// works, so any number of accounts takes little memory.
    package func read(
        by administrator: Administrator, _ body: ([ExportedAccount]) async throws -> Void
    ) async throws {
        let project = administrator.project
        try await storage.database.transaction { transaction in
            try await transaction.copyOut(
                """
                COPY (
                    SELECT \(Account.columns(in: project)), a.password_hash, a.factor_secrets, \(IdentityRecord.columns(in: project)),
                        \(PasskeyRecord.columns(in: project))
                    FROM accounts a WHERE a.project_id = \(project: project) ORDER BY a.account_id
                ) TO STDOUT BINARY
                """)
            while true {
                let rows = try await transaction.nextCopied()
                if rows.isEmpty { return }
                try await body(try reading { try rows.compactMap { try ExportedAccount($0, factorSecrets, in: project) } })
            }
        }
    }
}

/// An account with everything that is stored of it. Its second factors have their secrets.
package struct ExportedAccount: Sendable {
    package let account: Account
    package let passwordHash: PasswordHash?
    /// By the ids of their providers.
    package let identityRecords: [String: IdentityRecord]
    package let passkeys: [PasskeyRecord]

    init?(_ row: CopiedRow, _ secrets: FactorSecrets, in project: ProjectSettings) throws {
        var row = row.reader()
        guard var account = try Account(&row) else { return nil }
        passwordHash = try row.next(as: String?.self).flatMap(PasswordHash.init)
        account.secondFactors = try secrets.opened(account, try row.next(as: [UInt8]?.self), in: project)
        self.account = account
        identityRecords = try IdentityRecord.all(in: try row.next())
        passkeys = try PasskeyRecord.all(in: try row.next(as: [String?]?.self) ?? [])
    }
}

extension IdentityRecord {
    private static let width = 6

    /// Lists of texts, one for each identity.
    fileprivate static func columns(in project: ProjectSettings) -> SQL {
        """
        ARRAY(SELECT ARRAY[i.provider_id, i.alias, i.tenant, (extract(epoch FROM i.linked_at) * 1000000)::bigint::text,
            (extract(epoch FROM i.last_sign_in_at) * 1000000)::bigint::text, CASE WHEN i.linked_unproven THEN '' END]
        FROM identities i WHERE i.project_id = \(project: project) AND i.account_id = a.account_id)
        """
    }

    fileprivate static func all(in texts: [String?]) throws -> [String: IdentityRecord] {
        var records: [String: IdentityRecord] = [:]
        var rest = texts[...]
        while let providerID = rest.first ?? nil {
            let list = Array(rest.prefix(width))
            guard list.count == width else { throw PostgresError.decoding("a list of texts is not an identity") }
            var record = IdentityRecord()
            (record.alias, record.tenant) = (list[1], list[2])
            record.linkedAt = list[3].flatMap { Int64($0) }.map { Instant(microseconds: $0) }
            record.lastSignInAt = list[4].flatMap { Int64($0) }.map { Instant(microseconds: $0) }
            record.isUnproven = list[5] != nil
            records[providerID] = record
            rest = rest.dropFirst(width)
        }
        return records
    }
}
