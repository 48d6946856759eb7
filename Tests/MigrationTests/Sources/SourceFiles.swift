import Accounts
import Crypto
import Migration

/// What a source gives of files that a test writes.
struct SourceReading {
    var entries: [SourceEntry] = []
    var losses = SourceLosses()
    var hashKeys: [ImportedHashKey] = []
    var remarks: [String] = []

    /// Reads a source to its end.
    init(_ source: consuming some FileReader) throws(SourceFailure) {
        while let entry = try source.next() { entries.append(entry) }
        (losses, hashKeys, remarks) = (source.losses, source.hashKeys, source.remarks)
    }

    var accounts: [SourceAccount] { entries.compactMap { if case .account(let account) = $0 { account } else { nil } } }
    var faults: [ImportFault] { entries.compactMap { if case .fault(let fault) = $0 { fault } else { nil } } }
}

/// A source that never waits, since it reads files.
protocol FileReader: AccountSource {
    mutating func next() throws(SourceFailure) -> SourceEntry?
}

extension Auth0Source: FileReader {}
extension FirebaseFile: FileReader {}
extension GenericFile: FileReader {}
extension KeycloakSource: FileReader {}
extension SupabaseSource: FileReader {}

extension SourceAccount {
    /// Whether its password is this one. Nil without a hash.
    func hasPassword(_ password: String, keys: [ImportedHashKey] = []) throws -> Bool? {
        guard case .hash(let hash) = self.password else { return nil }
        return try hash.matches(password, ImportedHashKeys(keys))
    }
}
