import Accounts
import Curl
import Messaging
import Postgres
import Runtime

/// Delivers mails and messages of log-outs for the whole process, on a loop, database connections and outbound connections that no request
/// uses.
///
/// Mail is sent only to real accounts. On a loop that serves requests, the next calls of the client that asked for the mail would wait
/// while it is sent, and so show who has an account (SEC-15).
struct DeliveryLoop: Sendable {
    /// Connections to the database: leases and outcomes are short writes.
    private static let connections = (read: 1, write: 2)
    static let databaseConnections = connections.read + connections.write

    let database: Database
    let worker: DeliveryWorker

    /// - Parameter index: the loop's number in metrics, which differs from that of every other loop.
    init(index: Int, _ shared: Shared) throws {
        let settings = shared.settings
        let loop = try Loop(index: index)
        var pool = settings.databasePool
        (pool.readConnections, pool.writeConnections) = Self.connections
        database = Database(
            loop: loop, url: settings.database, settings: pool, share: shared.connectionShare, metrics: shared.metrics, log: shared.log)
        let client = try HTTPClient(loop: loop, policy: settings.dialPolicy, metrics: shared.metrics, log: shared.log)
        let tokens = ClientTokens(clock: shared.clock, signingKeys: shared.signingKeys)
        var transports: [any Transport] = [
            LogoutDelivery(by: client, tokens: tokens, projects: shared.projects, metrics: shared.metrics)
        ]
        if let mail = settings.mail {
            transports.append(
                MailDelivery(
                    by: mail.transport(client, shared.log), from: mail.sender, projects: shared.projects, clock: shared.clock,
                    metrics: shared.metrics))
        }
        worker = DeliveryWorker(
            loop: loop, deliveries: shared.deliveries(database), knownProjects: KnownProjects(database: database),
            wakeSignal: shared.deliverySignal, projects: shared.projects, transports: transports, clock: shared.clock,
            metrics: shared.metrics, log: shared.log)
    }
}
