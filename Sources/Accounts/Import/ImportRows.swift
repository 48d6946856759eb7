import Crypto
import Postgres
import ProjectSettings
import Runtime
import Text

/// The rows that COPY stores of new accounts.
extension ImportPlan {
    func accountRows(_ hashes: [UTF8Text: PasswordHash], _ secrets: FactorSecrets, in project: ProjectSettings) -> CopyRows {
        var rows = CopyRows(columns: Account.copiedColumns)
        for imported in new {
            let account = imported.account
            rows.append {
                account.copy(
                    into: &$0, passwordHash: hashes[UTF8Text(account.id)]?.text, factorSecrets: secrets.sealed(account, in: project),
                    in: project)
            }
        }
        return rows
    }

    func identityRows(in project: ProjectSettings) -> CopyRows {
        var rows = CopyRows(columns: LinkedIdentity.copiedColumns)
        for imported in new {
            for identity in imported.account.identities {
                let record = imported.identityRecords[identity.providerID] ?? IdentityRecord()
                rows.append { imported.account.copy(identity, record, into: &$0, in: project) }
            }
        }
        return rows
    }

    func memoryRows(in project: ProjectSettings) -> CopyRows {
        var rows = CopyRows(columns: 4)
        for imported in new {
            let memory = ImportMemory(imported)
            rows.append { row in
                row.field(project.storageID)
                row.field(imported.account.id)
                row.field(memory.digest)
                row.field(memory.fields)
            }
        }
        return rows
    }
}

extension ImportMemory {
    static let copyStatement: SQL = "COPY imported_accounts (project_id, account_id, digest, fields) FROM STDIN BINARY"

    /// The value to select from `accounts a` to read `fields`; `NULL` for an account that no import made.
    static func fields(in project: ProjectSettings) -> SQL {
        "(SELECT i.fields FROM imported_accounts i WHERE i.project_id = \(project: project) AND i.account_id = a.account_id)"
    }

    func store(for id: String, in project: ProjectSettings) -> SQL {
        """
        INSERT INTO imported_accounts (project_id, account_id, digest, fields) VALUES (\(project: project), \(id), \(digest), \(fields))
        ON CONFLICT (project_id, account_id) DO UPDATE SET digest = EXCLUDED.digest, fields = EXCLUDED.fields
        """
    }
}

extension Account {
    private func linkedAt(_ record: IdentityRecord) -> Instant { record.linkedAt ?? createdAt }
    private func lastSignInAt(_ record: IdentityRecord) -> Instant { record.lastSignInAt ?? lastLoginAt ?? createdAt }
    /// While the address is not proven, an identity is not its owner's: they lose it when they prove the address.
    private func isUnproven(_ record: IdentityRecord) -> Bool { record.isUnproven ?? (email != nil && !emailProven) }

    fileprivate func copy(
        _ identity: LinkedIdentity, _ record: IdentityRecord, into row: inout CopyRows.Row, in project: ProjectSettings
    ) {
        row.field(project.storageID)
        row.field(identity.providerID)
        row.field(identity.subject)
        row.field(id)
        row.field(record.alias)
        row.field(record.tenant)
        row.field(identity.email)
        row.field(identity.emailVerified)
        row.field(identity.displayName)
        row.field(identity.photoURL)
        row.field(identity.screenName)
        row.field(linkedAt(record))
        row.field(lastSignInAt(record))
        row.field(isUnproven(record))
    }

    /// Stores one imported identity of an account that is there.
    func insert(_ identity: LinkedIdentity, _ record: IdentityRecord, in project: ProjectSettings) -> SQL {
        """
        INSERT INTO identities (\(LinkedIdentity.allColumns))
        VALUES (\(project: project), \(identity.providerID), \(identity.subject), \(id), \(record.alias), \(record.tenant),
            \(identity.email), \(identity.emailVerified), \(identity.displayName), \(identity.photoURL), \(identity.screenName),
            \(linkedAt(record)), \(lastSignInAt(record)), \(isUnproven(record)))
        """
    }
}

extension LinkedIdentity {
    static let copiedColumns = 14
    static let copyStatement: SQL = "COPY identities (\(allColumns)) FROM STDIN BINARY"
    fileprivate static let allColumns: SQL = """
        project_id, provider_id, subject, account_id, alias, tenant, email, email_verified, display_name, photo_url, screen_name, linked_at, \
        last_sign_in_at, linked_unproven
        """
}
