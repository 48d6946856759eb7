import Accounts
import ArgumentParser
import Identity
import Runtime

/// Which entries of a record a command prints, and how: for the records that grow without end.
struct RecordOptions: ParsableArguments {
    /// The part of a command's `discussion` about these options.
    static let times = """
        A time is a date (2026-11-22), a date with a time in UTC (2026-11-22T06:45:00Z), or an age (30m, 12h, 7d). Without --since and --limit, \
        the newest 1000 are printed.
        """

    @Option(help: "Print those from this time on, all of them.", transform: TimeOption.reading)
    var since: TimeOption?

    @Option(help: "Print those before this time.", transform: TimeOption.reading)
    var until: TimeOption?

    @Option(help: "How many to print at most, the newest.")
    var limit: Int?

    @Flag(help: "Print one JSON object for each, with everything that is stored.")
    var json = false

    func validate() throws {
        guard limit ?? 1 > 0 else { throw ValidationError("--limit must be 1 or more.") }
    }

    /// How many to read at most; `nil` for all.
    var most: Int? { limit ?? (since == nil ? 1000 : nil) }

    /// Prints a line for each entry as soon as it is read, so that any number of them takes little memory. Returns how many there were.
    ///
    /// - Parameter name: the name of the entries, for a person who waits.
    func print<Entry>(
        _ name: String, _ line: @escaping (Entry) -> String, reading read: (([Entry]) -> Void) async throws -> Void
    ) async throws -> Int {
        var count = 0
        var progress = Progress(name, sharesTerminal: true)
        try await read { entries in
            Terminal.write(entries.map { line($0) + "\n" }.joined())
            count += entries.count
            progress.add(entries.count)
        }
        progress.finish()
        return count
    }
}

extension CommandSupport {
    /// The id of the account that has the address now; `nil` if none has.
    static func accountID(
        ofAddress email: String, named name: String, for command: String, in project: String, _ accounts: Accounts
    ) async throws -> String? {
        var wanted = AccountLists.Wanted()
        (wanted.ids, wanted.emails) = ([name], [email])
        return try await accounts.administration.lists.find(wanted, by: administrator(command, ofProject: project)).first?.account.id
    }
}
