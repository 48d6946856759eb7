package import Postgres
import Runtime

/// Sentences about the database that tell an operator what to fix: the start logs them, and `check --live` prints them.
package enum DatabaseFindings {
    /// With more difference than this, expiry times and rate limits of two machines do not fit together.
    private static let mostDifference: Duration = .seconds(5)

    package static func sentences(_ survey: Survey, _ settings: ServerSettings) -> [String] {
        [clock(survey), connections(survey, settings)].compactMap { $0 }
    }

    private static func clock(_ survey: Survey) -> String? {
        let difference = survey.clockDifference
        guard difference > mostDifference || difference < .zero - mostDifference else { return nil }
        let direction = difference > .zero ? "ahead of" : "behind"
        return "The database's clock is \(abs(difference.wholeSeconds)) s \(direction) this machine's; synchronize both (NTP)."
    }

    private static func connections(_ survey: Survey, _ settings: ServerSettings) -> String? {
        let wanted = settings.databaseConnections
        guard wanted > survey.connections else { return nil }
        let mail = settings.mail == nil ? "" : ", and \(MailDelivery.databaseConnections) for mail"
        return "This process may open \(wanted) connections to the database (readConnections + writeConnections, for each of "
            + "\(settings.loops) loops\(mail)), and \(survey.limit) allows \(survey.connections); raise that, or lower databasePool or "
            + "loops."
    }
}
