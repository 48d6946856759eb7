import Accounts
package import Crypto
import JSON

/// The accounts of a file that `firebase auth:export` has written, as JSON or as CSV.
/// <https://firebase.google.com/docs/cli/auth>
package struct FirebaseFile: AccountSource {
    private enum Rows { case json(JSONRows), csv(FirebaseCSV) }

    private var rows: Rows
    private var users: FirebaseUsers
    private let hashes: HashParameters?

    /// - Parameter hashes: Firebase's "password hash parameters"; without them, an account with a password is a fault.
    package init(_ file: InputFile, hashes: HashParameters?) throws(SourceFailure) {
        switch try file.peekBehindSpace() {
        case UInt8(ascii: "{"), UInt8(ascii: "["): rows = .json(JSONRows(file, member: "users"))
        default: rows = .csv(FirebaseCSV(file))
        }
        users = FirebaseUsers(.google, hashes: hashes)
        self.hashes = hashes
    }

    package mutating func next() throws(SourceFailure) -> SourceEntry? {
        guard let row = try nextRow() else { return nil }
        switch row {
        case .fault(let fault): return .fault(fault)
        case .row(let object, let line):
            do throws(ImportFault) { return .account(try users.account(object, place: line)) } catch { return .fault(error) }
        }
    }

    private mutating func nextRow() throws(SourceFailure) -> FileRow<JSON.Object>? {
        switch rows {
        case .json(var json):
            defer { rows = .json(json) }
            return try json.next()
        case .csv(var csv):
            defer { rows = .csv(csv) }
            return try csv.next()
        }
    }

    package var losses: SourceLosses { users.losses }

    package var hashKeys: [ImportedHashKey] { (hashes?.key).map { [$0] } ?? [] }

    package var remarks: [String] {
        let both = [
            "identities of oidc.* and saml.* providers; and of Apple, Microsoft, Game Center, Play Games, LinkedIn and Yahoo before "
                + "version 15.19 of the Firebase CLI. At their next sign-in, these people would be strangers.",
            "password hashes that Firebase itself imported from another system and that were never used since.",
            "users of tenants; the time since when tokens are valid (validSince): that of the account's creation stands for it.",
            "users that were left out: after several time-outs the CLI ends as if it were done. Compare the number with the console's.",
        ]
        switch rows {
        case .json: return ["second factors, before version 15.24 of the Firebase CLI."] + both
        case .csv: return ["second factors, in any version."] + both
        }
    }
}
