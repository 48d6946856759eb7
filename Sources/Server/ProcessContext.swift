package import Accounts
import Crypto
import Curl
import HTTPServer
import Hooks
package import Logging
import Migration
import Postgres
package import Projects
import Providers
package import Runtime
import Web

/// The parts that all loops of the process share. Each is immutable, or behind a lock that is only held for a short time.
package struct ProcessContext: Sendable {
    let settings: ServerSettings
    let files: ConfigurationFiles
    package let projects: ProjectDirectory
    let tenants: TenantDirectory
    let tenantCache: TenantCache
    package let signingKeys: SigningKeys
    /// Its threads serve all loops. Their number follows the cores, not the loops.
    let hashing: HashingPool
    let passwords: PasswordHashing
    let providerMetadata: MetadataCache
    let firebaseBridge: FirebaseBridge.Shared
    let justInTime: JustInTimeImports.Shared
    let hookTraffic: HookTraffic
    /// Counts connections, so that the limits on them hold for the whole process.
    let admission = Admission()
    let operationsAdmission = Admission()
    let consoleAdmission = Admission()
    /// Lets the loops take database connections from one another where there are too few.
    let connectionShare = ConnectionShare()
    /// Wakes the delivery worker when there is something to deliver.
    let deliverySignal = WakeSignal<DeliveryQueue>()
    let output: LogOutput
    let metrics: Metrics
    let signIns: SignInLog
    let projectMetrics: ProjectMetrics
    let refusals: Refusals
    let clock: Clock
    let startedAt: Instant
    let log: Logger

    package init(_ configuration: Configuration, output: LogOutput, clock: Clock, log: Logger) {
        settings = configuration.server
        files = configuration.files
        self.output = output
        projects = ProjectDirectory(Projects(configuration.projects, anyKey: settings.developmentProject))
        tenants = TenantDirectory(projects, log: log)
        tenantCache = configuration.tenantCache
        signingKeys = SigningKeys()
        providerMetadata = MetadataCache()
        metrics = Metrics()
        firebaseBridge = FirebaseBridge.Shared(metrics: metrics, clock: clock)
        justInTime = JustInTimeImports.Shared(metrics: metrics)
        hookTraffic = HookTraffic(metrics: metrics)
        hashing = HashingPool(threads: settings.passwordHashing.threads, queue: settings.passwordHashing.queue, metrics: metrics)
        passwords = PasswordHashing(pool: hashing, parameters: settings.passwordHashing.scrypt)
        let counts = SignInMetrics(metrics)
        signIns = SignInLog(counts, metrics: metrics)
        projectMetrics = ProjectMetrics(metrics, signIns: counts, directory: projects)
        refusals = Refusals(metrics: metrics, log: log)
        self.clock = clock
        startedAt = clock.now()
        self.log = log
        output.count(in: metrics)
        registerMetrics()
        projectMetrics.begin()
    }
}

extension ProcessContext {
    /// Calls hooks by a loop's client.
    func hooks(by upstream: any Upstream) -> HookCalls {
        HookCalls(
            upstream: upstream, tokens: HookTokens(clock: clock, signingKeys: signingKeys, publicURL: settings.publicURL),
            traffic: hookTraffic, clock: clock, log: log)
    }

    /// The deliveries on a loop's database. All of them wake the same delivery worker.
    func deliveries(_ database: Database) -> Deliveries {
        Deliveries(
            database: database, masterKey: settings.masterKey, clock: clock, wakeSignal: deliverySignal,
            keepsDelivered: settings.development)
    }
}
