import Postgres
import ProjectSettings
import Runtime

/// Watches how many of the codes that go to a region are entered there. Fraudsters who earn by messages have them sent to numbers of their own, and
/// never enter the codes: then nothing is sent to the region for an hour (SEC-23).
struct PhoneTraffic: Sendable {
    /// Hours over which messages are counted.
    private static let window: Int64 = 24
    /// With fewer messages, nothing can be said.
    private static let fewest: Int64 = 50
    /// In percent.
    private static let leastEntered: Int64 = 20
    private static let pause: Duration = .seconds(3600)

    let storage: Storage
    let refusals: Refusals

    /// The question for `check`: the messages since the last pause.
    func question(about region: String, in project: ProjectSettings, at now: Instant) -> SQL {
        """
        WITH recent AS (
            SELECT hour, sent, entered, paused_until FROM sms_counters
            WHERE project_id = \(project: project) AND region = \(region) AND hour > \(Self.hour(now) - Self.window)
        ), last AS (SELECT max(paused_until) AS until FROM recent)
        SELECT coalesce(sum(sent), 0)::bigint, coalesce(sum(entered), 0)::bigint, (SELECT until FROM last) FROM recent
        WHERE coalesce(hour >= floor(extract(epoch FROM (SELECT until FROM last)) / 3600), true)
        """
    }

    /// Throws `quotaExceeded` while the region pauses; begins a pause where too few codes were entered.
    func check(_ answer: [Row], of region: String, in project: ProjectSettings, at now: Instant) async throws(AccountError) {
        guard var row = answer.first?.reader() else { return }
        let (sent, entered): (Int64, Int64) = try reading { (try row.next(), try row.next()) }
        let until: Instant? = try reading { try row.next() }
        if let until, until > now { throw .quotaExceeded(.sendSMS) }
        guard project.phone.pausesRegions, sent >= Self.fewest, entered * 100 < sent * Self.leastEntered else { return }
        let rows = try await storage.write(
            """
            INSERT INTO sms_counters AS c (project_id, slot, hour, region, paused_until, expires_at)
            VALUES (\(project: project), \(Self.slot(region, now)), \(Self.hour(now)), \(region), \(now + Self.pause), \(Self.expiry(now)))
            ON CONFLICT (project_id, slot) DO UPDATE SET paused_until = excluded.paused_until
            WHERE c.paused_until IS NULL OR c.paused_until <= \(now) RETURNING 1::bigint
            """)
        // Of several processes, the one that began the pause tells of it.
        if !rows.isEmpty { refusals.notePause(of: region, sent: sent, entered: entered, in: project.id) }
        throw .quotaExceeded(.sendSMS)
    }

    func count(sent: Int, to region: String, in project: ProjectSettings, at now: Instant) -> SQL {
        count(sent: sent, entered: 0, region, in: project, at: now)
    }

    func count(entered: Int, from region: String, in project: ProjectSettings, at now: Instant) -> SQL {
        count(sent: 0, entered: entered, region, in: project, at: now)
    }

    private func count(sent: Int, entered: Int, _ region: String, in project: ProjectSettings, at now: Instant) -> SQL {
        """
        INSERT INTO sms_counters AS c (project_id, slot, hour, region, sent, entered, expires_at)
        VALUES (\(project: project), \(Self.slot(region, now)), \(Self.hour(now)), \(region), \(Int64(sent)), \(Int64(entered)), \(Self.expiry(now)))
        ON CONFLICT (project_id, slot) DO UPDATE SET sent = c.sent + excluded.sent, entered = c.entered + excluded.entered
        """
    }

    private static func slot(_ region: String, _ time: Instant) -> String { "\(hour(time)) \(region)" }
    private static func hour(_ time: Instant) -> Int64 { time.seconds / 3600 }
    private static func expiry(_ time: Instant) -> Instant { Instant(seconds: (hour(time) + window + 1) * 3600) }
}
