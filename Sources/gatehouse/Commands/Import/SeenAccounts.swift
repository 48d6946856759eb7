import Accounts
import Text

/// Finds accounts of one source that want the same id, address, phone number or identity. It keeps a few bytes for each of these and the ids of
/// the accounts, so that a million accounts take little memory.
struct SeenAccounts {
    /// The number of the account that has a thing, by the hash of the thing.
    private var holders: [Int: Int32] = [:]
    /// The ids of the accounts, one behind another.
    private var ids: [UInt8] = []
    /// The position behind each id.
    private var ends: [Int] = []

    /// Whether the import is only tried: then nothing but this knows the accounts before. Otherwise the database finds all but the ids.
    private let isTrial: Bool

    init(isTrial: Bool) { self.isTrial = isTrial }

    /// Throws `ImportFault` for an account that wants what an earlier one has.
    mutating func add(_ imported: ImportedAccount) throws(ImportFault) {
        let account = imported.account
        var things: [(ImportFault.Code, String, Int)] = [(.duplicateID, "uid", hash("uid", account.id))]
        if isTrial {
            if let email = account.email { things.append((.duplicateEmail, "address", hash("email", email))) }
            if let number = account.phoneNumber { things.append((.duplicatePhoneNumber, "phone number", hash("phone", number))) }
            for identity in account.identities {
                let name = "identity at \(identity.providerID)"
                things.append((.duplicateIdentity, name, hash("identity \(identity.providerID)", identity.subject)))
            }
        }
        for (code, name, hash) in things {
            guard let holder = holders[hash] else { continue }
            throw ImportFault(
                code, "the account \(id(of: Int(holder))), which stands before this one, has the same \(name)", accountID: account.id,
                place: imported.place)
        }
        for (_, _, hash) in things { holders[hash] = Int32(ends.count) }
        ids.append(contentsOf: account.id.utf8)
        ends.append(ids.count)
    }

    private func id(of number: Int) -> String { String(decoding: ids[(number == 0 ? 0 : ends[number - 1])..<ends[number]], as: UTF8.self) }

    private func hash(_ kind: String, _ text: String) -> Int {
        var hasher = Hasher()
        // By their bytes: texts that are different in the database are different here.
        for text in [UTF8Text(kind), UTF8Text(text)] { hasher.combine(text) }
        return hasher.finalize()
    }
}
