import Crypto
import Postgres
import ProjectSettings
package import Runtime

/// Erases a person (GDPR, article 17): the account with all that belongs to it, also what `AccountDeletion` leaves behind. The record of acts stays,
/// under a name from which the account cannot be found (`ErasedNames`).
///
/// A restored backup has the person again. So the caller first writes the erasure to a file outside the database, and `ErasureSearch` finds the
/// people of that file.
package struct AccountErasure: Sendable {
    /// The number of audit events that one statement looks at.
    private static let piece = 10_000

    let storage: Storage
    let clock: Clock
    let deletion: AccountDeletion
    let deliveries: Deliveries
    package let names: ErasedNames
    let addressHashes: AddressHashes

    /// Whether an account of the id is there; `nil` where nothing is stored of it.
    package func standing(of id: String, by administrator: Administrator) async throws(AccountError) -> Bool? {
        let project = administrator.project.storageID
        let rows = try await storage.read(
            """
            SELECT EXISTS (SELECT 1 FROM accounts WHERE project_id = \(project: project) AND account_id = \(id)),
                EXISTS (SELECT 1 FROM sessions WHERE project_id = \(project: project) AND account_id = \(id))
                OR EXISTS (SELECT 1 FROM audit_events WHERE project_id = \(project: project) AND account_id = \(id))
                OR EXISTS (SELECT 1 FROM sign_in_log WHERE project_id = \(project: project) AND account_id = \(id))
            """)
        guard var row = rows.first?.reader() else { return nil }
        let (isThere, isLeft): (Bool, Bool) = try reading { (try row.next(), try row.next()) }
        return isThere ? true : isLeft ? false : nil
    }

    /// Erases a person, and returns whether one was erased. It can be repeated, and then goes on where it was interrupted.
    ///
    /// The endpoints of the project are told that the account is deleted; what they were told before, and what else waits to be delivered, is
    /// deleted.
    ///
    /// - Parameters:
    ///   - reason: why, for the record.
    ///   - time: when the person was erased before, the last time; an account that was made later is another one's, and stays. `nil` for a person
    ///     who was not.
    @discardableResult
    package func erase(
        _ id: String, because reason: String, erasedAt time: Instant? = nil, by administrator: Administrator
    ) async throws(AccountError) -> Bool {
        let (project, now) = (administrator.project, clock.now())
        if let time, try await wasMade(id, after: time, in: project.storageID) { return false }
        var person = try await storage.contacts(of: id, in: project.storageID)
        person.addresses.formUnion(try await formerAddresses(of: id, in: project.storageID))
        let name = names.name(of: id, in: project.storageID)
        // What is found by the account's addresses and numbers goes first: behind the account, nothing says them any more.
        try await forget(id, as: name, person.addresses, in: project.storageID)
        _ = try await storage.write(
            all: deletions(of: id, in: project, { $0.contact != nil }) + [try await deletionOfDeliveries(to: person, in: project)],
            by: administrator)
        do { try await deletion.delete(id, by: administrator) } catch {
            guard case .accountNotFound = error else { throw error }
        }
        let fanOut = EventFanOut(deliveries)
        while try await fanOut.run(in: project) > 0 {}
        let act = administrator.act(on: name, at: clock.now())
        _ = try await storage.write(
            all: deletions(of: id, in: project, { $0.contact == nil }) + [
                try await deletionOfDeliveries(to: person, in: project),
                """
                UPDATE audit_events SET account_id = \(name), recipients = NULL, details = details - ARRAY['subject', 'emailHash', 'operatorReason'],
                    address = CASE WHEN actor_kind <> 'person' THEN address END,
                    user_agent = CASE WHEN actor_kind <> 'person' THEN user_agent END
                WHERE project_id = \(project: project) AND account_id = \(id)
                """,
                """
                INSERT INTO erasures (project_id, account_name, erased_at) VALUES (\(project: project), \(name), \(time ?? now))
                ON CONFLICT (project_id, account_name) DO UPDATE SET erased_at = greatest(erasures.erased_at, excluded.erased_at)
                """,
                act.record(.accountErased, facts: "'reason', \(reason)::text", in: project.storageID),
            ], by: administrator, waitingFor: id)
        return true
    }

    /// Deletes what waits to be delivered about the person, but what tells endpoints that the account is gone.
    private func deletionOfDeliveries(
        to person: PersonalDeliveries.Person, in project: ProjectSettings
    ) async throws(AccountError) -> SQL {
        let gone = try await PersonalDeliveries(deliveries: deliveries).find(person, in: project.storageID).filter { !$0.tellsOfDeletion }
        return """
            DELETE FROM deliveries WHERE project_id = \(project: project) AND delivery_id = ANY(ARRAY(
                SELECT decode(digits, 'hex') FROM unnest(\(gone.map { Hex.encode($0.id) })) AS digits))
            """
    }

    private func deletions(of id: String, in project: ProjectSettings, _ isAmong: (PersonalRows) -> Bool) -> [SQL] {
        PersonalRows.found.filter { $0.rows.fate == .areDeleted && isAmong($0.rows) }.map { table, rows in
            "DELETE FROM \(SQL(unsafe: table)) WHERE project_id = \(project: project) AND \(rows.condition(id, in: project.storageID))"
        }
    }

    private func wasMade(_ id: String, after time: Instant, in project: String) async throws(AccountError) -> Bool {
        let rows = try await storage.read(
            "SELECT 1::bigint FROM accounts WHERE project_id = \(project: project) AND account_id = \(id) AND created_at > \(time)")
        return !rows.isEmpty
    }

    /// The addresses that the account had, as far as waiting codes say it.
    private func formerAddresses(of id: String, in project: String) async throws(AccountError) -> [String] {
        let rows = try await storage.read(
            """
            SELECT email FROM action_codes WHERE project_id = \(project: project) AND account_id = \(id) AND email IS NOT NULL
            UNION SELECT email FROM identities WHERE project_id = \(project: project) AND account_id = \(id) AND email IS NOT NULL
            """)
        return try reading { try rows.map { row throws(PostgresError) in try row.value(as: String.self) } }
    }

    /// Takes the account's id and its addresses out of the acts on other accounts, some of them at a time, since no index finds these.
    private func forget(_ id: String, as name: String, _ addresses: Set<String>, in project: String) async throws(AccountError) {
        let hashes = addresses.flatMap { addressHashes.all(of: $0, in: project) }
        var position: Int64 = 0
        while true {
            let rows = try await storage.write(
                """
                WITH piece AS (
                    SELECT event_id FROM audit_events WHERE project_id = \(project: project) AND event_id > \(position)
                    ORDER BY event_id LIMIT \(Self.piece)),
                forgotten AS (
                    UPDATE audit_events e SET details = CASE WHEN e.details->>'account' = \(id)
                        THEN jsonb_set(e.details - 'emailHash', '{account}', to_jsonb(\(name)::text)) ELSE e.details - 'emailHash' END
                    FROM piece WHERE e.project_id = \(project: project) AND e.event_id = piece.event_id
                        AND (e.details->>'account' = \(id) OR e.details->>'emailHash' = ANY(\(hashes))))
                SELECT max(event_id), count(*) FROM piece
                """)
            guard var row = rows.first?.reader() else { return }
            let (last, count): (Int64?, Int64) = try reading { (try row.next(), try row.next()) }
            guard let last, count == Self.piece else { return }
            position = last
        }
    }
}
