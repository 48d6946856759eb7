import Accounts
import Crypto
import Curl
import HTTP
import HTTPServer
import Logging
import Postgres
import Runtime
import Testing

@testable import Server

/// `gatehouse.yaml`: what it says, and what is wrong with it.
@Suite struct ServerSettingsTests {
    @Test func `has safe defaults where the file says nothing`() throws {
        let (settings, faults, notes) = try WrittenConfiguration().settings()
        #expect(faults == [] && notes == [])
        #expect(settings.listen.description == "127.0.0.1:8080" && settings.operations == nil)
        #expect(settings.publicURL == "https://auth.example.com")
        #expect(settings.database.reveal() == "postgresql://gatehouse@db.internal/gatehouse")
        #expect(!settings.development && settings.developmentProject == nil && settings.sample == nil && settings.mail == nil)
        #expect(settings.loops == Machine.cores && settings.passwordHashing.threads == Machine.cores)
        #expect(settings.trustedProxies.addresses.isEmpty && settings.trustedProxies.header == .forwardedFor)
        #expect(settings.passwordHashing.scrypt == ScryptParameters() && settings.passwordHashing.queue == 64)
        #expect(settings.retention == Retention() && settings.erasures == nil)
        #expect(settings.accessLog && settings.logPath == nil && settings.logLevel == .info)
        #expect(settings.limits.body == ServerLimits().body && settings.databasePool.readConnections == DatabaseSettings().readConnections)
        #expect(settings.databaseConnections == settings.databasePool.connections(loops: settings.loops, console: false))
    }

    @Test func `the console has two connections more, whose statements are short`() throws {
        let written = try WrittenConfiguration(
            "loops: 3\nconsole: {listen: 127.0.0.1:8081, publicURL: https://console.example.com}\ndatabasePool: {wait: 60s}")
        let (settings, faults, _) = written.settings()
        #expect(faults == [])
        #expect(settings.databaseConnections == settings.databasePool.connections(loops: 3, console: false) + 2)
        let pool = settings.databasePool.ofConsole
        #expect(pool.readConnections == 1 && pool.writeConnections == 1 && pool.poolName == "console")
        #expect(pool.statementTimeout == .seconds(2) && pool.patience == .seconds(5))
    }

