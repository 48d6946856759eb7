import Logging
import Postgres
import Runtime

/// What `gatehouse check --live` asks the database.
enum LiveDatabase {
    /// Beyond this, tokens and limits of two machines do not fit together.
    private static let mostDifference: Duration = .seconds(5)

    /// What an operator must mend, in sentences; empty when all is well.
    static func diagnose(_ settings: ServerSettings, _ loop: Loop) async -> [String] {
        let database = Database(
            loop: loop, url: settings.database, settings: settings.databasePool, metrics: Metrics(), log: Logger(label: "gatehouse"))
        let findings: [String]
        do {
            let survey = try await database.survey(.system)
            findings = [clock(survey), connections(survey, settings)].compactMap { $0 }
        } catch {
            findings = ["\(error)"]
        }
        await database.close()
        return findings
    }

    private static func clock(_ survey: Survey) -> String? {
        let difference = survey.clockDifference
        guard difference > mostDifference || difference < .zero - mostDifference else { return nil }
        let direction = difference > .zero ? "ahead of" : "behind"
        return "Its clock is \(abs(difference.wholeSeconds)) s \(direction) this machine's; synchronize both (NTP)."
    }

    private static func connections(_ survey: Survey, _ settings: ServerSettings) -> String? {
        let loops = settings.loops == 0 ? Machine.cores : settings.loops
        let pool = settings.databasePool
        let wanted = (pool.readConnections + pool.writeConnections) * loops
        guard wanted > survey.connections else { return nil }
        return "This process may open \(wanted) connections (readConnections + writeConnections, for each of \(loops) loops), and "
            + "\(survey.limit) allows \(survey.connections); raise that, or lower databasePool or loops."
    }
}
