import Accounts
import Curl
import Messaging
import Postgres
import Runtime

/// Sends mail for the whole process, on a loop, database connections and outbound connections that no request uses.
///
/// Mail is sent only to real accounts. On a loop that serves requests, the next calls of the client that asked for the mail would wait
/// while it is sent, and so show who has an account (SEC-15).
struct MailDelivery: Sendable {
    /// Connections to the database: leases and outcomes are short writes.
    private static let connections = (read: 1, write: 2)
    static let databaseConnections = connections.read + connections.write

    let database: Database
    let worker: MailWorker

    /// `nil` when the configuration has no way to send mail.
    ///
    /// - Parameter index: the loop's number in metrics, which differs from that of every other loop.
    init?(index: Int, _ shared: Shared) throws {
        guard let mail = shared.settings.mail else { return nil }
        let loop = try Loop(index: index)
        var pool = shared.settings.databasePool
        (pool.readConnections, pool.writeConnections) = Self.connections
        database = Database(
            loop: loop, url: shared.settings.database, settings: pool, share: shared.connectionShare, metrics: shared.metrics,
            log: shared.log)
        let client = try HTTPClient(loop: loop, policy: shared.settings.dialPolicy, metrics: shared.metrics, log: shared.log)
        worker = MailWorker(
            loop: loop, outbox: shared.outbox(database), knownProjects: KnownProjects(database: database), wakeSignal: shared.mailSignal,
            projects: shared.projects,
            transport: mail.transport(client, shared.log), sender: mail.sender, clock: shared.clock, metrics: shared.metrics,
            log: shared.log)
    }
}
