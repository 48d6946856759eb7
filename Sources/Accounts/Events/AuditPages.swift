import Postgres
import ProjectSettings
package import Runtime
package import Text

/// A page of the record of what was done to accounts, the newest entries first.
package struct AuditPage: Sendable {
    package var events: [AuditEvent] = []
    /// By which the next page, of older entries, is asked for; `nil` on the last one.
    package var next: String?
    /// Whether the page has fewer entries than were asked for, although more may follow: the filter left out most of those that were looked at.
    package var isUnfinished = false
}

extension AuditEvents {
    package static let pageLength = 50
    /// How many entries a page looks at, where a filter leaves most of them out.
    static let mostLooked = 5000

    /// A page of the entries of a project; `nil` for a place that is not one.
    ///
    /// An index has the order, also that of the entries about one account. What else a filter asks for is asked of each entry that the page comes by.
    /// - Parameter place: `next` of the page before; `nil` for the newest entries.
    package func page(
        _ filter: Filter, from place: UTF8Text? = nil, most: Int = AuditEvents.pageLength, in projectID: String
    ) async throws(AccountError) -> AuditPage? {
        var before: Place?
        if let place {
            guard let found = Place(place) else { return nil }
            before = found
        }
        let statements = Self.statements(filter, before: before, most: most + 1, in: projectID)
        let results = try await storage.look(all: statements)
        var page = AuditPage()
        for row in results[0].prefix(most) {
            var row = row.reader()
            let id: Int64 = try reading { try row.next() }
            let event = try reading { try AuditEvent(&row) }
            page.events.append(event)
            if results[0].count > most { page.next = Place(time: event.time, id: id).text }
        }
        if page.next == nil, results.count > 1, var row = results[1].first?.reader() {
            page.next = try reading { Place(time: try row.next(), id: try row.next()) }.text
            page.isUnfinished = page.events.count < most
        }
        return page
    }

    /// Reads entries as `read` does, for an operator who takes them away as a file, and records that first.
    package func export(
        _ filter: Filter, newest limit: Int, at now: Instant, by administrator: Administrator, _ body: ([AuditEvent]) -> Void
    ) async throws(AccountError) {
        let project = administrator.project
        let record = administrator.act(on: filter.accountID, at: now).record(AccountEvent(.auditExported), in: project)
        _ = try await storage.write(all: [record], by: administrator)
        try await read(filter, newest: limit, in: project.storageID, body)
    }

    /// The statement that reads a page, and where the filter may leave entries out, the one that says how far it has looked.
    static func statements(_ filter: Filter, before: Place?, most: Int, in projectID: String) -> [SQL] {
        var placed = filter.placed(in: projectID)
        if let before { placed.append("(occurred_at, event_id) < (\(before.time), \(before.id))") }
        let others = filter.others(in: projectID)
        let (length, looked) = (SQL(unsafe: "\(most)"), SQL(unsafe: "\(others.isEmpty ? most : mostLooked)"))
        let order: SQL = "ORDER BY occurred_at DESC, event_id DESC"
        let entries: SQL = "FROM audit_events WHERE \(placed.joined(by: " AND ")) \(order) LIMIT \(looked)"
        let chosen: SQL = others.isEmpty ? "" : "WHERE \(others.joined(by: " AND "))"
        let page: SQL = """
            SELECT event_id, \(AuditEvent.columns) FROM (SELECT event_id, \(AuditEvent.columns) \(entries)) entries \(chosen)
            \(order) LIMIT \(length)
            """
        guard !others.isEmpty else { return [page] }
        return [
            page,
            "SELECT occurred_at, event_id FROM (SELECT occurred_at, event_id \(entries)) entries OFFSET \(SQL(unsafe: "\(mostLooked - 1)"))",
        ]
    }

    /// The place of an entry in the order of time. It has nothing of a person, so it is not sealed.
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
    }
}
