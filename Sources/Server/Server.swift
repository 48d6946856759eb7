import Accounts
import Crypto
import Glibc
import HTTPServer
package import Logging
import Messaging
import Migration
import Postgres
import ProjectSettings
import Projects
import Providers
package import Runtime
import Web

/// All workers of the process, and what they do together: start, reload, stop.
package actor Server {
    /// How long requests and deliveries that are being handled may take to finish after the server is told to stop. A second later the process
    /// ends (`gatehouse serve`).
    private static let grace: Duration = .seconds(9)
    /// How long clients with an open connection are still answered, so that a proxy learns of the stop from an answer. Clients in
    /// development have no proxy, and developers wait for a stop.
    private static let keptAlive: Duration = .seconds(1)
    private static let keyInterval: Duration = .seconds(60)
    private static let cleanupInterval: Duration = .seconds(300)
    private static let signInLogInterval: Duration = .seconds(1)
    private static let mirrorInterval: Duration = .seconds(2)
    private static let seenInterval: Duration = .seconds(10)
    private static let retentionInterval: Duration = .seconds(86400)
    private static let idleInterval: Duration = .seconds(3600)
    private static let readinessInterval: Duration = .seconds(10)

    let process: ProcessContext
    let workers: [Worker]
    let manager: ServiceManager
    private let sockets: ListeningSockets
    var heartbeat: Heartbeat?
    /// Whether the service manager knows that the server is ready.
    var isReportedReady = false
    /// The servers of the operations listener, one for each loop; empty without such a listener.
    private var operations: [HTTPServer] = []
    /// The server of the console's listener, on one loop; `nil` without one.
    private var console: HTTPServer?
    let path: String
    let environment: [String: String]
    let log: Logger
    private let begun = MonotonicTime.read()
    /// Whether people may have passkeys for another site than their project's file names.
    let acceptsOrphanedPasskeys: Bool
    let record: ReloadRecord
    let readiness: ReadinessRecord
    var reloading: Task<ReloadOutcome, Never>?
    private(set) var isStopping = false
    private var chores: [Task<Void, Never>] = []
    private let deliveryLoop: DeliveryLoop
    private var delivering: Task<Void, Never>?
    private var logging: Task<Void, Never>?

    /// - Parameters:
    ///   - path: where `configuration` was read from, for reloads.
    ///   - environment: the process's, which the files may name secrets of.
    ///   - acceptsOrphanedPasskeys: also starts where people have passkeys for another site than their project's file names.
    package init(
        _ configuration: Configuration, path: String, environment: [String: String], acceptsOrphanedPasskeys: Bool = false,
        output: LogOutput, log: Logger
    ) throws {
        let settings = configuration.server
        manager = ServiceManager(environment: environment)
        sockets = try ListeningSockets(settings, environment: environment)
        SystemLimits.raiseDescriptors()
        let process = ProcessContext(configuration, output: output, clock: .system, log: log)
        self.process = process
        record = ReloadRecord(metrics: process.metrics, clock: process.clock)
        readiness = ReadinessRecord(metrics: process.metrics)
        self.path = path
        self.acceptsOrphanedPasskeys = acceptsOrphanedPasskeys
        self.environment = environment
        self.log = log
        workers = try (0..<settings.loops).map { try Worker(index: $0, process) }
        deliveryLoop = try DeliveryLoop(index: settings.loops, process)
    }

    var first: Worker { workers[0] }

    /// Starts to listen only when every request can be served: the schema is current and the keys are loaded.
    package func start() async throws {
        if process.settings.development {
            let key =
                process.settings.developmentProject.map {
                    ", any API key opens the project \($0), and any program on this machine can sign in there as any person of a provider without "
                        + "an entry"
                } ?? ""
            log.warning(
                """
                DEVELOPMENT MODE: plain http, cookies without Secure, mails readable and accounts deletable without any credential below \
                /emulator\(key). For this machine alone; never in production.
                """)
        }
        signal(SIGPIPE, SIG_IGN)
        try await DatabaseStart(databases: workers.map(\.database), process: process).verify()
        try await takeTenants(of: process.projects.current.all)
        // The questions about keys and issuers travel together. Nothing is pinned before the keys are known to open.
        async let keys: Void = keyStore.load(into: process.signingKeys)
        let issuers = try await verifiedIssuers(of: process.projects.current)
        let orphaning = try await orphaning(process.projects.current.realms)
        guard orphaning.isEmpty else { throw StartFailure.sites(orphaning) }
        try await keys
        try await providerIssuers.pin(issuers)
        try await remember(process.projects.current.realms)
        try await openListeners()
        startChores()
        let signInLog = SignInLogWriter(process.signIns, database: deliveryLoop.database)
        logging = Chore.every(Self.signInLogInterval, "write the log of sign-ins") { try await signInLog.write() }.start(log: log)
        delivering = Task { [deliveryLoop] in
            try? await Task.sleep(for: Chore.afterStart)
            await deliveryLoop.worker.run()
        }
        log.info(
            "serving",
            metadata: [
                "address": "\(process.settings.listen)", "operations": "\(process.settings.operations ?? process.settings.listen)",
                "url": "\(process.settings.publicURL)",
                "projects": "\(process.projects.current.all.count)", "loops": "\(workers.count)",
                "started_ms": "\(MonotonicTime.read().microseconds(since: begun) / 1000)", "version": "\(Version.text)",
            ])
        chores.append(Task { await reportReadiness() })
    }

    /// Starts the work that no request waits for.
    private func startChores() {
        let cleanup = Cleanup(
            database: first.database, clock: process.clock, retention: process.settings.retention)
        let addresses = OldAddresses(database: first.database, clock: process.clock, retention: process.settings.retention)
        let guests = UnusedGuests(database: first.database, clock: process.clock)
        let expiry: [Chore] = [
            .every(Self.cleanupInterval, "clean up", soon: true) { [process] in
                try await cleanup.run(for: process.projects.current.realms.map(\.settings))
            },
            .every(Self.cleanupInterval, "delete provider tokens", soon: true) { [process] in
                try await cleanup.deleteProviderTokens(except: process.projects.current.tokenKeepers)
            },
            .every(Self.idleInterval, "end idle sessions", soon: true) { [process] in
                try await cleanup.endIdleSessions(of: process.projects.current.realms.map(\.settings))
            },
            .every(Self.cleanupInterval, "delete what deleted tenants had", soon: true) { [process] in
                let ofFiles = process.projects.current.realms.filter { $0.fileName != nil }.map(\.settings.storageID)
                try await cleanup.emptyDeletedTenants(except: Set(ofFiles))
            },
            .every(Self.retentionInterval, "cut old addresses", soon: true) { try await addresses.cut() },
            .every(Self.retentionInterval, "delete unused anonymous accounts", soon: true) { [process] in
                try await guests.delete(in: process.projects.current.realms.map(\.settings))
            },
        ]
        let alone: [Chore] = [
            .every(Self.keyInterval, "reload signing keys") { [process, keyStore] in try await keyStore.load(into: process.signingKeys) },
            .every(Self.readinessInterval, "serve requests", soon: true) { [first, readiness] in
                try await readiness.look(first.services.readiness)
            },
            .every(TenantDirectory.interval, "look for changed tenants") { [process, tenantRows] in
                try await process.tenants.refresh(by: tenantRows)
            },
            .every(Self.seenInterval, "note that changes are copied to Firebase", soon: true) { [process, deliveryLoop] in
                try await deliveryLoop.mirror.see(process.projects.current.all.map(\.settings))
            },
            .every(Self.mirrorInterval, "copy changes of accounts to Firebase") { [process, deliveryLoop] in
                await deliveryLoop.mirror.copy(process.projects.current.all.map(\.settings))
            },
        ]
        chores = [Chore.start(expiry, log: log)] + alone.map { $0.start(log: log) }
    }

    private func openListeners() async throws {
        if let address = process.settings.operations {
            let reload = Reload.handler { [weak self] in await self?.reloadTelling() ?? .refused("the server stops") }
            // Otherwise two processes could share the port, and reload, health and metrics would reach one of them by chance.
            if sockets.operations.isEmpty { try Self.requireFree(address, key: "operations.listen") }
            operations = workers.map { $0.operationsServer(process, [reload]) }
            for server in operations { try await serve(with: server, at: address, key: "operations.listen", sockets.operations) }
        }
        if let address = process.settings.console?.listen {
            if sockets.console.isEmpty { try Self.requireFree(address, key: "console.listen") }
            // Only the loop that owns the console's database connections can serve it.
            console = workers.compactMap { $0.consoleServer(process) }.first
            if let console { try await serve(with: console, at: address, key: "console.listen", sockets.console) }
        }
        for worker in workers { try await serve(with: worker.server, at: process.settings.listen, key: "listen", sockets.api) }
    }

    /// Takes `port` among the `gatehouse dev` of this machine until this process ends; false when another one has it.
    package static func reserve(_ port: Int) -> Bool { PortReservation.take(port) }

    /// Throws when another process listens at `address`: two servers can share a port.
    package static func requireFree(_ address: ListenAddress, key: String = "listen") throws {
        do { try HTTPServer.requireFree(host: "\(address.host)", port: address.port) } catch {
            throw StartFailure.listening("\(address)", key: key, "\(error)")
        }
    }

    /// - Parameter inherited: the sockets that are open already; where there is none, the server opens one.
    private func serve(with server: HTTPServer, at address: ListenAddress, key: String, _ inherited: [InheritedSocket]) async throws {
        do {
            if inherited.isEmpty { try await server.listen(host: "\(address.host)", port: address.port) }
            try await server.listen(on: inherited)
        } catch {
            throw StartFailure.listening("\(address)", key: key, "\(error)")
        }
    }

    package func stop() async {
        isStopping = true
        log.info("stopping")
        tell(.stopping, status: "answering the last requests")
        let end = ContinuousClock.now + Self.grace
        for chore in chores { chore.cancel() }
        await withTaskGroup(of: Void.self) { group in
            let idle = process.settings.development ? .zero : Self.keptAlive
            for worker in workers { group.addTask { await worker.server.stop(grace: Self.grace, closingIdleAfter: idle) } }
            for server in operations + [console].compactMap(\.self) { group.addTask { await server.stop(grace: Self.grace) } }
            group.addTask { await self.stopDelivering(by: end) }
        }
        // No client waits any more for what waits there.
        await process.hashing.stop()
        await writeLastSignIns()
        for worker in workers { await worker.closeDatabases() }
        log.info("stopped")
    }

    /// Begins no more deliveries, and lets those under way finish, within the same time as requests. Those that requests still write go out
    /// after the next start.
    private func stopDelivering(by end: ContinuousClock.Instant) async {
        guard let delivering else { return }
        process.deliverySignal.finish()
        let patience = Task { [deliveryLoop] in
            try await Task.sleep(until: end)
            await deliveryLoop.worker.breakOff()
        }
        await delivering.value
        patience.cancel()
        logging?.cancel()
        await logging?.value
        await deliveryLoop.database.close()
    }

    /// Writes what the log of sign-ins does not have yet, behind the last request.
    private func writeLastSignIns() async {
        do { try await SignInLogWriter(process.signIns, database: first.database).write() } catch {
            log.warning("could not write the log of sign-ins", metadata: ["error": "\(LogDetail.of(error))"])
        }
    }

    private var keyStore: SigningKeyStore {
        SigningKeyStore(database: first.database, masterKey: process.settings.masterKey, clock: process.clock)
    }

    /// Remembers projects for the work that goes over all of them; call it before they are served.
    func remember(_ projects: [Project]) async throws(AccountError) {
        _ = try await KnownProjects(database: first.database).list(remembering: projects.map(\.settings.storageID))
    }

    private var tenantRows: TenantRows { TenantRows(database: first.database, clock: process.clock) }

    /// Puts projects into use, with the tenants that calls have made.
    func takeTenants(of projects: [Project]) async throws {
        let complete = try await process.tenants.complete(projects, by: tenantRows)
        process.projects.replace(Projects(complete, anyKey: process.settings.developmentProject))
        process.tenants.catchUp()
    }

    var providerIssuers: ProviderIssuers { ProviderIssuers(database: first.database) }

    /// The sites of passkeys that these projects would orphan; none where the operator accepts that.
    func orphaning(_ projects: [Project]) async throws -> [PasskeySites.Entry] {
        acceptsOrphanedPasskeys ? [] : try await FrozenSites.conflicts(projects, first.database)
    }

    /// The issuer of every provider's users, to be pinned. Throws when users of a provider were stored under another issuer.
    private func verifiedIssuers(of projects: Projects) async throws -> ProviderIssuers.Unpinned {
        let unpinned = try await providerIssuers.unpinned(PinnedIssuers.configured(by: projects.realms))
        guard unpinned.conflicts.isEmpty else { throw StartFailure.issuers(unpinned.conflicts) }
        return unpinned
    }
}
