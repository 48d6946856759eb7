import Postgres
import ProjectSettings
import Runtime
import Text

/// Decides about each account of a batch: a rule without I/O.
struct ImportPlan: Sendable {
    private(set) var new: [ImportedAccount] = []
    private(set) var changed: [ImportChange] = []
    private(set) var outcome = ImportOutcome()

    /// Whether nothing is to be written.
    var isEmpty: Bool { new.isEmpty && changed.isEmpty }

    init(_ batch: [ImportedAccount], _ rule: AccountImport.Rule, _ found: ImportLookup.Found) {
        var claims = ImportClaims(found)
        for imported in batch {
            do throws(ImportFault) { try place(imported, rule, found, &claims) } catch { outcome.faults.append(error) }
        }
    }

    private mutating func place(
        _ imported: ImportedAccount, _ rule: AccountImport.Rule, _ found: ImportLookup.Found, _ claims: inout ImportClaims
    ) throws(ImportFault) {
        let id = imported.account.id
        try claims.claimID(of: imported)
        guard let known = found.known[UTF8Text(id)] else {
            if rule == .merge, found.deleted.contains(UTF8Text(id)) {
                outcome.deletedHere += 1
                return
            }
            try claims.claim(imported.account, of: imported)
            new.append(imported)
            outcome.created += 1
            return
        }
        // A replacement also takes back what was changed here.
        if let memory = known.memory, memory.digest == ImportMemory.digest(of: imported),
            rule != .replace || memory.isAsStored(known.account)
        {
            outcome.unchanged += 1
            return
        }
        if rule != .replace, known.memory == nil {
            // It was copied there from here (`AccountMirror`).
            if known.account.createdAt.milliseconds == imported.account.createdAt.milliseconds {
                outcome.madeHere += 1
                return
            }
            throw imported.fault(.duplicateID, "an account with this uid is here already, and no import has made it")
        }
        let merge = ImportMerge(imported, into: known.account, rule == .replace ? nil : known.memory)
        try claims.claim(merge.account, of: imported)
        changed.append(ImportChange(imported: imported, stored: known.account, merge: merge, replaces: rule == .replace))
        outcome.updated += 1
        if !merge.kept.isEmpty { outcome.kept.append(ImportConflict(accountID: id, fields: merge.kept.map(\.rawValue))) }
    }
}

/// The ids, addresses, phone numbers and identities that accounts of the batch and of the database have, each of which only one may have.
struct ImportClaims {
    private var ids: Set<UTF8Text> = []
    private var holders: [String: String]
    private var linked: [ImportIdentityKey: String]

    init(_ found: ImportLookup.Found) { (holders, linked) = (found.holders, found.linked) }

    mutating func claimID(of imported: ImportedAccount) throws(ImportFault) {
        guard ids.insert(UTF8Text(imported.account.id)).inserted else {
            throw imported.fault(.duplicateID, "an earlier row has the same uid")
        }
    }

    /// Takes address, phone number and identities for `account`; takes none when another account has one of them.
    mutating func claim(_ account: Account, of imported: ImportedAccount) throws(ImportFault) {
        func check(_ holder: String?, _ code: ImportFault.Code, _ what: String) throws(ImportFault) {
            guard let holder, !holder.isExactly(account.id) else { return }
            throw imported.fault(code, "the account \(holder) has the same \(what)")
        }
        if let email = account.email { try check(holders[email], .duplicateEmail, "address \(email)") }
        if let number = account.phoneNumber { try check(holders[number], .duplicatePhoneNumber, "phone number") }
        for identity in account.identities {
            try check(linked[ImportIdentityKey(identity)], .duplicateIdentity, "identity at \(identity.providerID)")
        }
        for text in [account.email, account.phoneNumber] { if let text { holders[text] = account.id } }
        for identity in account.identities { linked[ImportIdentityKey(identity)] = account.id }
    }
}

extension ImportedAccount {
    func fault(_ code: ImportFault.Code, _ message: String) -> ImportFault {
        ImportFault(code, message, accountID: account.id, place: place)
    }
}