    @Test func `reads every key`() throws {
        let written = try WrittenConfiguration(
            """
            listen: "[::1]:9000"
            operations: {listen: 127.0.0.1:9001}
            databasePool: {readConnections: 2, writeConnections: 5, statementTimeout: 3s, wait: 4s}
            loops: 3
            trustedProxies: [10.0.0.1/32, 10.0.0.0/24]
            proxyHeader: forwarded
            outbound: {allow: [10.1.2.0/24]}
            limits: {requestLine: 600, headerBlock: 2048, headerCount: 9, body: 2048, unfinished: 1048576, headerRead: 1s, bodyRead: 2s,
              idle: 3s, connections: 77, connectionsPerAddress: 11}
            passwordHashing: {scrypt: {cost: 15, blockSize: 9, parallelization: 2}, threads: 1, queue: 7}
            audit: {keep: 2d}
            retention: {signIns: 3d, addresses: 4d}
            erasures: {path: erasures.jsonl}
            accessLog: false
            log: {path: logs/gatehouse.log}
            logLevel: warning
            """)
        let (settings, faults, _) = written.settings()
        #expect(faults == [])
        #expect(settings.listen.description == "[::1]:9000" && settings.operations?.description == "127.0.0.1:9001")
        #expect(settings.databasePool.readConnections == 2 && settings.databasePool.writeConnections == 5)
        #expect(settings.databasePool.statementTimeout == .seconds(3) && settings.databasePool.patience == .seconds(4))
        // Those of three loops, and those for deliveries.
        #expect(settings.loops == 3 && settings.databaseConnections == 21 + DeliveryLoop.databaseConnections)
        #expect(settings.trustedProxies.addresses.map(\.description) == ["10.0.0.1/32", "10.0.0.0/24"])
        #expect(settings.trustedProxies.header == .forwarded)
        let limits = settings.limits
        #expect(
            [limits.requestLine, limits.headerBlock, limits.headerCount, limits.body, limits.unfinished] == [600, 2048, 9, 2048, 1_048_576])
        #expect([limits.headerRead, limits.bodyRead, limits.idle] == [.seconds(1), .seconds(2), .seconds(3)])
        #expect([limits.connections, limits.connectionsPerAddress] == [77, 11])
        #expect(settings.passwordHashing.scrypt == ScryptParameters(log2N: 15, blockSize: 9, parallelization: 2))
        #expect([settings.passwordHashing.threads, settings.passwordHashing.queue] == [1, 7])
        #expect(settings.retention.audit == .seconds(2 * 86400) && settings.retention.signIns == .seconds(3 * 86400))
        #expect(settings.retention.addresses == .seconds(4 * 86400) && settings.erasures?.hasSuffix("/erasures.jsonl") == true)
        #expect(!settings.accessLog && settings.logPath?.hasSuffix("/logs/gatehouse.log") == true && settings.logLevel == .warning)
    }

    /// A line of the file, and its one fault.
    @Test(
        arguments: [
            ("listen: example.com:80", "listen: expected an IP address (or localhost) and a port"),
            ("operations: {listen: 127.0.0.1:8080}", "operations.listen: needs a port of its own; 127.0.0.1:8080 is the API's"),
            ("operations: {listn: 127.0.0.1:9090}", "operations.listn: unknown key; did you mean \"listen\"?"),
            ("publicUrl: https://auth.example.com", "publicUrl: unknown key; did you mean \"publicURL\"?"),
            ("developmentProject: demo", "developmentProject: is only for development: true"),
            ("sample: sample", "sample: is only for development: true"),
            ("migrations: Migrations", "migrations: is only for development: true: the binary has its migrations inside"),
            ("proxyHeader: x-real-ip", "proxyHeader: expected one of: x-forwarded-for, forwarded"),
            ("trustedProxies: [proxy.internal]", "trustedProxies[0]: expected an address range"),
            ("loops: 257", "loops: expected a whole number from 0 to 256"),
            ("audit: {keep: 1h}", "audit.keep: expected a time from 1d to 3650d"),
            ("limits: {connections: 0}", "limits.connections: expected a whole number from 1 to 1000000"),
            ("limits: {headers: 5}", "limits.headers: unknown key"),
            ("databasePool: {wait: 0s}", "databasePool.wait: expected a time from 1s"),
            ("passwordHashing: {scrypt: {cost: 13}}", "passwordHashing.scrypt.cost: expected a whole number from 14 to 20"),
            ("passwordHashing: {scrypt: {cost: 20, blockSize: 32}}", "passwordHashing.scrypt.cost: takes 4096 MiB for each hash"),
            ("logLevel: loud", "logLevel: expected one of: trace, debug"),
        ])
    func `says at its place what is wrong`(line: String, fault: String) throws {
        let (_, faults, _) = try WrittenConfiguration(line).settings()
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("gatehouse.yaml:5:") == true && faults.first?.contains("  \(fault)") == true, "\(faults)")
    }

    @Test(
        arguments: [
            ("http://auth.example.com", "must be https; plain http is only for development: true"),
            ("https://auth.example.com/path", "expected the URL that browsers reach this server by"),
            ("https://auth.example.com?a=b", "expected the URL that browsers reach this server by"),
            ("auth.example.com", "expected the URL that browsers reach this server by"),
        ])
    func `SEC-07 needs the URL of its own host, over https`(url: String, fault: String) throws {
        let (_, faults, _) = try WrittenConfiguration(publicURL: url).settings()
        #expect(faults.count == 1 && faults.first?.contains("publicURL: \(fault)") == true, "\(faults)")
    }

    @Test func `takes the URL without its last slash and in its plain spelling`() throws {
        #expect(
            try WrittenConfiguration(publicURL: "https://AUTH.example.com:443/").settings().settings.publicURL == "https://auth.example.com"
        )
    }

    @Test(
        arguments: [
            ("", "https://localhost:8080", nil), ("developmentProject: demo", "http://auth.localhost:8080", nil),
            ("listen: localhost:8080", "http://[::1]:8080", nil),
            ("", "http://auth.example.com", "publicURL: auth.example.com is not a name of this machine"),
            ("listen: 0.0.0.0:8080", "http://localhost:8080", "development: needs a loopback address to listen on, and 0.0.0.0 is not one"),
            ("trustedProxies: [127.0.0.1/32]", "http://localhost:8080", "trustedProxies: must be empty with development: true"),
        ] as [(String, String, String?)])
    func `SEC-22 is in development mode on this machine alone`(line: String, url: String, fault: String?) throws {
        let (settings, faults, _) = try WrittenConfiguration("development: true\n" + line, publicURL: url).settings()
        #expect(settings.development && settings.mail != nil)
        #expect(faults.count == (fault == nil ? 0 : 1) && fault.map { faults[0].contains($0) } != false, "\(faults)")
    }

    @Test func `lets hashes be cheap in development mode`() throws {
        let cheap = "passwordHashing: {scrypt: {cost: 4, blockSize: 1}}"
        let (settings, faults, _) = try WrittenConfiguration("development: true\n" + cheap, publicURL: "http://localhost").settings()
        #expect(faults == [] && settings.passwordHashing.scrypt == ScryptParameters(log2N: 4, blockSize: 1, parallelization: 1))
        #expect(try WrittenConfiguration(cheap).settings().faults.count == 2)
    }

    @Test(
        arguments: [
            ("", "the environment variable MASTER_KEY is not set"), ("a passphrase", "is not 32 bytes as base64 or hex"),
            (String(repeating: "A", count: 43) + "=", "repeats the same few bytes"),
            (String(repeating: "0", count: 64), "repeats the same few bytes"),
            (String(repeating: "A", count: 43), "repeats the same few bytes"),
            (String(repeating: "0123456789abcdef", count: 4), "repeats the same few bytes"),
            (String(repeating: "１２３４５６７８９０ａｂｃｄｅｆ", count: 4), "is not 32 bytes as base64 or hex"),
        ])
    func `SEC-21 refuses a master key that is missing or can be guessed`(key: String, fault: String) throws {
        let written = try WrittenConfiguration()
        written.environment["MASTER_KEY"] = key.isEmpty ? nil : key
        let faults = written.settings().faults
        #expect(faults.count == 1 && faults.first?.hasPrefix("gatehouse.yaml:3:") == true)
        #expect(faults.first?.contains("masterKey: \(fault)") == true, "\(faults)")
        #expect(key.isEmpty || faults.first?.contains(key) == false, "no part of a secret stands in a fault")
    }

    @Test func `changes its fingerprint with what it says and with its secrets, and not with comments`() throws {
        let written = try WrittenConfiguration("loops: 2\naccessLog: false")
        let other = try WrittenConfiguration("# a comment\naccessLog:    false\nloops: 2 # two")
        // Its folder is another one, too.
        #expect(written.settings().settings.fingerprint != other.settings().settings.fingerprint)
        let same = try written.copied("# a comment\naccessLog:    false\nloops: 2 # two")
        #expect(written.settings().settings.fingerprint == same.settings().settings.fingerprint)
        #expect(try written.copied("loops: 3\naccessLog: false").settings().settings.fingerprint != same.settings().settings.fingerprint)
        same.environment["MASTER_KEY"] = String(WrittenConfiguration.key.reversed())
        #expect(written.settings().settings.fingerprint != same.settings().settings.fingerprint)
    }

    @Test func `notes that strangers can read metrics and health where the listener for them is not on loopback`() throws {
        func note(_ lines: String) throws -> String? { OperationsNotes.of(try WrittenConfiguration(lines).settings().settings) }
        #expect(try note("") == nil && note("listen: 0.0.0.0:80\noperations: {listen: 127.0.0.1:9090}") == nil)
        #expect(
            try note("listen: 0.0.0.0:80")?.hasSuffix(
                "which is not loopback: set operations.listen to an address that only your own machines reach") == true)
        #expect(try note("operations: {listen: 10.0.0.1:9090}")?.hasPrefix("/metrics and /health answer on 10.0.0.1:9090") == true)
    }
}
