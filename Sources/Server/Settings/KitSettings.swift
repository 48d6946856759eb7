import Accounts
import Config
import HTTPServer
import Postgres

extension DatabaseSettings {
    init(_ section: Section) {
        self.init()
        readConnections = section.int("readConnections", default: readConnections, in: 1...64)
        writeConnections = section.int("writeConnections", default: writeConnections, in: 1...256)
        statementTimeout = section.duration("statementTimeout", default: statementTimeout, in: .seconds(1)...(.seconds(600)))
        patience = section.duration("wait", default: patience, in: .seconds(1)...(.seconds(600)))
        section.finish()
    }

    /// The most connections to the database that one process opens, except for a probe now and then.
    ///
    /// - Parameter console: whether the console has a listener of its own.
    func connections(loops: Int, console: Bool) -> Int {
        (readConnections + writeConnections) * loops + DeliveryLoop.databaseConnections + (console ? Self.connectionsOfConsole : 0)
    }

    static let connectionsOfConsole = DatabaseSettings().ofConsole.readConnections + DatabaseSettings().ofConsole.writeConnections

    /// Those of the console's own connections: one for reads and one for writes. No page of an operator waits for long, whatever calls may do: a statement
    /// takes two seconds at most, and waits 0.4 seconds for what others have locked. It waits five seconds for its connection, since another page may have
    /// two statements.
    var ofConsole: DatabaseSettings {
        var own = self
        (own.readConnections, own.writeConnections) = (1, 1)
        own.statementTimeout = min(statementTimeout, .seconds(2))
        own.patience = min(patience, .seconds(5))
        own.poolName = "console"
        return own
    }
}

extension Retention {
    private static let days: ClosedRange<Duration> = .seconds(86400)...(.seconds(3650 * 86400))

    /// - Parameter events: the section `audit`, which is older than `retention`.
    init(_ section: Section, audit events: Section) {
        self.init()
        audit = events.duration("keep", default: audit, in: Self.days)
        events.finish()
        signIns = section.duration("signIns", default: signIns, in: Self.days)
        addresses = section.duration("addresses", default: addresses, in: Self.days)
        section.finish()
    }
}

extension ServerSettings {
    var databaseConnections: Int { databasePool.connections(loops: loops, console: console != nil) }
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
