import Crypto
import Postgres
package import ProjectSettings
package import Runtime

/// A limit of which a person has used up something: one that counts by their account, address, mailbox or number, whichever client tries.
package struct CountedLimit: Sendable, Equatable {
    package let action: LimitedAction
    package let scope: LimitScope
    package let rate: Rate
    /// When nothing is counted any more, if nothing more is tried.
    package let fullAt: Instant
    /// The time from which it lets one more attempt through; `nil` where it does now.
    package let refusesUntil: Instant?
}

extension CountedLimit {
    /// Reads a bucket that is full again at a time.
    init(_ charge: Attempt.Charge, fullAt: Instant, at now: Instant) {
        action = charge.action
        scope = charge.scope
        rate = charge.rate
        // As `Bucket.take` corrects it.
        let fullAt = fullAt > now + rate.span + Bucket.slack ? now + rate.span : fullAt
        self.fullAt = fullAt
        let next = fullAt + rate.interval - rate.span
        refusesUntil = next > now ? next : nil
    }
}

extension LimitedPerson {
    /// Selects the names of the person's buckets that are not full, and when they are.
    func counted(in project: ProjectSettings, at now: Instant) -> SQL {
        let names = charges(in: project).map { Hex.encode($0.key) }
        return """
            SELECT key, full_at FROM rate_limits WHERE project_id = \(project: project)
                AND key IN (SELECT decode(name, 'hex') FROM unnest(\(names)) AS name) AND full_at > \(now)
            """
    }

    /// The limits of rows of `counted`, in the order of the actions.
    func limits(_ rows: [Row], in project: ProjectSettings, at now: Instant) throws(PostgresError) -> [CountedLimit] {
        var times: [[UInt8]: Instant] = [:]
        for row in rows {
            var row = row.reader()
            let key: [UInt8] = try row.next()
            times[key] = try row.next()
        }
        return charges(in: project).compactMap { charge in times[charge.key].map { CountedLimit(charge, fullAt: $0, at: now) } }
    }
}
