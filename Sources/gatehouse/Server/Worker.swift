import Accounts
import Brokerage
import Crypto
import Curl
import FoundationEssentials
import HTTPServer
import IdentityToolkit
import Logging
import Postgres
import Providers
import Runtime
import SignIn
import Web

/// The parts that all loops of the process share. Each is immutable, or behind a lock that is only held for a short time.
struct Shared: Sendable {
    let settings: ServerSettings
    let projects: ProjectDirectory
    let signingKeys: SigningKeys
    /// Its threads serve all loops. Their number follows the cores, not the loops.
    let hashing: HashingPool
    let passwords: PasswordHashing
    let providerMetadata: MetadataCache
    /// Counts connections, so that the limits on them hold for the whole process.
    let admission = Admission()
    let operationsAdmission = Admission()
    /// Lets the loops take database connections from one another where there are too few.
    let databaseConnections = ConnectionShare()
    /// Wakes the mail worker when there is mail to send.
    let postbox = Bell()
    let output: LogOutput
    let metrics: Metrics
    let signIns: SignInMetrics
    let refusals: Refusals
    let clock: Clock
    let log: Logger

    init(_ configuration: Configuration, output: LogOutput, clock: Clock, log: Logger) {
        settings = configuration.server
        self.output = output
        projects = ProjectDirectory(Projects(configuration.projects, anyKey: settings.developmentProject))
        signingKeys = SigningKeys()
        providerMetadata = MetadataCache()
        metrics = Metrics()
        hashing = HashingPool(threads: settings.passwordHashing.threads, queue: settings.passwordHashing.queue, metrics: metrics)
        passwords = PasswordHashing(pool: hashing, parameters: settings.passwordHashing.scrypt)
        signIns = SignInMetrics(metrics)
        refusals = Refusals(metrics: metrics, log: log)
        self.clock = clock
        self.log = log
        output.count(in: metrics)
        registerMetrics()
    }
}

extension Shared {
    /// The outbox on a loop's database. All of them wake the same mail worker.
    func outbox(_ database: Database) -> Outbox {
        Outbox(
            database: database, masterKey: settings.masterKey, clock: clock, bell: postbox, keepsSent: settings.development)
    }
}

/// One loop with one of everything: database connections, outbound connections, a listener and the connections it accepts.
struct Worker: Sendable {
    let loop: Loop
    let database: Database
    let client: HTTPClient
    let services: Services
    let server: HTTPServer

    init(index: Int, _ shared: Shared) throws {
        let settings = shared.settings
        loop = try Loop(index: index)
        let database = Database(
            loop: loop, url: settings.database, settings: settings.databasePool, share: shared.databaseConnections,
            metrics: shared.metrics, log: shared.log)
        self.database = database
        shared.registerPool(ofLoop: index)
        client = try HTTPClient(loop: loop, policy: settings.dialPolicy, metrics: shared.metrics, log: shared.log)
        let outbox = settings.mail.map { _ in shared.outbox(database) }
        let accounts = Accounts(
            database: database, clock: shared.clock, publicURL: settings.publicURL, signingKeys: shared.signingKeys,
            passwords: shared.passwords, outbox: outbox, refusals: shared.refusals, signIns: shared.signIns)
        let brokerage = Brokerage(
            accounts: accounts, flows: SignInFlows(database: database, masterKey: settings.masterKey, clock: shared.clock),
            pendingTokens: PendingTokens(database: database, masterKey: settings.masterKey, clock: shared.clock), upstream: client,
            metadata: shared.providerMetadata, metrics: shared.metrics, clock: shared.clock)
        let readiness = Readiness(database, settings.schema)
        services = Services(
            accounts: accounts, sessions: Sessions(database: database, masterKey: settings.masterKey, clock: shared.clock, log: shared.log),
            brokerage: brokerage, outbox: outbox, projects: shared.projects,
            site: Site(publicURL: settings.publicURL, development: settings.development), metrics: shared.metrics,
            clock: shared.clock, log: shared.log,
            readiness: readiness.verify)
        var handlers = Operations.front + (settings.operations == nil ? Operations.handlers : [])
        handlers += IdentityToolkit.handlers + SignIn.handlers + SignIn.scripts
        // In front of the others, since the emulator's answer to the address without a path must win.
        if settings.development { handlers = Emulator.handlers + handlers }
        if let sample = settings.sample { handlers += try SampleFiles(folder: sample).handlers }
        server = HTTPServer(
            loop: loop, limits: settings.limits, trustedProxies: settings.trustedProxies, handler: App(handlers, services: services),
            metrics: shared.metrics, log: shared.log, accessLog: settings.accessLog ? shared.output : nil,
            admission: shared.admission)
    }

    /// The server of the operations listener. It has connections of its own, so that it answers when all connections of the API are taken.
    func operationsServer(_ shared: Shared, _ more: [Handler]) -> HTTPServer {
        var limits = ServerLimits()
        limits.connections = Descriptors.forOperations
        return HTTPServer(
            loop: loop, limits: limits, handler: App(Operations.front + Operations.handlers + more, services: services),
            metrics: shared.metrics, log: shared.log, accessLog: shared.settings.accessLog ? shared.output : nil,
            admission: shared.operationsAdmission)
    }
}

extension SampleFiles {
    /// All files of a folder.
    fileprivate init(folder: String) throws {
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            files[name] = FileManager.default.contents(atPath: folder + "/" + name).map(Array.init)
        }
        self.init(files)
    }
}
