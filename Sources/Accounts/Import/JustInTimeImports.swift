import Logging
import Postgres
package import ProjectSettings
import Runtime
import Text

/// Imports people of a Firebase project one by one, when they come before an import has brought them.
///
/// The rules ask it where they find no account: for a token or a password that Google has confirmed, and for an address before a new account gets
/// it, since one address must not have two accounts. Then they look again. A record is stored by the same rules as by an import (`AccountImport`): it
/// takes nothing from an account that is here. An account that was deleted here stays deleted, whatever Google has.
package struct JustInTimeImports: Sendable {
    let storage: Storage
    let clock: Clock
    let limits: RateLimits
    let imports: AccountImport
    let erasedNames: ErasedNames
    let source: Source?
    let log: Logger

    /// The result of the question.
    package enum Arrival: Sendable {
        /// The account may be here: the caller looks again.
        case here
        /// Firebase does not have the person, or they were deleted here.
        case nobody
        /// Firebase has the person, and a rule of imports refuses the record. The log has the reason.
        case refused
    }

    /// Asks about a person who was not found here. `nobody` at once where people of Firebase do not come just in time.
    ///
    /// Throws `formerIssuerUnavailable`, and `tooManyAttempts` when the person was asked about too often.
    package func bring(_ person: FormerPerson, in project: ProjectSettings) async throws(AccountError) -> Arrival {
        guard let source, let migration = project.openMigration(at: clock.now()), migration.unknownUsers == .import else { return .nobody }
        let name = Array("\(project.storageID)\0\(person.name)".utf8)
        return try await source.shared.inFlight.once(name) { () async throws(AccountError) in
            do throws(AccountError) { return try await ask(about: person, source, migration, in: project) } catch {
                switch error {
                case .formerIssuerUnavailable: source.shared.metrics.count(.unavailable, in: project.id)
                case .tooManyAttempts, .quotaExceeded: source.shared.metrics.count(.limited, in: project.id)
                default: break
                }
                throw error
            }
        }
    }

    /// The same for an id, where a call would make an account with it. Throws `accountNotFound` for a person whom Firebase has and a rule of imports
    /// refuses: a new account would know nothing of what Firebase says of them.
    func bring(unlessHere id: String, in project: ProjectSettings) async throws(AccountError) {
        guard source != nil, let migration = project.openMigration(at: clock.now()), migration.unknownUsers == .import else { return }
        guard try await standings(of: [id], in: project).isEmpty else { return }
        if case .refused = try await bring(.id(id), in: project) { throw .accountNotFound }
    }

    private func ask(
        about person: FormerPerson, _ source: Source, _ migration: FirebaseMigration, in project: ProjectSettings
    ) async throws(AccountError) -> Arrival {
        if case .id(let id) = person, let standing = try await standings(of: [id], in: project)[UTF8Text(id)] {
            guard standing == .deleted else { return .here }
            source.shared.metrics.count(.deletedHere, in: project.id)
            return .nobody
        }
        try await limits.charge(Attempt(.migrateAccount, of: person.name, in: project))
        let records = try await source.accounts.accounts(of: person, in: project, migration)
        if records.isEmpty { source.shared.metrics.count(.unknown, in: project.id) }
        return try await store(records, source, in: project)
    }

    private func store(
        _ records: [Result<ImportedAccount, ImportFault>], _ source: Source, in project: ProjectSettings
    ) async throws(AccountError) -> Arrival {
        let standings = try await standings(of: records.compactMap(\.accountID), in: project)
        var (batch, faults, arrival): ([ImportedAccount], [ImportFault], Arrival) = ([], [], .nobody)
        for record in records {
            switch (record.accountID.flatMap { standings[UTF8Text($0)] }, record) {
            case (.deleted?, _): source.shared.metrics.count(.deletedHere, in: project.id)
            case (.madeHere?, _): arrival = .here
            case (_, .success(let account)): batch.append(account)
            case (_, .failure(let fault)): faults.append(fault)
            }
        }
        if !batch.isEmpty {
            let outcome = try await imports.store(arrived: batch, in: project)
            faults += outcome.faults
            if outcome.faults.count < batch.count { arrival = .here }
            for _ in 0..<outcome.created { source.shared.metrics.count(.imported, in: project.id) }
        }
        for fault in faults {
            source.shared.metrics.count(.refused, in: project.id)
            // The message may have an address.
            log.warning(
                "an account of Firebase was not imported",
                metadata: ["project": "\(project.id)", "account": "\(fault.accountID ?? "?")", "code": "\(fault.code.rawValue)"])
        }
        return arrival == .nobody && !faults.isEmpty ? .refused : arrival
    }

    private enum Standing { case imported, madeHere, deleted }

    /// An event of the audit by which an account is known to have been deleted here, as a condition. Such events are kept while people come.
    static let saysDeletion: SQL = "action = \(AuditEvent.Action.accountDeleted.rawValue)"

    /// How the accounts with these ids stand here; no entry for an id that was never an account's.
    private func standings(of ids: [String], in project: ProjectSettings) async throws(AccountError) -> [UTF8Text: Standing] {
        let erased = erasedNames.ids(ids, in: project.storageID)
        let rows = try await storage.read(
            """
            SELECT account_id, true FROM audit_events
            WHERE project_id = \(project: project) AND account_id = ANY(\(ids + erased.keys)) AND \(Self.saysDeletion)
            UNION ALL
            SELECT a.account_id, NULL FROM accounts a WHERE a.project_id = \(project: project) AND a.account_id = ANY(\(ids))
            UNION ALL
            SELECT i.account_id, false FROM imported_accounts i WHERE i.project_id = \(project: project) AND i.account_id = ANY(\(ids))
            """)
        var standings: [UTF8Text: Standing] = [:]
        try reading {
            for row in rows {
                var row = row.reader()
                let (found, isDeletion): (String, Bool?) = (try row.next(), try row.next())
                let id = erased[found] ?? found
                let standing = isDeletion.map { $0 ? Standing.deleted : .imported } ?? .madeHere
                // An account that is there again was made after the deletion.
                let known = standings[UTF8Text(id)]
                if known == nil || known == .deleted || standing == .imported { standings[UTF8Text(id)] = standing }
            }
        }
        return standings
    }
}

extension Result<ImportedAccount, ImportFault> {
    fileprivate var accountID: String? {
        switch self {
        case .success(let imported): imported.account.id
        case .failure(let fault): fault.accountID
        }
    }
}
