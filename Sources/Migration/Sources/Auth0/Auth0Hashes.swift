import Accounts
import Crypto
import JSON
import Runtime
import Text

/// The file of password hashes that Auth0 exports on request: a JSON object on each line.
/// <https://support.auth0.com/center/s/article/How-to-Use-the-Password-Hashes-Export-from-Auth0>
struct Auth0Hashes {
    private var index = CompactIndex()
    /// The lines that cannot be read.
    private(set) var faults: [ImportFault] = []

    /// Without a file, no user has a hash.
    init(path: String?) throws(SourceFailure) {
        guard let path else { return }
        let file = try InputFile(path: path)
        var rows = JSONRows(lines: file)
        while let row = try rows.next() {
            switch row {
            case .row(let object, let line): add(object, at: line, of: file.name)
            case .fault(let fault): faults.append(ImportFault(fault.code, "\(file.name): \(fault.message)", place: fault.place))
            }
        }
    }

    private mutating func add(_ object: JSON.Object, at line: Int, of name: String) {
        // A user with an id of its own keeps the other one as well.
        guard let id = object.id("alt_id") ?? object["_id"]?["$oid"]?.string, let hash = object.text("passwordHash") else {
            return faults.append(ImportFault(.malformed, "\(name): the row lacks _id.$oid or passwordHash", place: line))
        }
        index.add([hash.asString, object["password_set_date"]?["$date"]?.string?.asString], for: id)
    }

    /// The hash of a user, by the part of the id behind `auth0|`.
    mutating func take(_ id: UTF8Text) throws(PasswordHashFault) -> (password: ImportedPassword, setAt: Instant?)? {
        guard let texts = index.take(id).last, let hash = texts[0] else { return nil }
        return (.hash(try PasswordHash(reading: hash)), texts.last.flatMap { $0 }.flatMap { SourceTime.instant(UTF8Text($0)) })
    }

    var untaken: Int { index.untaken }
}
