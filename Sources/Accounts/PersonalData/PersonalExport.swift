import JSON
import Postgres
import ProjectSettings
import Runtime

/// Everything that is stored of one person, as JSON (GDPR, articles 15 and 20): the rows of each table, without secrets and without other people.
package struct PersonalExport: Sendable {
    let storage: Storage
    let deliveries: PersonalDeliveries
    let clock: Clock

    /// A JSON object: for each table, its rows about the account. Also of an account that is deleted, as long as something remains of it. Throws
    /// `accountNotFound` where nothing is stored.
    package func json(of id: String, by administrator: Administrator) async throws(AccountError) -> [UInt8] {
        let project = administrator.project.storageID
        var isKnown = false
        var writer = JSONWriter()
        var tables: [(name: String, rows: String)] = []
        for (table, found) in PersonalRows.found where !found.shown.isEmpty {
            let columns = found.shown.dropFirst().reduce(found.shown[0].expression) { "\($0), \($1.expression)" }
            let rows = try await storage.read(
                """
                SELECT coalesce(json_agg(shown), '[]')::text, count(*) FROM (
                    SELECT \(columns) FROM \(SQL(unsafe: table))
                    WHERE project_id = \(project: project) AND \(found.condition(id, in: project)) ORDER BY 1) AS shown
                """)
            guard var row = rows.first?.reader() else { continue }
            let (text, count): (String, Int64) = try reading { (try row.next(), try row.next()) }
            tables.append((table, text))
            isKnown = isKnown || count > 0
        }
        guard isKnown else { throw .accountNotFound }
        let person = try await storage.contacts(of: id, in: project)
        let waiting = try await deliveries.find(person, in: project)
        writer.object { writer in
            writer.field("project", project)
            writer.field("exportedAt", Timestamp.text(clock.now()))
            for table in tables { writer.field(table.name, verbatim: table.rows.utf8) }
            writer.array("deliveries") { writer in
                for delivery in waiting {
                    writer.object { writer in
                        writer.field("kind", delivery.kind)
                        writer.field("created_at", Timestamp.text(delivery.createdAt))
                    }
                }
            }
        }
        return writer.bytes
    }
}

extension PersonalExport {
    /// The same for an operator who takes it away as a file at the console, which is recorded: without the record, there is no file.
    package func recordedJSON(of id: String, by administrator: Administrator) async throws(AccountError) -> [UInt8] {
        let bytes = try await json(of: id, by: administrator)
        let record = administrator.act(on: id, at: clock.now()).record(AccountEvent(.accountExported), in: administrator.project)
        _ = try await storage.write(all: [record], by: administrator)
        return bytes
    }
}

extension Storage {
    /// The addresses and numbers by which the content of deliveries names a person.
    func contacts(of id: String, in project: String) async throws(AccountError) -> PersonalDeliveries.Person {
        let rows = try await read(
            """
            SELECT email, initial_email, phone_number FROM accounts WHERE project_id = \(project: project) AND account_id = \(id)
            """)
        var person = PersonalDeliveries.Person(accountID: id)
        guard var row = rows.first?.reader() else { return person }
        let (email, initial, number): (String?, String?, String?) = try reading { (try row.next(), try row.next(), try row.next()) }
        person.addresses = Set([email, initial].compactMap(\.self))
        person.numbers = Set([number].compactMap(\.self))
        return person
    }
}
