import Config
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
    func connections(loops: Int, withMail: Bool) -> Int {
        (readConnections + writeConnections) * loops + (withMail ? MailDelivery.databaseConnections : 0)
    }
}

extension ServerSettings {
    var databaseConnections: Int { databasePool.connections(loops: loops, withMail: mail != nil) }
}
