package import Crypto
import Postgres
import ProjectSettings
import Runtime
import Text

/// Stores accounts of other systems, many at once.
///
/// A batch is one transaction, in which COPY stores the new accounts. An account of another system never takes the id, the address, the phone
/// number or an identity of an account that is there (SEC-54): it is refused, and the others of its batch are stored. No mail is sent, and no
/// event is written but one of the whole batch.
package struct AccountImport: Sendable {
    let storage: Storage
    let clock: Clock
    let passwords: Passwords
    package let hashKeys: HashKeys
    let factorSecrets: FactorSecrets
    let fingerprintKey: [UInt8]
    let erasedNames: ErasedNames

    /// The fate of an account that is there under the same id.
    package enum Rule: Sendable {
        /// It takes each field that was changed at the source since the last import, and not here. An account that no import made is not
        /// touched.
        case merge
        /// The same; and an account that was deleted here comes again.
        case restore
        /// The source's account takes its place, as Firebase's own import does.
        case replace
    }

    /// Stores the accounts, or says why not.
    ///
    /// Throws what the database throws, and `hashKeyMissing` for a hash whose key the project does not have; nothing is stored then.
    package func store(
        _ batch: [ImportedAccount], _ rule: Rule = .merge, by administrator: Administrator
    ) async throws(AccountError) -> ImportOutcome {
        let project = administrator.project
        return try await planned(batch, rule, in: project) { plan, hashes throws(AccountError) in
            let act = administrator.act(on: nil, at: clock.now())
            let facts: SQL = "'created', \(plan.outcome.created), 'updated', \(plan.outcome.updated)"
            try await storage.transaction(by: administrator, waitingFor: "import") { transaction in
                try await carryOut(
                    plan, hashes, recording: [act.record(.accountsImported, facts: facts, in: project.storageID)], in: transaction, project)
            }
        }
    }

    /// Stores accounts of people who have just come (`JustInTimeImports`), and records each. An account that an import has made before is merged.
    func store(arrived batch: [ImportedAccount], in project: ProjectSettings) async throws(AccountError) -> ImportOutcome {
        try await planned(batch, .merge, in: project) { plan, hashes throws(AccountError) in
            let ids = (plan.new + plan.changed.map(\.imported)).map(\.account.id)
            let records = ids.map { id in
                AuditedAct(by: .person, on: id, from: nil, at: clock.now()).record(AccountEvent(.accountImported), in: project)
            }
            try await storage.transaction(waitingFor: "import") { transaction in
                try await carryOut(plan, hashes, recording: records, in: transaction, project)
            }
        }
    }

    private func planned(
        _ batch: [ImportedAccount], _ rule: Rule, in project: ProjectSettings,
        _ carryOut: (ImportPlan, [UTF8Text: PasswordHash]) async throws(AccountError) -> Void
    ) async throws(AccountError) -> ImportOutcome {
        // Another request may take an address between the look and the commit. Then the look says so the next time.
        try await retryingConflicts(orRaces: \.isTakenByAnother) { () async throws(AccountError) in
            let plan = try await plan(batch, rule, in: project)
            guard !plan.isEmpty else { return plan.outcome }
            try await carryOut(plan, try await hashes(of: plan, in: project))
            return plan.outcome
        }
    }

    /// The outcome that `store` would have now. Nothing is written.
    package func preview(
        _ batch: [ImportedAccount], _ rule: Rule = .merge, by administrator: Administrator
    ) async throws(AccountError) -> ImportOutcome {
        try await plan(batch, rule, in: administrator.project).outcome
    }

    /// Whether this is the password of an account that is about to be imported, for an operator who tries a login that they know.
    /// - Parameter keys: those that the import brings.
    package func verify(_ password: String, of imported: ImportedAccount, _ keys: [ImportedHashKey]) async throws(AccountError) -> Bool {
        guard let stored = imported.password else { return false }
        do {
            let hash = try await passwords.hashing.stored(stored)
            return try await passwords.hashing.check(password, against: hash, keys: ImportedHashKeys(keys))
        } catch { throw AccountError(error) }
    }

    private func plan(
        _ batch: [ImportedAccount], _ rule: Rule, in project: ProjectSettings
    ) async throws(AccountError) -> ImportPlan {
        let known = try await ImportLookup(storage: storage, erasedNames: erasedNames).known(batch, in: project)
        let batch = batch.map { imported in
            var imported = imported
            imported.passwordFingerprint = imported.password?.fingerprint(
                key: fingerprintKey, of: "\(project.storageID) \(imported.account.id)")
            return imported
        }
        return ImportPlan(batch, rule, known)
    }

    /// The hashes to store, by the accounts' ids. Those that must be computed are computed side by side.
    private func hashes(of plan: ImportPlan, in project: ProjectSettings) async throws(AccountError) -> [UTF8Text: PasswordHash] {
        let due = (plan.new + plan.changed.filter(\.merge.takesPassword).map(\.imported)).compactMap { imported in
            imported.password.map { (UTF8Text(imported.account.id), $0) }
        }
        try await hashKeys.require(Set(due.compactMap(\.1.keyID)), in: project)
        do {
            return try await withThrowingTaskGroup(of: (UTF8Text, PasswordHash).self) { [hashing = passwords.hashing] group in
                var (hashes, started): ([UTF8Text: PasswordHash], Int) = ([:], 0)
                for (id, password) in due {
                    if case .hash(let hash) = password {
                        hashes[id] = hash
                        continue
                    }
                    // People who sign in meanwhile find room in the queue of the pool.
                    if started >= Self.hashesAtOnce, let (id, hash) = try await group.next() { hashes[id] = hash }
                    group.addTask { (id, try await hashing.stored(password)) }
                    started += 1
                }
                for try await (id, hash) in group { hashes[id] = hash }
                return hashes
            }
        } catch {
            guard let failure = error as? PasswordHashing.Failure else { throw .overloaded }
            throw AccountError(failure)
        }
    }

    private static let hashesAtOnce = 8

    private func carryOut(
        _ plan: ImportPlan, _ hashes: [UTF8Text: PasswordHash], recording records: [SQL], in transaction: Transaction,
        _ project: ProjectSettings
    ) async throws {
        let now = clock.now()
        if !plan.new.isEmpty {
            try await transaction.copy(plan.accountRows(hashes, factorSecrets, in: project), Account.copyStatement)
            try await transaction.copy(plan.identityRows(in: project), LinkedIdentity.copyStatement)
            try await transaction.copy(plan.memoryRows(in: project), ImportMemory.copyStatement)
        }
        let changes = plan.changed.flatMap { $0.statements(hashes[UTF8Text($0.imported.account.id)], factorSecrets, in: project, at: now) }
        let passkeys = try plan.new.flatMap { imported in try imported.passkeys.map { try imported.account.insert($0, in: project) } }
        _ = try await transaction.query(all: changes + passkeys + records)
    }
}

/// The result of an import of some accounts.
package struct ImportOutcome: Sendable, Equatable {
    package var created = 0
    package var updated = 0
    /// Imported before, and the same at the source as then.
    package var unchanged = 0
    /// Made here, and the source has a copy.
    package var madeHere = 0
    /// Deleted here, and not taken again.
    package var deletedHere = 0
    package var faults: [ImportFault] = []
    package var kept: [ImportConflict] = []

    package init() {}
}

/// Fields of an account that were changed at the source and here: ours stay.
package struct ImportConflict: Sendable, Equatable {
    package let accountID: String
    /// Such as `email` and `password`.
    package let fields: [String]
}

extension AccountError {
    init(_ failure: PasswordHashing.Failure) {
        self =
            switch failure {
            case .overloaded: .overloaded
            case .missingKey(let id): .hashKeyMissing(id)
            }
    }

    fileprivate var isTakenByAnother: Bool {
        switch self {
        case .emailTaken, .phoneNumberTaken, .accountIDTaken, .identityTaken: true
        default: false
        }
    }
}
