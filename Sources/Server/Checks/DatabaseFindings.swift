package import Postgres
import Runtime

/// Faults of the database that an operator must fix, by its own words: the start logs them, `check --live` and `doctor` print them.
package enum DatabaseFindings {
    /// With more difference than this, expiry times and rate limits of two machines do not fit together.
    static let mostDifference: Duration = .seconds(5)

    package static func findings(_ facts: StartupFacts, _ settings: ServerSettings) -> [Finding] {
        [clock(facts), connections(facts, settings)].compactMap { $0 }
    }

    private static func clock(_ facts: StartupFacts) -> Finding? {
        let difference = facts.clockDifference
        guard difference > mostDifference || difference < .zero - mostDifference else { return nil }
        let direction = difference > .zero ? "ahead of" : "behind"
        return .fault(
            "database.clock", "The database's clock is \(abs(difference.wholeSeconds)) s \(direction) this machine's",
            "synchronize both (NTP)")
    }

    private static func connections(_ facts: StartupFacts, _ settings: ServerSettings) -> Finding? {
        let wanted = settings.databaseConnections
        guard wanted > facts.connections else { return nil }
        let others =
            settings.console == nil
            ? "and \(DeliveryLoop.databaseConnections) for deliveries"
            : "\(DeliveryLoop.databaseConnections) for deliveries, and \(DatabaseSettings.connectionsOfConsole) for the console"
        return .fault(
            "database.connections",
            "This process may open \(wanted) connections to the database (readConnections + writeConnections, for each of "
                + "\(settings.loops) loops, \(others)), and \(facts.limit) allows \(facts.connections)",
            "raise that, or lower databasePool or loops")
    }
}
