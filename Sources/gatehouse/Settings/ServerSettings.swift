import Accounts
import Config
import Crypto
import Curl
import FoundationEssentials
import HTTP
import HTTPServer
import Logging
import Postgres
import Runtime
import Text

/// `config/gatehouse.yaml`: the addresses of the server and what it may use. Projects have files of their own.
struct ServerSettings: Sendable {
    let listen: ListenAddress
    /// The listener for metrics, health and reload alone; `nil` where the API's listener answers those.
    let operations: ListenAddress?
    /// Scheme, host and port, without a slash at the end.
    let publicURL: String
    let database: Secret
    let databasePool: DatabaseSettings
    let masterKey: MasterKey
    /// Folders.
    let projects: String
    /// The migrations inside the binary, or, in development mode, those of a folder.
    let schema: Schema
    /// The folder of the sample page; development only.
    let sample: String?
    /// The number of event loops that serve requests, each with its own connections to the database.
    let loops: Int
    let trustedProxies: TrustedProxies
    let dialPolicy: DialPolicy
    /// `nil` when the configuration has no way to send mail.
    let mail: MailSettings?
    let limits: ServerLimits
    let passwordHashing: PasswordHashingSettings
    let development: Bool
    /// The project that every API key leads to; development only.
    let developmentProject: String?
    let accessLog: Bool
    /// The file that the log goes to; `nil` for standard error.
    let logPath: String?
    let logLevel: Logger.Level
    /// A digest of what the file says and of its secrets. A reload cannot change these, since sockets, connections and keys are made at
    /// start. Comments may change.
    let signature: [UInt8]

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
        if url == nil, !section.has("publicURL") { section.fault("publicURL", "is missing; the URL that browsers reach this server by") }
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
        developmentProject = section.string("developmentProject")
        if developmentProject != nil, !development { section.fault("developmentProject", "is only for development: true") }
        database = section.requiredSecret("database")
        do { _ = try ConnectionString(database) } catch {
            section.fault("database", "is not a connection URL such as postgresql://user@host/name")
        }
        if let reason = DatabaseURL.fault(of: database) { section.fault("database", reason) }
        databasePool = DatabaseSettings(section.section("databasePool"))
        let keyTexts = section.requiredSecrets("masterKey")
        masterKey = MasterKey(keyTexts, section)
        projects = section.path("projects", default: "projects")
        schema = Self.schema(section, development: development)
        sample = section.has("sample") ? section.path("sample", default: "") : nil
        if sample != nil, !development { section.fault("sample", "is only for development: true") }
        let loops = section.int("loops", default: 0, in: 0...256)
        self.loops = loops == 0 ? Machine.cores : loops
        trustedProxies = TrustedProxies(
            section.values("trustedProxies", expected: "an address range, such as 10.0.0.0/8") { CIDR($0) },
            header: section.choice("proxyHeader", default: .forwardedFor))
        AddressRanges.checkProxies(trustedProxies.addresses, "trustedProxies", section)
        if development, section.has("trustedProxies") {
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
            databaseConnections: databasePool.connections(loops: self.loops, withMail: mail != nil), limits)
        passwordHashing = PasswordHashingSettings(section.section("passwordHashing"), development: development)
        accessLog = section.bool("accessLog", default: true)
        let log = section.section("log")
        logPath = log.has("path") ? log.path("path", default: "") : nil
        log.finish()
        logLevel = section.choice("logLevel", default: Logger.Level.info)
        section.finish()
        signature = Digest.sha256(section.content)
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

extension MasterKey {
    /// The keys of `masterKey`: one key, or a list of which the first one seals.
    fileprivate init(_ texts: [Secret], _ section: Section) {
        var keys: [[UInt8]] = []
        for (index, text) in texts.enumerated() where !text.reveal().isEmpty {
            let name = texts.count == 1 ? "" : "key \(index + 1) of the list "
            do throws(MasterKey.TextFault) {
                let key = try MasterKey.bytes(of: text.reveal())
                if keys.contains(key) { section.fault("masterKey", name + "is listed twice; list each key once") }
                keys.append(key)
            } catch {
                section.fault("masterKey", name + error.message)
            }
        }
        // A replacement where the key is missing, which is a fault.
        self.init(bytes: keys.first ?? Random.bytes(32), others: Array(keys.dropFirst()))
    }
}

/// An address to listen on. It is never a name to resolve, so that the address that is checked is the one that is bound (SEC-22).
struct ListenAddress: Sendable, CustomStringConvertible {
    /// The form that error texts ask the operator to write.
    static let form = "an IP address (or localhost) and a port, such as 127.0.0.1:8080 or [::1]:8080"

    let host: Address
    let port: Int

    init(host: Address, port: Int) {
        self.host = host
        self.port = port
    }

    /// `127.0.0.1:8080`, `[::1]:8080`, or `localhost:8080`, which is 127.0.0.1 whatever a resolver says.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let address = host == "localhost" ? .loopback : isBracketed ? Address(host.dropFirst().dropLast()) : Address(host)
        guard let address, isBracketed ? host.contains(":") : !host.contains(":") else { return nil }
        self.init(host: address, port: Int(port))
    }

    var description: String { host.isV4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}

extension DatabaseSettings {
    init(_ section: Section) {
        self.init()
        readConnections = section.int("readConnections", default: readConnections, in: 1...64)
        writeConnections = section.int("writeConnections", default: writeConnections, in: 1...256)
        statementTimeout = section.duration("statementTimeout", default: statementTimeout, in: .seconds(1)...(.seconds(600)))
        patience = section.duration("wait", default: patience, in: .seconds(1)...(.seconds(600)))
        section.finish()
    }
}

extension ServerLimits {
    init(_ section: Section) {
        self.init()
        requestLine = section.int("requestLine", default: requestLine, in: 512...65536)
        headerBlock = section.int("headerBlock", default: headerBlock, in: 1024...262_144)
        headerCount = section.int("headerCount", default: headerCount, in: 8...1000)
        body = section.int("body", default: body, in: 1024...67_108_864)
        unfinished = section.int("unfinished", default: unfinished, in: 1_048_576...17_179_869_184)
        headerRead = section.duration("headerRead", default: headerRead, in: .seconds(1)...(.seconds(120)))
        bodyRead = section.duration("bodyRead", default: bodyRead, in: .seconds(1)...(.seconds(600)))
        idle = section.duration("idle", default: idle, in: .seconds(1)...(.seconds(3600)))
        connections = section.int("connections", default: connections, in: 1...1_000_000)
        connectionsPerAddress = section.int("connectionsPerAddress", default: connectionsPerAddress, in: 1...1_000_000)
        section.finish()
    }
}
