/// The reason why the schema cannot be used or updated, and what to do about it.
package enum MigrationError: Error, Equatable, Sendable {
    /// The folder or a file's name is wrong.
    case folder(String)
    /// These files are not applied yet.
    case behind([String])
    /// The file differs from what was applied under its number.
    case edited(file: String, applied: String)
    /// The database has migrations that this binary doesn't have.
    case ahead([String])
    /// The file's number is below one that was applied already.
    case late(String, newest: String)
    /// A program whose newest migration has this number is connected, and could not go on after the file.
    case inUse(String, by: Int)
    /// The file's SQL was refused; nothing of it remains.
    case failed(String)
    case database(PostgresError)
}

extension MigrationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .folder(let reason):
            "migrations: \(reason)"
        case .behind(let names):
            "the database is behind by \(names.count) (\(Self.range(names))): run `gatehouse migrate`"
        case .edited(let file, let applied) where file != applied:
            "\(file) was applied as \(applied): give it back its name; a change needs a file of its own"
        case .edited(let file, _):
            "the database's \(file) is not the one of this binary: install the binary that migrated the database, or restore the file"
        case .ahead(let names):
            "the database is ahead of this binary by \(names.count) (\(Self.range(names))): run the binary that has them"
        case .late(let name, let newest):
            "\(name) is numbered below \(newest), which is applied already: give it the next number"
        case .inUse(let name, let number):
            "nothing was migrated: \(name) would break a running gatehouse, whose newest migration is number \(number): stop the older processes first"
        case .failed(let reason):
            "migration failed, nothing of it was kept: \(reason)"
        case .database(let error):
            "migrations: \(error)"
        }
    }

    private static func range(_ names: [String]) -> String {
        guard names.count > 3, let first = names.first, let last = names.last else { return names.joined(separator: ", ") }
        return "\(first) to \(last)"
    }
}
