import Accounts
package import Crypto
package import Runtime
package import Text

/// A plain dump by `pg_dump` of Supabase's schema `auth`.
///
/// A dump may have the identities before or behind the users. So it is read twice: first for the identities and second factors, of which an index
/// stays in memory, then for the users. <https://supabase.com/docs/guides/troubleshooting/migrating-auth-users-between-projects>
package struct SupabaseSource: AccountSource {
    private var dump: SupabaseDump
    private let now: Instant
    private var identities: CompactIndex
    private var factors: CompactIndex
    /// Rows of identities and factors that name no user.
    private var faults: ArraySlice<ImportFault>
    private var found: SourceLosses
    private var keys = ImportedKeys()
    private var isAtEnd = false

    /// Reads the identities and second factors. Throws for a file that is not such a dump, and for one that is cut: then identities may be missing,
    /// so that none of its users is complete.
    /// - Parameters:
    ///   - names: what the operator says about Supabase's names of providers.
    ///   - now: the time of the import, which decides who is banned.
    package init(path: String, names: [UTF8Text: String] = [:], now: Instant) throws(SourceFailure) {
        var linked = LinkedRows(ProviderNames(SupabaseIdentity.providers, own: names))
        try linked.read(try InputFile(path: path))
        (identities, factors, faults) = (linked.identities, linked.factors, linked.faults[...])
        found = SourceLosses()
        linked.names.noteUnmet(in: &found)
        dump = SupabaseDump(try InputFile(path: path))
        self.now = now
    }

    package var hashKeys: [ImportedHashKey] { keys.all }

    package var losses: SourceLosses {
        var losses = found
        guard isAtEnd else { return losses }
        if identities.untaken > 0 { losses.add("identity of a user that the dump does not have", identities.untaken) }
        if factors.untaken > 0 { losses.add("second factor of a user that the dump does not have", factors.untaken) }
        return losses
    }

    package mutating func next() throws(SourceFailure) -> SourceEntry? {
        if let fault = faults.popFirst() { return .fault(fault) }
        while let (table, line) = try dump.nextRow() {
            guard table.name == SupabaseDump.users else { continue }
            do throws(ImportFault) { return try entry(try line.row(of: table)) } catch { return .fault(error) }
        }
        isAtEnd = true
        return nil
    }

    private mutating func entry(_ row: DumpedRow) throws(ImportFault) -> SourceEntry {
        let user = try SupabaseUser(row, now: now)
        let identities = identities.take(user.id).map(SupabaseIdentity.init)
        let factors = factors.take(user.id).map { SupabaseFactor($0) }
        if try user.isDeleted { return .skipped }
        return .account(try user.account(identities, factors, keys: &keys, losses: &found))
    }
}

/// The identities and second factors of a dump, by the ids of their users.
private struct LinkedRows {
    private(set) var names: ProviderNames
    private(set) var identities = CompactIndex()
    private(set) var factors = CompactIndex()
    private(set) var faults: [ImportFault] = []

    init(_ names: ProviderNames) { self.names = names }

    mutating func read(_ file: InputFile) throws(SourceFailure) {
        var dump = SupabaseDump(file)
        var hasUsers = false
        while let (table, line) = try dump.nextRow() {
            hasUsers = hasUsers || table.name == SupabaseDump.users
            guard table.name == SupabaseDump.identities || table.name == SupabaseDump.factors else { continue }
            do throws(ImportFault) { try add(try line.row(of: table), of: table) } catch { faults.append(error) }
        }
        guard hasUsers else { throw SourceFailure("\(file.name) has no rows of auth.users; \(Self.remedy)") }
        // A dump that is cut between two tables looks whole.
        guard dump.tables.contains(SupabaseDump.identities) else {
            throw SourceFailure(
                "\(file.name) has auth.users and not auth.identities, so it is cut, or was made without that table, and the identities of its "
                    + "users would be missing; \(Self.remedy)")
        }
    }

    private static let remedy =
        "dump them with pg_dump --data-only --table=auth.users --table=auth.identities --table=auth.mfa_factors"

    private mutating func add(_ row: DumpedRow, of table: DumpedTable) throws(ImportFault) {
        guard let user = try row.text("user_id") else {
            throw ImportFault(.malformed, "the row of \(table.name) has no user_id", place: row.place)
        }
        let isFactor = table.name == SupabaseDump.factors
        do throws(ImportFault) {
            if isFactor {
                if let factor = try SupabaseFactor(row) { factors.add(factor.texts, for: user) }
            } else {
                let identity = try SupabaseIdentity(row, &names)
                if identity.linked != nil || identity.fault != nil { identities.add(identity.texts, for: user) }
            }
        } catch {
            // The user is refused for it, and not imported without it.
            if isFactor { factors.add([error.message], for: user) } else { identities.add([error.message], for: user) }
        }
    }
}

/// The rows of a dump's tables, one after another.
struct SupabaseDump {
    static let users: UTF8Text = "auth.users"
    static let identities: UTF8Text = "auth.identities"
    static let factors: UTF8Text = "auth.mfa_factors"

    private var lines: FileLines
    /// The table at which the reading is.
    private var table: DumpedTable?
    /// The names of the tables so far, also of those without rows.
    private(set) var tables: Set<UTF8Text> = []

    init(_ file: InputFile) { lines = FileLines(file) }

    /// A line of a dump that is a row of a table, or the reason why it cannot be read.
    struct Line {
        fileprivate let content: FileRow<[UInt8]>

        func row(of table: DumpedTable) throws(ImportFault) -> DumpedRow {
            switch content {
            case .row(let bytes, let line): try DumpedRow(bytes, of: table, at: line)
            case .fault(let fault): throw fault
            }
        }
    }

    /// The next row of any table, with the table; nil at the end of the dump.
    mutating func nextRow() throws(SourceFailure) -> (table: DumpedTable, line: Line)? {
        while let content = try lines.next() {
            guard case .row(let bytes, let line) = content else {
                if let table { return (table, Line(content: content)) }
                continue
            }
            if let current = table {
                if !DumpedTable.isEnd(bytes) { return (current, Line(content: content)) }
                table = nil
            } else if let inserted = DumpedTable.inserted(by: bytes), [Self.users, Self.identities, Self.factors].contains(inserted) {
                throw SourceFailure(
                    "\(lines.file.name):\(line): the dump has INSERT statements; make it without --inserts (supabase db dump: with --use-copy)"
                )
            } else {
                table = DumpedTable(bytes)
                if let table { tables.insert(table.name) }
            }
        }
        if let table {
            throw SourceFailure(
                "\(lines.file.name) ends in the middle of \(table.name), so the file is cut and identities may be missing. Make the dump again"
            )
        }
        return nil
    }
}
