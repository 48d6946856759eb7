package import Postgres
package import Runtime

/// The people at the provider who are operators by their e-mail address in `gatehouse.yaml`.
///
/// An address only binds a person once: from then on the person is known by issuer and subject, and who gets the address later is refused
/// (SEC-65).
package struct OperatorBindings: Sendable {
    let storage: Storage
    let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// One binding, as `gatehouse console operators` lists them.
    package struct Binding: Sendable {
        package let person: OperatorPerson
        package let email: String
        package let boundAt: Instant

        fileprivate init(_ row: inout RowReader) throws(PostgresError) {
            person = OperatorPerson(issuer: try row.next(), subject: try row.next())
            email = try row.next()
            boundAt = try row.next()
        }
    }

    /// The address that the person is bound to; `nil` where there is none.
    package func email(of person: OperatorPerson) async throws(AccountError) -> String? {
        let rows = try await storage.read(
            "SELECT email FROM console_operators WHERE issuer = \(person.issuer) AND subject = \(person.subject)")
        return try reading { try rows.first?.value(as: String.self) }
    }

    /// Binds the person to the address, whose domain the provider is authoritative for, and records it. False when the address is another
    /// person's already.
    package func bind(
        _ person: OperatorPerson, to email: String, named name: String, from client: Session.ClientInfo
    ) async throws(AccountError) -> Bool {
        let now = clock.now()
        let act = AuditedAct(by: .operator(name), on: nil, from: client, at: now)
        let values = act.values(.operatorBound, subject: "bound.subject", facts: "'issuer', bound.issuer", in: AuditEvents.server)
        let rows = try await storage.write(
            """
            WITH bound AS (
                INSERT INTO console_operators (issuer, subject, email, bound_at)
                SELECT \(person.issuer), \(person.subject), \(email), \(now) ON CONFLICT DO NOTHING RETURNING issuer, subject)
            INSERT INTO audit_events \(AuditedAct.columns) SELECT \(values) FROM bound RETURNING 1::bigint
            """)
        return !rows.isEmpty
    }

    package func list() async throws(AccountError) -> [Binding] {
        let rows = try await storage.read("SELECT issuer, subject, email, bound_at FROM console_operators ORDER BY email")
        var bindings: [Binding] = []
        for row in rows {
            var row = row.reader()
            bindings.append(try reading { try Binding(&row) })
        }
        return bindings
    }

    /// Forgets who an address is bound to, so that its next owner can be bound, removes that person's passkeys and ends their sessions. The same by the
    /// person's subject, for operators whom the configuration knows by it. False when there was nothing of them.
    package func unbind(email: String?, subject: String, by command: String) async throws(AccountError) -> Bool {
        let act = AuditedAct(by: .command(command), on: nil, from: nil, at: clock.now())
        let theirs: SQL = """
            (subject = \(subject) OR (issuer, subject) IN (SELECT c.issuer, c.subject FROM console_operators c WHERE c.email = \(email)))
            """
        let values = act.values(.operatorUnbound, subject: "gone.subject", facts: "'issuer', gone.issuer", in: AuditEvents.server)
        let passkeys = act.removeOperatorPasskeys(where: theirs)
        // The first statement waits for sessions that a passkey begins now, the second one for passkeys that a session adds now.
        let results = try await storage.write(all: [
            passkeys,
            "DELETE FROM console_sessions WHERE \(theirs) RETURNING 1::bigint",
            passkeys,
            """
            WITH gone AS (DELETE FROM console_operators WHERE email = \(email) OR subject = \(subject) RETURNING issuer, subject)
            INSERT INTO audit_events \(AuditedAct.columns) SELECT \(values) FROM gone RETURNING 1::bigint
            """,
        ])
        return results.contains { !$0.isEmpty }
    }
}
