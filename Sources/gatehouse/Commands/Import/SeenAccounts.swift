import Accounts
import Text

/// Finds accounts of one file that want the same id, address, phone number or identity. It keeps eight bytes for each of these, so that a
/// million accounts take little memory.
struct SeenAccounts {
    private var seen: Set<Int> = []

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
        if let (code, name, _) = things.first(where: { seen.contains($0.2) }) {
            throw ImportFault(code, "an earlier row of the file has the same \(name)", accountID: account.id, place: imported.place)
        }
        for thing in things { seen.insert(thing.2) }
    }

    private func hash(_ kind: String, _ text: String) -> Int {
        var hasher = Hasher()
        // By their bytes: texts that are different in the database are different here.
        for text in [UTF8Text(kind), UTF8Text(text)] { hasher.combine(text) }
        return hasher.finalize()
    }
}
