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
        var before: TimeOrder.Place?
        if let place {
            guard let found = TimeOrder.Place(place) else { return nil }
            before = found
        }
        let statements = Self.statements(filter, before: before, most: most + 1, in: projectID)
        let results = try await storage.look(all: statements)
        var page = AuditPage()
        for row in results[0].prefix(most) {
            var row = row.reader()
            let place = try reading { try TimeOrder.Place(&row) }
            page.events.append(try reading { try AuditEvent(&row) })
            if results[0].count > most { page.next = place.text }
        }
        if page.next == nil, results.count > 1, var row = results[1].first?.reader() {
            page.next = try reading { try TimeOrder.Place(&row) }.text
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
    static func statements(_ filter: Filter, before: TimeOrder.Place?, most: Int, in projectID: String) -> [SQL] {
        var placed = filter.placed(in: projectID)
        if let before { placed.append(order.before(before)) }
        let others = filter.others(in: projectID)
        let (length, looked) = (SQL(unsafe: "\(most)"), SQL(unsafe: "\(others.isEmpty ? most : mostLooked)"))
        let entries: SQL = "FROM audit_events WHERE \(placed.joined(by: " AND ")) \(order.newestFirst) LIMIT \(looked)"
        let chosen: SQL = others.isEmpty ? "" : "WHERE \(others.joined(by: " AND "))"
        // The inner query has each column once; the outer one has the place before the event.
        let page: SQL = """
            SELECT \(order.place), \(AuditEvent.columns) FROM (SELECT event_id, \(AuditEvent.columns) \(entries)) entries \(chosen)
            \(order.newestFirst) LIMIT \(length)
            """
        guard !others.isEmpty else { return [page] }
        return [
            page,
            "SELECT \(order.place) FROM (SELECT \(order.place) \(entries)) entries OFFSET \(SQL(unsafe: "\(mostLooked - 1)"))",
        ]
    }
}
