import AuthPages
package import Console
import Curl
import FoundationEssentials
import HTTPServer
import Messaging
package import Postgres
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
    /// The endpoints of the console's listener; `nil` on the loops that do not serve it, and where the configuration has none.
    package let console: ConsoleListener?
    /// The connections that the console's listener has for itself, so that pages of operators take none from sign-ins, and are there when sign-ins have
    /// taken all of theirs.
    package let consoleDatabase: Database?

    /// The loop that serves the console. One is enough for operators, and keeps the connections few.
    private static let loopOfConsole = 0
    /// How long the console waits for the answer whether requests can be served.
    private static let patienceOfConsole: Duration = .seconds(1)

    package init(index: Int, _ process: ProcessContext) throws {
        let settings = process.settings
        loop = try Loop(index: index)
        let database = Database(
            loop: loop, url: settings.database, settings: settings.databasePool, share: process.connectionShare,
            metrics: process.metrics, log: process.log)
        self.database = database
        process.registerPool(settings.databasePool, ofLoop: index)
        client = try HTTPClient(loop: loop, policy: settings.dialPolicy, metrics: process.metrics, log: process.log)
        let readiness = Readiness(database, settings.schema)
        services = process.services(on: database, client, readiness: readiness.verify)
        var handlers = ServedCalls.handlers(settings)
        let facts = Self.facts(process, client)
        if settings.development { handlers += Console(inDevelopmentAt: settings.publicURL, facts).handlers }
        if let sample = settings.sample { handlers += try SampleFiles(folder: sample).handlers }
        app = App(handlers, services: services)
        if let own = settings.console, index == Self.loopOfConsole {
            let pool = settings.databasePool.ofConsole
            let database = Database(
                loop: loop, url: settings.database, settings: pool, share: process.connectionShare, metrics: process.metrics,
                log: process.log)
            process.registerPool(pool, ofLoop: index)
            // The question is about the connections that sign-ins use: an operator wants to know how those are.
            let services = process.services(on: database, client) { try await readiness.verify(within: Self.patienceOfConsole) }
            console = ConsoleListener(Console(own.settings, facts), services: services)
            consoleDatabase = database
        } else {
            (console, consoleDatabase) = (nil, nil)
        }
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

    /// Closes its connections to the database, behind the last request.
    func closeDatabases() async {
        await database.close()
        await consoleDatabase?.close()
    }

    /// The server of the console's listener; `nil` on the loops that do not serve it.
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
