package import Accounts
import Config
package import Console
import Crypto
package import Curl
package import HTTP
package import HTTPServer
package import Logging
package import Postgres
package import Runtime

/// `config/gatehouse.yaml`: the addresses of the server and what it may use. Projects have files of their own.
package struct ServerSettings: Sendable {
    package let listen: ListenAddress
    /// The listener for metrics, health and reload alone; `nil` where the API's listener answers those.
    package let operations: ListenAddress?
    /// The listener for the console, and who its operators are; `nil` where there is none.
    package let console: (listen: ListenAddress, settings: ConsoleSettings)?
    /// Scheme, host and port, without a slash at the end.
    package let publicURL: String
    package let database: Secret
    package let databasePool: DatabaseSettings
    package let masterKey: MasterKey
    /// Folders.
    package let projects: String
    /// The migrations inside the binary, or, in development mode, those of a folder.
    package let schema: Schema
    /// The folder of the sample page; development only.
    package let sample: String?
    /// The number of event loops that serve requests, each with its own connections to the database.
    package let loops: Int
    package let trustedProxies: TrustedProxies
    package let dialPolicy: DialPolicy
    /// `nil` when the configuration has no way to send mail.
    package let mail: MailSettings?
    package let limits: ServerLimits
    package let passwordHashing: PasswordHashingSettings
    package let retention: Retention
    /// The file that notes who was erased; `nil` for none.
    package let erasures: String?
    package let development: Bool
    /// The project that every API key leads to; development only.
    package let developmentProject: String?
    package let accessLog: Bool
    /// The file that the log goes to; `nil` for standard error.
    package let logPath: String?
    package let logLevel: Logger.Level
    /// A digest of what the file says and of its secrets. A reload cannot change these, since sockets, connections and keys are made at
    /// start. Comments may change.
    package let fingerprint: [UInt8]

    init(_ section: Section) {
        let listen = section.value("listen", expected: ListenAddress.form, ListenAddress.init)
        self.listen = listen ?? ListenAddress(host: .loopback, port: 8080)
        let operations = section.section("operations")
        self.operations = operations.value("listen", expected: ListenAddress.form, ListenAddress.init)
        if let own = self.operations, own.port == self.listen.port {
            operations.fault("listen", "needs a port of its own; \(self.listen) is the API's")
        }
        operations.finish()
        development = section.bool("development", default: false)
        let url = section.value(
            "publicURL", expected: "the URL that browsers reach this server by, such as https://auth.example.com", Self.site)
        publicURL = url ?? ""
        section.require("publicURL", "the URL that browsers reach this server by")
        if let url, url.hasPrefix("http:"), !development {
            section.fault("publicURL", "must be https; plain http is only for development: true")
        }
        if development, let host = url.flatMap(URI.parse)?.host, !ThisMachine.isLoopback(host: host) {
            section.fault(
                "publicURL", "\(host) is not a name of this machine, such as localhost; development: true is only for this machine")
        }
        if development, !self.listen.host.isLoopback {
            section.fault("development", "needs a loopback address to listen on, and \(self.listen.host) is not one")
        }
        console =
            section.has("console")
            ? Self.console(
                section.section("console"), besides: [self.listen, self.operations], apiURL: publicURL, development: development)
            : nil
        developmentProject = section.string("developmentProject")
        if developmentProject != nil, !development { section.fault("developmentProject", "is only for development: true") }
        database = section.requiredSecret("database")
        do { _ = try ConnectionString(database) } catch {
            section.fault(
                "database", "is not a connection URL such as postgresql://user@host/name, or has a parameter that libpq does not know")
        }
        if let reason = DatabaseURL.fault(of: database) { section.fault("database", reason) }
        var databasePool = DatabaseSettings(section.section("databasePool"))
        let keyTexts = section.requiredSecrets("masterKey")
        masterKey = MasterKey(keyTexts, section)
        projects = section.path("projects", default: "projects")
        schema = Self.schema(section, development: development)
        databasePool.newestMigration = schema.newest
        self.databasePool = databasePool
        sample = section.has("sample") ? section.path("sample", default: "") : nil
        if sample != nil, !development { section.fault("sample", "is only for development: true") }
        let loops = section.int("loops", default: 0, in: 0...256)
        self.loops = loops == 0 ? Machine.cores : loops
        trustedProxies = TrustedProxies(
            section.values("trustedProxies", expected: "an address range, such as 10.0.0.0/8") { CIDR($0) },
            header: section.choice("proxyHeader", default: .forwardedFor))
        AddressRanges.checkProxies(trustedProxies.addresses, "trustedProxies", section)
        if development, !section.isEmpty("trustedProxies") {
            section.fault("trustedProxies", "must be empty with development: true, since no proxy may make such a server reachable")
        }
        let outbound = section.section("outbound")
        let dialled = outbound.values("allow", expected: "an address range, such as 10.1.2.0/24") { CIDR($0) }
        AddressRanges.checkDialled(dialled, "allow", outbound)
        dialPolicy = DialPolicy.allowing(dialled)
        outbound.finish()
        let post = section.section("mail")
        mail =
            section.has("mail")
            ? MailSettings.read(post, publicURL: publicURL, development: development) : development ? .development : nil
        let limits = section.section("limits")
        self.limits = Descriptors.fit(
            ServerLimits(limits), loops: self.loops + 1,
            databaseConnections: databasePool.connections(loops: self.loops, console: console != nil), limits)
        passwordHashing = PasswordHashingSettings(section.section("passwordHashing"), development: development)
        retention = Retention(section.section("retention"), audit: section.section("audit"))
        let erasures = section.section("erasures")
        self.erasures = erasures.has("path") ? erasures.path("path", default: "") : nil
        erasures.finish()
        accessLog = section.bool("accessLog", default: true)
        let log = section.section("log")
        logPath = log.has("path") ? log.path("path", default: "") : nil
        log.finish()
        logLevel = section.choice("logLevel", default: Logger.Level.info)
        section.finish()
        fingerprint = Digest.sha256(section.content)
    }

    /// - Parameter others: the addresses of the other listeners.
    private static func console(
        _ section: Section, besides others: [ListenAddress?], apiURL: String, development: Bool
    ) -> (listen: ListenAddress, settings: ConsoleSettings)? {
        let listen = section.value("listen", expected: ListenAddress.form, ListenAddress.init)
        section.require("listen", "the address of the console's own listener, such as 127.0.0.1:8081")
        if let listen, others.contains(where: { $0?.port == listen.port }) {
            section.fault("listen", "needs a port of its own; \(listen.port) is another listener's")
        }
        if let listen, development, !listen.host.isLoopback {
            section.fault("listen", "must be a loopback address with development: true, and \(listen.host) is not one")
        }
        let settings = ConsoleSettings(section, apiURL: apiURL, development: development)
        return listen.map { ($0, settings) }
    }

    private static func schema(_ section: Section, development: Bool) -> Schema {
        do {
            guard section.has("migrations") else { return try Schema.embedded() }
            let folder = section.path("migrations", default: "")
            if development { return try Schema(folder: folder) }
            section.fault("migrations", "is only for development: true: the binary has its migrations inside; delete this line")
            return try Schema.embedded()
        } catch {
            section.fault("migrations", String("\(error)".trimmingPrefix("migrations: ")))
            return Schema.none
        }
    }

    private static func site(_ text: String) -> String? {
        guard let uri = URI.parse(text), uri.path.isEmpty || uri.path == "/", uri.query == nil, uri.fragment == nil else { return nil }
        return uri.origin
    }
}
