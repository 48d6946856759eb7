import Postgres
import ProjectSettings
import Text

/// Finds the accounts that a batch would change, and those that have what it would take.
struct ImportLookup: Sendable {
    let storage: Storage
    let erasedNames: ErasedNames

    /// An account that is there under an id of the batch.
    struct Known: Sendable {
        let account: Account
        /// `nil` for an account that no import made.
        let memory: ImportMemory?
    }

    struct Found: Sendable {
        var known: [UTF8Text: Known] = [:]
        /// Which account has an address or a phone number of the batch.
        var holders: [String: String] = [:]
        /// Which account has an identity of the batch.
        var linked: [ImportIdentityKey: String] = [:]
        /// The ids of the batch whose accounts were deleted here.
        var deleted: Set<UTF8Text> = []
    }

    /// One read a question.
    func known(_ batch: [ImportedAccount], in project: ProjectSettings) async throws(AccountError) -> Found {
        let accounts = batch.map(\.account)
        let (ids, emails, numbers) = (accounts.map(\.id), accounts.compactMap(\.email), accounts.compactMap(\.phoneNumber))
        let identities = accounts.flatMap { $0.identities.map(ImportIdentityKey.init) }
        let (providers, subjects) = (identities.map(\.providerID), identities.map(\.subject))
        let known = try await storage.read(
            """
            SELECT \(Account.columns(in: project)), m.digest, m.fields FROM accounts a
            LEFT JOIN imported_accounts m ON m.project_id = \(project: project) AND m.account_id = a.account_id
            WHERE a.project_id = \(project: project) AND a.account_id = ANY(\(ids))
            """)
        let holders = try await storage.read(
            """
            SELECT email, account_id FROM accounts WHERE project_id = \(project: project) AND email = ANY(\(emails))
            UNION ALL
            SELECT phone_number, account_id FROM accounts WHERE project_id = \(project: project) AND phone_number = ANY(\(numbers))
            """)
        let linked = try await storage.read(
            """
            SELECT i.provider_id, i.subject, i.account_id FROM unnest(\(providers), \(subjects)) AS asked (provider_id, subject)
            JOIN identities i ON i.project_id = \(project: project) AND i.provider_id = asked.provider_id AND i.subject = asked.subject
            UNION
            SELECT i.provider_id, i.alias, i.account_id FROM unnest(\(providers), \(subjects)) AS asked (provider_id, subject)
            JOIN identities i ON i.project_id = \(project: project) AND i.provider_id = asked.provider_id AND i.alias = asked.subject
            """)
        let erased = erasedNames.ids(ids, in: project.storageID)
        let deleted = try await storage.read(
            """
            SELECT account_id FROM audit_events
            WHERE project_id = \(project: project) AND account_id = ANY(\(ids + erased.keys)) AND \(JustInTimeImports.saysDeletion)
            """)
        var found = try Self.read(known, holders, linked)
        found.deleted = Set(
            try reading { () throws(PostgresError) in
                try deleted.map { row throws(PostgresError) in
                    let id: String = try row.value()
                    return UTF8Text(erased[id] ?? id)
                }
            })
        return found
    }

    private static func read(_ known: [Row], _ holders: [Row], _ linked: [Row]) throws(AccountError) -> Found {
        var found = Found()
        try reading {
            for row in known {
                var row = row.reader()
                guard let account = try Account(&row) else { continue }
                let (digest, fields): ([UInt8]?, [UInt8]?) = (try row.next(), try row.next())
                let memory = digest.flatMap { digest in fields.map { ImportMemory(digest: digest, fields: $0) } }
                found.known[UTF8Text(account.id)] = Known(account: account, memory: memory)
            }
            for row in holders {
                var row = row.reader()
                found.holders[try row.next()] = try row.next(as: String.self)
            }
            for row in linked {
                var row = row.reader()
                found.linked[ImportIdentityKey(providerID: try row.next(), subject: try row.next())] = try row.next(as: String.self)
            }
        }
        return found
    }
}

/// One person at one provider, compared by bytes.
struct ImportIdentityKey: Hashable, Sendable {
    let providerID: String
    let subject: String

    init(providerID: String, subject: String) { (self.providerID, self.subject) = (providerID, subject) }
    init(_ identity: LinkedIdentity) { self.init(providerID: identity.providerID, subject: identity.subject) }

    static func == (one: Self, other: Self) -> Bool {
        one.providerID.utf8.elementsEqual(other.providerID.utf8) && one.subject.utf8.elementsEqual(other.subject.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in subject.utf8 { hasher.combine(byte) }
    }
}
