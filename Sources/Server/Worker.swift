import Accounts
import Brokerage
import Curl
import FoundationEssentials
import HTTPServer
package import Postgres
import Projects
package import Runtime
import SignIn
package import Web

/// One loop with one of everything: database connections, outbound connections, a listener and the connections it accepts.
package struct Worker: Sendable {
    package let loop: Loop
    package let database: Database
    let client: HTTPClient
    let services: Services
    /// The endpoints of the public listener.
    package let app: App
    let server: HTTPServer

    package init(index: Int, _ shared: Shared) throws {
        let settings = shared.settings
        loop = try Loop(index: index)
        let database = Database(
            loop: loop, url: settings.database, settings: settings.databasePool, share: shared.connectionShare,
            metrics: shared.metrics, log: shared.log)
        self.database = database
        shared.registerPool(ofLoop: index)
        client = try HTTPClient(loop: loop, policy: settings.dialPolicy, metrics: shared.metrics, log: shared.log)
        let accounts = Accounts(
            database: database, masterKey: settings.masterKey, clock: shared.clock, publicURL: settings.publicURL,
            signingKeys: shared.signingKeys, passwords: shared.passwords, deliveries: shared.deliveries(database),
            sendsMail: settings.mail != nil, refusals: shared.refusals, signIns: shared.signIns, log: shared.log)
        let brokerage = Brokerage(
            accounts: accounts, upstream: client, metadata: shared.providerMetadata, metrics: shared.metrics, clock: shared.clock)
        let readiness = Readiness(database, settings.schema)
        services = Services(
            accounts: accounts, brokerage: brokerage, projects: shared.projects,
            site: Site(publicURL: settings.publicURL, development: settings.development), metrics: shared.metrics,
            clock: shared.clock, log: shared.log,
            readiness: readiness.verify, description: { try ServedCalls.description() })
        var handlers = ServedCalls.handlers(settings)
        if let sample = settings.sample { handlers += try SampleFiles(folder: sample).handlers }
        app = App(handlers, services: services)
        server = HTTPServer(
            loop: loop, limits: settings.limits, trustedProxies: settings.trustedProxies, handler: app,
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
