import Postgres
import Runtime
import Text

/// The order of a record's entries: by time, and of those of one time by number. An index has it for each project and each account, so that a reader
/// goes on from any place as fast as from the first.
struct TimeOrder: Sendable {
    /// The table of the record.
    let table: SQL
    /// Its column with the number of an entry.
    let number: SQL

    /// The number of entries that one statement reads.
    private static let length = 1000

    /// The place of an entry. It has nothing of a person, so addresses of pages have it as it is.
    struct Place: Sendable, Equatable {
        let time: Instant
        let id: Int64

        var text: String { "\(time.microseconds)-\(id)" }

        init(time: Instant, id: Int64) {
            self.time = time
            self.id = id
        }

        init?(_ text: UTF8Text) {
            guard let (first, second) = text.halves(at: UInt8(ascii: "-")), let second, let time = Int64(first.asString),
                let id = Int64(second.asString)
            else { return nil }
            self.time = Instant(microseconds: time)
            self.id = id
        }

        /// Reads the columns of `TimeOrder.place`.
        init(_ row: inout RowReader) throws(PostgresError) {
            time = try row.next()
            id = try row.next()
        }
    }

    /// The columns of an entry's place.
    var place: SQL { "occurred_at, \(number)" }
    var oldestFirst: SQL { "ORDER BY \(place)" }
    var newestFirst: SQL { "ORDER BY occurred_at DESC, \(number) DESC" }

    func after(_ start: Place) -> SQL { "(\(place)) > (\(start.time), \(start.id))" }
    func before(_ end: Place) -> SQL { "(\(place)) < (\(end.time), \(end.id))" }

    /// The conditions that an index answers in this order.
    ///
    /// - Parameters:
    ///   - accountID: `nil` for the entries of all accounts.
    ///   - until: the entries of this time are left out.
    static func conditions(of accountID: String?, since: Instant?, until: Instant?, in projectID: String) -> [SQL] {
        var conditions: [SQL] = ["project_id = \(project: projectID)"]
        if let accountID { conditions.append("account_id = \(accountID)") }
        if let since { conditions.append("occurred_at >= \(since)") }
        if let until { conditions.append("occurred_at < \(until)") }
        return conditions
    }

    /// Reads entries, the oldest first, some at a time, so that any number of them takes little memory.
    ///
    /// - Parameters:
    ///   - columns: of an entry; `entry` reads them.
    ///   - limit: how many to read at most, the newest ones; `nil` for all.
    func read<Entry>(
        _ columns: SQL, where condition: SQL, newest limit: Int?, from storage: Storage,
        as entry: (inout RowReader) throws(PostgresError) -> Entry, _ body: ([Entry]) -> Void
    ) async throws(AccountError) {
        var position = try await start(condition, limit, storage)
        var left = limit ?? .max
        while left > 0 {
            let count = min(Self.length, left)
            let rest: SQL = position.map { " AND \(after($0))" } ?? ""
            let rows = try await storage.read(
                "SELECT \(place), \(columns) FROM \(table) WHERE \(condition)\(rest) \(oldestFirst) LIMIT \(count)")
            var entries: [Entry] = []
            for row in rows {
                var row = row.reader()
                position = try reading { try Place(&row) }
                entries.append(try reading { try entry(&row) })
            }
            if !entries.isEmpty { body(entries) }
            if rows.count < count { return }
            left -= count
        }
    }

    /// The place of the entry before the newest `limit` ones; `nil` where these are all.
    private func start(_ condition: SQL, _ limit: Int?, _ storage: Storage) async throws(AccountError) -> Place? {
        guard let limit else { return nil }
        let rows = try await storage.read(
            "SELECT \(place) FROM \(table) WHERE \(condition) \(newestFirst) OFFSET \(limit) LIMIT 1")
        guard var row = rows.first?.reader() else { return nil }
        return try reading { try Place(&row) }
    }
}
