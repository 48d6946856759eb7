import Accounts
import JSON
import Text

/// The rows of the CLI's CSV, as the objects that its JSON has. The file has no header, and each row ends in a comma.
///
/// The CLI puts only display names and custom claims in quotes. A comma in another text shifts the columns behind it: such a row has too many
/// columns and is refused. A line break in one splits the row, and then all that follows may be text that a person wrote to pass for rows of the
/// file. So from a row with too few columns on, every row is refused (SEC-54).
struct FirebaseCSV {
    /// The columns of a row without the empty one behind its last comma: those before version 15.19 of the CLI, and those since.
    private static let widths = [28, 52]
    private static let firstProviders = ["google.com", "facebook.com", "twitter.com", "github.com"]
    private static let laterProviders = [
        "apple.com", "microsoft.com", "gc.apple.com", "playgames.google.com", "linkedin.com", "yahoo.com",
    ]

    private var rows: CSVRows
    private var isFirst = true
    /// The columns of the first row that fits.
    private var width: Int?
    /// The line of the first row with too few columns.
    private var broken: Int?

    init(_ file: InputFile) { rows = CSVRows(file) }

    mutating func next() throws(SourceFailure) -> FileRow<JSON.Object>? {
        guard let row = try rows.next() else {
            if isFirst { throw SourceFailure("\(rows.file.name) is empty") }
            return nil
        }
        defer { isFirst = false }
        switch row {
        case .fault(let fault): return .fault(fault)
        case .row(let fields, let line):
            let columns = try columns(fields, line: line)
            do throws(ImportFault) {
                return .row(
                    try ImportFault.naming(fields.first?.asString, at: line) { () throws(ImportFault) in
                        try Self.object(try columns.get())
                    }, line: line)
            } catch { return .fault(error) }
        }
    }

    private mutating func columns(_ fields: [UTF8Text], line: Int) throws(SourceFailure) -> Result<[UTF8Text], ImportFault> {
        if isFirst, fields.count < Self.widths[0], !fields.contains(where: { $0.contains(UInt8(ascii: "@")) }) {
            throw SourceFailure(
                "\(rows.file.name) is neither the JSON nor the CSV of firebase auth:export: its first line has \(fields.count) columns "
                    + "instead of \(Self.widths[1])")
        }
        if let broken {
            return fault("line \(broken) may have been split by a line break, so this row may be text that a person wrote")
        }
        let columns = fields.last?.isEmpty ?? false && !Self.widths.contains(fields.count) ? fields.dropLast() : fields[...]
        if width.map({ $0 == columns.count }) ?? Self.widths.contains(columns.count) {
            width = columns.count
            return .success(Array(columns))
        }
        let found = "the row has \(columns.count) columns instead of \(width.map(String.init) ?? "28 or 52")"
        guard columns.count < width ?? Self.widths[0] else {
            return fault("\(found): a comma in the photo's address or in a provider's text shifts them")
        }
        if !rows.isTerminated { throw SourceFailure.cut(rows.file, "in the middle of a row") }
        broken = line
        return fault("\(found): a line break in a text may have split it, so no row from here on is read")
    }

    private func fault(_ reason: String) -> Result<[UTF8Text], ImportFault> {
        .failure(ImportFault(.malformed, "\(reason); export the accounts as JSON"))
    }

    private static func object(_ columns: [UTF8Text]) throws(ImportFault) -> JSON.Object {
        var object = JSON.Object()
        let texts: [(Int, UTF8Text)] = [
            (0, "localId"), (1, "email"), (3, "passwordHash"), (4, "salt"), (5, "displayName"), (6, "photoUrl"), (23, "createdAt"),
            (24, "lastSignedInAt"), (25, "phoneNumber"), (27, "customAttributes"),
        ]
        for (column, name) in texts where !columns[column].isEmpty { object[name] = .string(columns[column]) }
        for (column, name) in [(2, "emailVerified"), (26, "disabled")] as [(Int, UTF8Text)] {
            switch columns[column] {
            case "true": object[name] = true
            case "false", "": break
            default: throw shifted(column, name, "true or false")
            }
        }
        for (column, name) in [(23, "createdAt"), (24, "lastSignedInAt")] as [(Int, UTF8Text)] {
            guard columns[column].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw shifted(column, name, "a number") }
        }
        let identities =
            firstProviders.enumerated().compactMap { identity(of: $1, columns[(7 + 4 * $0)...]) }
            + (columns.count == widths[0]
                ? [] : laterProviders.enumerated().compactMap { identity(of: $1, columns[(28 + 4 * $0)...]) })
        if !identities.isEmpty { object["providerUserInfo"] = .array(identities) }
        return object
    }

    private static func shifted(_ column: Int, _ name: UTF8Text, _ expected: String) -> ImportFault {
        ImportFault(
            .malformed, "column \(column) (\(name)) is not \(expected), so the columns of this row are shifted; export the accounts as JSON"
        )
    }

    /// The identity in the next four columns; `nil` where they are empty.
    private static func identity(of provider: String, _ columns: ArraySlice<UTF8Text>) -> JSON? {
        let names: [UTF8Text] = ["rawId", "email", "displayName", "photoUrl"]
        let present = zip(names, columns).filter { !$1.isEmpty }
        guard !present.isEmpty else { return nil }
        return .object(JSON.Object([("providerId", .string(provider))] + present.map { ($0, JSON.string($1)) }))
    }
}
