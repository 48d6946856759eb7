import Crypto
import Glibc

/// One step of the schema: the file `NNNN_name.sql`. Comments before its first statement may say two things about it:
///
/// - `-- compatible: 0043`: programs that know the schema up to 0043 may go on beside it. Without this line, only programs that have the file.
/// - `-- outside a transaction`: its statements run one by one (each ends with its line), for what PostgreSQL does not do in a transaction, such as
///   `CREATE INDEX CONCURRENTLY`. When one fails, all of them run again with the next attempt, so they must be such that may.
struct Migration: Equatable, Sendable {
    let number: Int
    /// The file's name.
    let name: String
    let text: String
    /// The digest of the file's bytes, in hexadecimal.
    let sha256: String
    /// The number that a program must know, at least, to work on a database with this migration.
    let requires: Int
    /// Whether all of it is done or nothing.
    let isTransactional: Bool

    init(number: Int, name: String, bytes: [UInt8]) throws(MigrationError) {
        self.number = number
        self.name = name
        text = String(decoding: bytes, as: UTF8.self)
        sha256 = Hex.encode(Digest.sha256(bytes))
        let remarks = text.split(separator: "\n").prefix { $0.hasPrefix("--") }
        isTransactional = !remarks.contains("-- outside a transaction")
        let word = "-- compatible: "
        guard let remark = remarks.first(where: { $0.hasPrefix(word) }) else {
            requires = number
            return
        }
        guard let oldest = Self.digits(remark.dropFirst(word.count)), oldest <= number else {
            throw .folder("\(name): write its own number or an earlier one, with four digits, behind \(word)")
        }
        requires = oldest
    }

    /// The statements of a migration that is not transactional.
    var statements: [String] {
        text.split(separator: ";\n").map(String.init).filter { statement in
            statement.split(separator: "\n").contains { !$0.hasPrefix("--") }
        }
    }

    /// The number in `0001_accounts.sql`; `nil` for any other form.
    static func number(of file: String) -> Int? {
        guard file.hasSuffix(".sql"), let underscore = file.firstIndex(of: "_") else { return nil }
        let name = file[file.index(after: underscore)...].dropLast(4)
        return name.isEmpty ? nil : digits(file[..<underscore])
    }

    private static func digits(_ text: Substring) -> Int? {
        text.utf8.count == 4 && text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) ? Int(text) : nil
    }

    /// The folder's migrations by number. Files that do not end in `.sql` are ignored.
    static func read(_ folder: String) throws(MigrationError) -> [Migration] {
        guard let directory = opendir(folder) else { throw .folder("cannot read \(folder): \(String(cString: strerror(errno)))") }
        defer { closedir(directory) }
        var files: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name.hasSuffix(".sql") { files.append(name) }
        }
        return try ordered(files.map { name throws(MigrationError) in (name, try contents("\(folder)/\(name)")) })
    }

    /// The files in the order of the numbers in their names; each must have a different number.
    static func ordered(_ files: [(name: String, bytes: [UInt8])]) throws(MigrationError) -> [Migration] {
        var migrations: [Migration] = []
        for (name, bytes) in files.sorted(by: { $0.name < $1.name }) {
            guard let number = number(of: name) else { throw .folder("\(name): name it NNNN_name.sql, with four digits") }
            if let last = migrations.last, last.number == number { throw .folder("\(last.name) and \(name) have the same number") }
            migrations.append(try Migration(number: number, name: name, bytes: bytes))
        }
        return migrations
    }

    private static func contents(_ path: String) throws(MigrationError) -> [UInt8] {
        guard let file = fopen(path, "r") else { throw .folder("cannot read \(path): \(String(cString: strerror(errno)))") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard ferror(file) == 0 else { throw .folder("cannot read \(path)") }
        return bytes
    }
}

/// A row of `schema_migrations`.
struct AppliedMigration: Equatable, Sendable {
    let number: Int
    let name: String
    let sha256: String
    let requires: Int
}

extension AppliedMigration {
    /// Selects what the initialisers read. A database that an earlier version migrated has no column `requires`.
    static let selection: StaticString = """
        SELECT number, name, sha256, coalesce((to_jsonb(s) ->> 'requires')::int, number) FROM schema_migrations AS s ORDER BY number
        """

    init(_ row: Row) throws(PostgresError) {
        var row = row.reader()
        self.init(number: try row.next(), name: try row.next(), sha256: try row.next(), requires: try row.next())
    }
}

extension [Migration] {
    /// The newest number; 0 for no migrations.
    var newest: Int { last?.number ?? 0 }

    /// The migrations that are still to be applied, in order. Throws when the applied ones are not the first of these; but others may follow
    /// them that say that a program with these may go on.
    func pending(after applied: [AppliedMigration]) throws(MigrationError) -> [Migration] {
        let known = Dictionary(uniqueKeysWithValues: map { ($0.number, $0) })
        let ahead = applied.filter { known[$0.number] == nil && !($0.number > newest && $0.requires <= newest) }
        if !ahead.isEmpty { throw .ahead(ahead.map(\.name)) }
        for row in applied {
            guard let file = known[row.number] else { continue }
            if file.sha256 != row.sha256 || file.name != row.name { throw .edited(file: file.name, applied: row.name) }
        }
        let numbers = Set(applied.map(\.number))
        let pending = filter { !numbers.contains($0.number) }
        if let newest = applied.last, let late = pending.first(where: { $0.number < newest.number }) {
            throw .late(late.name, newest: newest.name)
        }
        return pending
    }
}
