import Crypto
package import Postgres
package import Runtime
package import Text

/// The addresses that open the console without its provider, for the day on which the provider is the fault (SEC-66).
///
/// `gatehouse console open` makes one, so its maker has a shell of the server and the master key's configuration. It works for five minutes,
/// once, and from one address. Making it and using it are recorded.
package struct ConsoleOpenings: Sendable {
    package static let lifetime: Duration = .seconds(300)

    let storage: Storage
    let clock: Clock

    package init(database: Database, clock: Clock) {
        storage = Storage(database: database)
        self.clock = clock
    }

    /// Makes an opening, and returns the code that stands in its address.
    ///
    /// - Parameter address: the only address from which it works, in the form of `Session.ClientInfo`; `nil` for the server's own machine.
    package func make(reason: String, from address: String?, by command: String) async throws(AccountError) -> String {
        let (secret, now) = (Random.bytes(32), clock.now())
        let act = AuditedAct(by: .command(command), on: nil, from: nil, at: now)
        _ = try await storage.write(all: [
            """
            INSERT INTO console_openings (opening_hash, reason, address, expires_at)
            SELECT \(Digest.sha256(secret)), \(reason), \(address), \(now + Self.lifetime)
            """,
            act.record(.consoleOpened, facts: "'operatorReason', \(reason)", in: AuditEvents.server),
        ])
        return Base64URL.encode(secret)
    }

    /// Uses an opening up, and begins a session by it. `nil` for a code that is unknown, used or too old, or that may not be used from this address:
    /// such an attempt leaves the opening as it is.
    ///
    /// - Parameters:
    ///   - former: the ids of the sessions that the browser had; they end.
    ///   - isOfThisMachine: whether the request came from the server's own machine.
    package func use(
        _ code: UTF8Text, replacing former: Set<String>, from client: Session.ClientInfo, isOfThisMachine: Bool
    ) async throws(AccountError) -> OperatorSession? {
        guard let opening = Base64URL.decodeStrict(code.asString), opening.count == 32 else { return nil }
        let (secret, now) = (Random.bytes(32), clock.now())
        let act = AuditedAct(by: .operator(Operator.breakGlass.name), on: nil, from: client, at: now)
        let values = act.values(.consoleSignedIn, facts: "'operatorReason', used.reason", in: AuditEvents.server)
        let session = OperatorSessions.breakGlass(secret, reason: "used.reason", from: client, at: now)
        let begin: SQL = """
            WITH used AS (
                UPDATE console_openings SET used_at = \(now)
                WHERE opening_hash = \(Digest.sha256(opening)) AND used_at IS NULL AND expires_at > \(now)
                    AND (address = \(client.limitKey) OR address IS NULL AND \(isOfThisMachine))
                RETURNING reason),
            begun AS (INSERT INTO console_sessions \(session.columns) SELECT \(session.values) FROM used),
            recorded AS (INSERT INTO audit_events \(AuditedAct.columns) SELECT \(values) FROM used)
            SELECT reason FROM used
            """
        let results = try await storage.write(all: [begin] + OperatorSessions.deletions(of: former, replacedBy: secret))
        guard let reason = try reading({ try results[0].first?.value(as: String.self) }) else { return nil }
        return OperatorSession(
            secret: secret, operatorName: Operator.breakGlass.name, person: nil, reason: reason, signedInAt: now)
    }
}
