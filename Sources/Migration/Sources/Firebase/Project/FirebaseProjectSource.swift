import Accounts
package import Crypto
import JSON
import Text

/// The accounts of a Firebase project, or of a tenant of one, asked of Google.
package struct FirebaseProjectSource: AccountSource {
    /// Takes the bytes of a page, as Google has sent them.
    package typealias Keep = (_ page: [UInt8]) throws(SourceFailure) -> Void

    private var pages: FirebaseAccountPages
    private var users: FirebaseUsers
    private let hashes: HashParameters?
    private let keep: Keep?
    private var page: [JSON] = []
    private var position = 0
    /// The number of the last account, from 1.
    private var place = 0
    private let tenant: UTF8Text?
    private var ofOthers = SourceLosses()

    /// - Parameters:
    ///   - hashes: the project's own; without them, an account with a password is a fault.
    ///   - tenant: the one whose accounts are read; `nil` for those of the project itself.
    ///   - keep: gets each page that is read; `nil` to keep none.
    package init(_ calls: GoogleCalls, _ attempts: GoogleAttempts, tenant: String? = nil, hashes: HashParameters?, keep: Keep?) {
        pages = FirebaseAccountPages(calls, attempts, tenant: tenant)
        self.tenant = tenant.map { UTF8Text($0) }
        users = FirebaseUsers(.google, hashes: hashes)
        self.hashes = hashes
        self.keep = keep
    }

    package mutating func next() async throws(SourceFailure) -> SourceEntry? {
        while position == page.count {
            guard let (users, bytes) = try await pages.page() else { return nil }
            try keep?(bytes)
            (page, position) = (users, 0)
        }
        defer { position += 1 }
        place += 1
        guard var object = page[position].object else {
            return .fault(ImportFault(.malformed, "Google gave something that is not an account", place: place))
        }
        let owner = object["tenantId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        guard owner == tenant else {
            ofOthers.add(
                "account of \(owner == nil ? "the project itself" : tenant == nil ? "a tenant" : "another tenant"): it is left out")
            return .skipped
        }
        // The realm here says whose it is.
        object["tenantId"] = nil
        do throws(ImportFault) { return .account(try users.account(object, place: place)) } catch { return .fault(error) }
    }

    package var losses: SourceLosses {
        var losses = users.losses
        losses.add(ofOthers)
        return losses
    }

    package var hashKeys: [ImportedHashKey] { (hashes?.key).map { [$0] } ?? [] }
}
