import Accounts
import Crypto
import Migration
import Text

/// One reading of a source from its beginning: every account goes through the rules, and then, a thousand at a time, to a preview or to the
/// database.
struct ImportPass {
    private static let batchLength = 1000

    private(set) var outcome = ImportOutcome()
    /// Rows that became accounts, or faults.
    private(set) var count = 0
    private(set) var refused = 0
    private(set) var skipped = 0
    /// How many accounts kept a field that was changed here, and some of them.
    private(set) var keptCount = 0
    private(set) var losses = SourceLosses()
    private(set) var remarks: [String] = []
    private(set) var hashKeys: [ImportedHashKey] = []
    /// How many accounts have an identity of each provider.
    private(set) var providers: [String: Int] = [:]
    /// The accounts that the source has, also those that are refused here.
    private(set) var present = GoneAccounts.Present()
    /// The account whose login is tried.
    private(set) var verified: ImportedAccount?
    /// The reason why the source could not be read to its end.
    private(set) var failure: SourceFailure?

    private let rejected: RejectedRows
    private let notesPresent: Bool
    private var seen: SeenAccounts
    private var batch: [ImportedAccount] = []
    /// The losses of each account of the batch, which count unless the account is refused.
    private var lossesOfBatch: [SourceLosses] = []

    /// - Parameters:
    ///   - address: that of the account whose login is tried, in canonical form.
    ///   - notesPresent: whether it matters afterwards which accounts the source has.
    ///   - take: previews or stores some accounts.
    static func read(
        _ source: any AccountSource, _ rules: ImportRules, to rejected: RejectedRows, of total: Int? = nil,
        verifying address: String? = nil, notesPresent: Bool, isTrial: Bool, _ take: ([ImportedAccount]) async throws -> ImportOutcome
    ) async throws -> ImportPass {
        var (source, pass) = (source, ImportPass(rejected: rejected, seen: SeenAccounts(isTrial: isTrial), notesPresent: notesPresent))
        var progress = Progress("accounts", of: total, sharesTerminal: false)
        defer { progress.finish() }
        do {
            while let entry = try await source.next() {
                try pass.add(entry, rules, verifying: address)
                guard pass.batch.count == batchLength else { continue }
                progress.add(pass.batch.count)
                try await pass.flush(take)
            }
        } catch let failure as SourceFailure {
            pass.failure = failure
        }
        try await pass.flush(take)
        try rejected.close()
        pass.losses.add(source.losses)
        (pass.remarks, pass.hashKeys) = (source.remarks, source.hashKeys)
        return pass
    }

    private init(rejected: RejectedRows, seen: SeenAccounts, notesPresent: Bool) {
        (self.rejected, self.seen, self.notesPresent) = (rejected, seen, notesPresent)
    }

    private mutating func add(_ entry: SourceEntry, _ rules: ImportRules, verifying address: String?) throws {
        switch entry {
        case .skipped: skipped += 1
        case .fault(let fault):
            if let id = fault.accountID { note(id) }
            try refuse(fault)
        case .account(let account):
            note(account.id)
            do throws(ImportFault) {
                var own = SourceLosses()
                let imported = try rules.account(account, &own)
                try seen.add(imported)
                if let address, imported.account.email?.isExactly(address) ?? false { verified = imported }
                for identity in imported.account.identities { providers[identity.providerID, default: 0] += 1 }
                batch.append(imported)
                lossesOfBatch.append(own)
                count += 1
            } catch {
                if error.code == .noCredential { skipped += 1 } else { try refuse(error) }
            }
        }
    }

    private mutating func note(_ id: String) { if notesPresent { present.add(id) } }

    private mutating func refuse(_ fault: ImportFault) throws {
        count += 1
        refused += 1
        try rejected.add(fault)
    }

    private mutating func flush(_ take: ([ImportedAccount]) async throws -> ImportOutcome) async throws {
        guard !batch.isEmpty else { return }
        let result = try await take(batch)
        let refusedIDs = Set(result.faults.compactMap { $0.accountID.map { UTF8Text($0) } })
        for (imported, own) in zip(batch, lossesOfBatch) where !refusedIDs.contains(UTF8Text(imported.account.id)) { losses.add(own) }
        batch.removeAll(keepingCapacity: true)
        lossesOfBatch.removeAll(keepingCapacity: true)
        outcome.created += result.created
        outcome.updated += result.updated
        outcome.unchanged += result.unchanged
        outcome.madeHere += result.madeHere
        outcome.deletedHere += result.deletedHere
        keptCount += result.kept.count
        outcome.kept += result.kept.prefix(max(0, 10 - outcome.kept.count))
        for fault in result.faults {
            refused += 1
            try rejected.add(fault)
        }
    }
}
