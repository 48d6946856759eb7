import Accounts
package import Crypto
import JSON
import Text

/// The accounts of a file in a form that any system can write: an object on each line, or an array of objects. Each object is our own whole record
/// (`gatehouse export json`), or a user as Auth0's bulk import takes one.
package struct GenericFile: AccountSource {
    private var rows: JSONRows
    private var own: FirebaseUsers
    private var others: Auth0ImportUsers
    private let hashes: HashParameters?

    /// - Parameter hashes: where hashes were made with a key of another system, the parameters that have it.
    package init(_ file: InputFile, hashes: HashParameters?) throws(SourceFailure) {
        switch try file.peekBehindSpace() {
        case UInt8(ascii: "["): rows = JSONRows(file, member: "users")
        case UInt8(ascii: "{"): rows = JSONRows(lines: file)
        case nil: throw SourceFailure("\(file.name) is empty")
        default: throw SourceFailure("\(file.name) is neither a JSON array nor JSON objects on a line each")
        }
        own = FirebaseUsers(.own, hashes: hashes)
        others = Auth0ImportUsers()
        self.hashes = hashes
    }

    package mutating func next() throws(SourceFailure) -> SourceEntry? {
        guard let row = try rows.next() else { return nil }
        switch row {
        case .fault(let fault): return .fault(fault)
        case .row(let object, let line):
            let isOther = object["user_id"] != nil && object["localId"] == nil
            do throws(ImportFault) {
                return .account(isOther ? try others.account(object, place: line) : try own.account(object, place: line))
            } catch { return .fault(error) }
        }
    }

    package var losses: SourceLosses {
        var losses = own.losses
        losses.add(others.losses)
        return losses
    }

    package var hashKeys: [ImportedHashKey] { ((hashes?.key).map { [$0] } ?? []) + others.hashKeys }
}
