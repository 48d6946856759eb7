import Accounts
import Curl
import Messaging
import Migration
import Postgres
import Runtime

/// Delivers mails, text messages, events and messages of log-outs for the whole process, and copies changes of accounts to Firebase, on a loop,
/// database connections and outbound connections that no request uses.
///
/// Mail is sent only to real accounts. On a loop that serves requests, the next calls of the client that asked for the mail would wait
/// while it is sent, and so show who has an account (SEC-15).
struct DeliveryLoop: Sendable {
    /// Connections to the database: leases and outcomes are short writes.
    private static let connections = (read: 1, write: 2)
    static let databaseConnections = connections.read + connections.write

    let database: Database
    let worker: DeliveryWorker
    let mirror: FirebaseMirror

    /// - Parameter index: the loop's number in metrics, which differs from that of every other loop.
    init(index: Int, _ process: ProcessContext) throws {
        let settings = process.settings
        let loop = try Loop(index: index)
        var pool = settings.databasePool
        (pool.readConnections, pool.writeConnections) = Self.connections
        database = Database(
            loop: loop, url: settings.database, settings: pool, share: process.connectionShare, metrics: process.metrics, log: process.log)
        let client = try HTTPClient(loop: loop, policy: settings.dialPolicy, metrics: process.metrics, log: process.log)
        let tokens = ClientTokens(clock: process.clock, signingKeys: process.signingKeys)
        var transports: [any Transport] = [
            LogoutDelivery(by: client, tokens: tokens, projects: process.projects, metrics: process.metrics),
            TextMessageDelivery(by: client, projects: process.projects, clock: process.clock, metrics: process.metrics, log: process.log),
        ]
        transports.append(
            EventDelivery(
                by: client, accounts: AccountReader(database: database), stopped: StoppedEndpoints(process.deliveries(database)),
                projects: process.projects, clock: process.clock, metrics: process.metrics))
        if let mail = settings.mail {
            transports.append(
                MailDelivery(
                    by: mail.transport(client, process.log), from: mail.sender, hooks: process.hooks(by: client),
                    projects: process.projects,
                    clock: process.clock, metrics: process.metrics))
        }
        mirror = FirebaseMirror(
            database: database, statementTimeout: pool.statementTimeout, upstream: client, shared: process.firebaseBridge,
            clock: process.clock, log: process.log)
        worker = DeliveryWorker(
            loop: loop, deliveries: process.deliveries(database), knownProjects: KnownProjects(database: database),
            wakeSignal: process.deliverySignal, projects: process.projects, transports: transports, clock: process.clock,
            metrics: process.metrics, log: process.log)
    }
}
