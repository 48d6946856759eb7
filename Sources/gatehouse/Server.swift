import Accounts
import Crypto
import Glibc
import HTTPServer
import Logging
import Postgres
import Providers
import Runtime
import Web

/// All workers of the process, and what happens to them together: start, reload, stop.
actor Server {
    /// How long requests that run may take to finish once the server is told to stop.
    private static let grace: Duration = .seconds(10)
    private static let keyInterval: Duration = .seconds(60)
    private static let cleanupInterval: Duration = .seconds(300)
    private static let idleInterval: Duration = .seconds(3600)

    private let shared: Shared
    private let workers: [Worker]
    private let path: String
    private let log: Logger
    private let begun = MonotonicTime.read()
    private var chores: [Task<Void, Never>] = []
    private let mail: MailDelivery?
    private var delivery: Task<Void, Never>?

    init(_ configuration: Configuration, path: String, log: Logger) throws {
        let settings = configuration.server
        let shared = Shared(configuration, clock: .system, log: log)
        self.shared = shared
        self.path = path
        self.log = log
        let count = settings.loops == 0 ? Machine.cores : settings.loops
        workers = try (0..<count).map { try Worker(index: $0, shared) }
        mail = try MailDelivery(index: count, shared)
    }

    private var first: Worker { workers[0] }

    /// Listens only once every request could be served: schema current, keys loaded.
    func start() async throws {
        if shared.settings.development {
            let key = shared.settings.developmentProject.map { ", any API key opens the project \($0)" } ?? ""
            log.warning(
                """
                DEVELOPMENT MODE: plain http, cookies without Secure, mails readable and accounts deletable without any credential below \
                /emulator\(key). For this machine alone; never in production.
                """)
        }
        signal(SIGPIPE, SIG_IGN)
        try await Migrator(directory: shared.settings.migrations).verify(first.database)
        try await keyStore.load(into: shared.signingKeys)
        try await pinIssuers(shared.projects.current)
        for worker in workers {
            do {
                let listen = shared.settings.listen
                _ = try await worker.server.listen(host: "\(listen.host)", port: listen.port)
            } catch {
                throw StartFailure.listening("\(shared.settings.listen)", "\(error)")
            }
        }
        chores = [
            every(Self.keyInterval, "reload signing keys") { [shared, keyStore] in try await keyStore.load(into: shared.signingKeys) },
            every(Self.cleanupInterval, "clean up") { [cleanup = Cleanup(database: first.database, clock: shared.clock)] in
                try await cleanup.run()
            },
            every(Self.idleInterval, "end idle sessions") { [shared, cleanup = Cleanup(database: first.database, clock: shared.clock)] in
                try await cleanup.endIdleSessions(of: shared.projects.current.all.map(\.settings))
            },
        ]
        delivery = mail.map { mail in Task { await mail.postman.run() } }
        log.info(
            "serving",
            metadata: [
                "address": "\(shared.settings.listen)", "url": "\(shared.settings.publicURL)",
                "projects": "\(shared.projects.current.all.count)", "loops": "\(workers.count)",
                "started_ms": "\(MonotonicTime.read().microseconds(since: begun) / 1000)", "version": "\(Version.text)",
            ])
    }

    /// Reads the project files anew. A fault changes nothing; requests under way keep what they started with.
    func reload() async {
        do {
            let configuration = try Configuration.load(from: path)
            guard configuration.server.signature == shared.settings.signature else {
                log.error("not reloaded: gatehouse.yaml changed, which takes a restart")
                return
            }
            let projects = Projects(configuration.projects, anyKey: configuration.server.developmentProject)
            try await pinIssuers(projects)
            shared.projects.replace(projects)
            log.info("reloaded", metadata: ["projects": "\(projects.all.count)"])
        } catch {
            log.error("not reloaded, the former configuration stays", metadata: ["reason": "\(StartFailure.text(error))"])
        }
    }

    func stop() async {
        log.info("stopping")
        for chore in chores { chore.cancel() }
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.server.stop(grace: Self.grace) } }
        }
        await shared.hashing.stop()
        await stopMail()
        for worker in workers { await worker.database.close() }
        log.info("stopped")
    }

    /// Lets what is on its way arrive, within the same grace as requests.
    private func stopMail() async {
        guard let mail, let delivery else { return }
        shared.postbox.fallSilent()
        let patience = Task {
            try await Task.sleep(for: Self.grace)
            await mail.postman.breakOff()
        }
        await delivery.value
        patience.cancel()
        await mail.database.close()
    }

    private var keyStore: SigningKeyStore {
        SigningKeyStore(database: first.database, masterKey: shared.settings.masterKey, clock: shared.clock)
    }

    private func every(_ interval: Duration, _ name: String, _ chore: @escaping @Sendable () async throws -> Void) -> Task<Void, Never> {
        Task { [log] in
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                guard !Task.isCancelled else { return }
                do { try await chore() } catch { log.warning("could not \(name)", metadata: ["error": "\(LogDetail.of(error))"]) }
            }
        }
    }

    /// Sees to it that every provider's people come from the configured issuer, or throws where others signed in already; then nothing has
    /// changed.
    private func pinIssuers(_ projects: Projects) async throws {
        let issuers = ProviderIssuers(database: first.database)
        let entries = projects.all.flatMap { project in
            project.providers.values.map { provider in
                ProviderIssuers.Entry(projectID: project.settings.id, providerID: provider.id, issuer: provider.issuerForStorage)
            }
        }
        let conflicts = try await issuers.conflicts(with: entries)
        guard conflicts.isEmpty else { throw StartFailure.issuers(conflicts) }
        try await issuers.pin(entries)
    }
}

/// Why the server did not start, in an operator's words.
enum StartFailure: Error {
    case issuers([ProviderIssuers.Entry])
    case listening(String, String)

    static func text(_ error: any Error) -> String {
        switch error {
        case StartFailure.issuers(let pinned): pinned.map(text).joined(separator: "\n")
        case StartFailure.listening(let address, let reason): "cannot listen on \(address), as listen says: \(reason)"
        case AccountError.sealBroken(let what): "\(what) was sealed with another master key than the configured one"
        default: LogDetail.of(error)
        }
    }

    private static func text(_ pinned: ProviderIssuers.Entry) -> String {
        "project \(pinned.projectID), provider \(pinned.providerID): users are stored under the issuer \(pinned.issuer). "
            + "Another issuer is another set of people; give it a provider id of its own."
    }
}
