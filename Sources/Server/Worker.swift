import Accounts
import AuthPages
import Brokerage
package import Console
import Curl
import FoundationEssentials
import HTTPServer
import Messaging
import Migration
package import Postgres
import Projects
package import Runtime
package import Web

/// One loop with one of everything: database connections, outbound connections, a listener and the connections it accepts.
package struct Worker: Sendable {
    package let loop: Loop
    package let database: Database
    let client: HTTPClient
    package let services: Services
    /// The endpoints of the public listener.
    package let app: App
    let server: HTTPServer
    /// The endpoints of the console's listener; `nil` where the configuration has none.
    package let console: ConsoleListener?

    package init(index: Int, _ process: ProcessContext) throws {
        let settings = process.settings
        loop = try Loop(index: index)
        let database = Database(
            loop: loop, url: settings.database, settings: settings.databasePool, share: process.connectionShare,
            metrics: process.metrics, log: process.log)
        self.database = database
        process.registerPool(ofLoop: index)
        client = try HTTPClient(loop: loop, policy: settings.dialPolicy, metrics: process.metrics, log: process.log)
        let googleTokens = GoogleTokens(upstream: client, cache: process.providerMetadata, clock: process.clock)
        let googleAccounts = GoogleAccounts(upstream: client, shared: process.firebaseBridge, clock: process.clock)
        let accounts = Accounts(
            database: database, masterKey: settings.masterKey, clock: process.clock, publicURL: settings.publicURL,
            signingKeys: process.signingKeys, passwords: process.passwords, deliveries: process.deliveries(database),
            sendsMail: settings.mail != nil, refusals: process.refusals, signIns: process.signIns, formerTokens: googleTokens,
            formerSecondFactors: GoogleSecondFactors(
                tokens: googleTokens, upstream: client, shared: process.firebaseBridge, clock: process.clock),
            formerAccounts: JustInTimeImports.Source(googleAccounts, shared: process.justInTime), hooks: process.hooks(by: client),
            log: process.log)
        let brokerage = Brokerage(
            accounts: accounts, upstream: client, metadata: process.providerMetadata, metrics: process.metrics, clock: process.clock)
        let readiness = Readiness(database, settings.schema)
        services = Services(
            accounts: accounts, brokerage: brokerage,
            firebaseBridge: FirebaseBridge(
                accounts: accounts, tokens: googleTokens, upstream: client, shared: process.firebaseBridge, clock: process.clock),
            captcha: CaptchaCheck(accounts.captchaTokens, upstream: client, clock: process.clock, metrics: process.metrics),
            projects: process.projects, tenants: process.tenants,
            site: Site(publicURL: settings.publicURL, development: settings.development), metrics: process.metrics,
            clock: process.clock, log: process.log,
            readiness: readiness.verify, description: { try ServedCalls.description() })
        var handlers = ServedCalls.handlers(settings)
        let facts = Self.facts(process, client)
        if settings.development { handlers += Console(inDevelopmentAt: settings.publicURL, facts).handlers }
        if let sample = settings.sample { handlers += try SampleFiles(folder: sample).handlers }
        app = App(handlers, services: services)
        console = settings.console.map { [services] in ConsoleListener(Console($0.settings, facts), services: services) }
        server = HTTPServer(
            loop: loop, limits: settings.limits, trustedProxies: settings.trustedProxies, handler: app,
            metrics: process.metrics, log: process.log, accessLog: settings.accessLog ? process.output : nil,
            admission: process.admission)
    }

    /// The facts of the server that the console shows.
    private static func facts(_ process: ProcessContext, _ client: HTTPClient) -> ConsoleFacts {
        let (files, settings) = (process.files, process.settings)
        let mails = settings.mail.map {
            SampleMailSender(
                by: $0.transport(client, process.log), from: $0.sender, asksServer: settings.sendsBySMTP, clock: process.clock)
        }
        return ConsoleFacts(
            version: Version.text, schema: "\(settings.schema.newest)", development: settings.development, startedAt: process.startedAt,
            sampleMails: mails,
            serverFile: String(files.path.split(separator: "/").last ?? ""), serverSettings: { files.ofServer() },
            projectSettings: { files.ofProject(fileName: $0) })
    }

    /// The server of the operations listener. It has connections of its own, so that it answers when all connections of the API are taken.
    func operationsServer(_ process: ProcessContext, _ more: [Handler]) -> HTTPServer {
        var limits = ServerLimits()
        limits.connections = Descriptors.forOperations
        return HTTPServer(
            loop: loop, limits: limits, handler: App(Operations.front + Operations.handlers + more, services: services),
            metrics: process.metrics, log: process.log, accessLog: process.settings.accessLog ? process.output : nil,
            admission: process.operationsAdmission)
    }

    /// The server of the console's listener; `nil` where the configuration has no console.
    func consoleServer(_ process: ProcessContext) -> HTTPServer? {
        guard let console else { return nil }
        var limits = process.settings.limits
        limits.connections = Descriptors.forConsole
        return HTTPServer(
            loop: loop, limits: limits, trustedProxies: process.settings.trustedProxies,
            handler: console, metrics: process.metrics, log: process.log,
            accessLog: process.settings.accessLog ? process.output : nil, admission: process.consoleAdmission)
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
