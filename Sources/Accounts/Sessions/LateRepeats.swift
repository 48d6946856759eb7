import Postgres
import Runtime

/// Tells two holders of a refresh token who keep step from a client whose answers are lost.
///
/// A used token may come again at any time, for its answer may have been lost. But a repeat long after the first use is rare for one
/// client, and there is one in every round where two take turns. So late repeats are counted: of the token that was used last, and
/// over the last generations, one bit each.
enum LateRepeats {
    /// A repeat later than this after the first use is late; sooner, it may be two tabs or a client that asks again.
    static let threshold: Duration = .seconds(60)
    /// So many late repeats of one token mean two holders.
    static let mostOfOneToken = 5
    /// As do so many generations with a late repeat among the last `generations`.
    static let mostGenerations = 3
    static let generations = 10

    /// What the refresh with `token` sets in the session's row, which it ends when it finds two holders.
    static func count(of token: RefreshToken, at now: Instant) -> SQL {
        let isFirstUse: SQL = "generation <= \(token.generation)"
        let isLate: SQL = "(generation = \(token.generation + 1) AND rotated_at < \(now - threshold))"
        let kept = 1 << generations - 1
        return """
            late_repeats = CASE WHEN \(isFirstUse) THEN 0 WHEN \(isLate) THEN late_repeats + 1 ELSE late_repeats END,
            late_generations = CASE WHEN \(isFirstUse) THEN (late_generations::int << 1) & \(kept)
                WHEN \(isLate) THEN late_generations | 1::smallint ELSE late_generations END,
            ended_at = CASE WHEN \(isLate) AND (late_repeats + 1 >= \(mostOfOneToken)
                OR bit_count((late_generations::int | 1)::bit(32)) >= \(mostGenerations)) THEN \(now) END,
            end_reason = CASE WHEN \(isLate) AND (late_repeats + 1 >= \(mostOfOneToken)
                OR bit_count((late_generations::int | 1)::bit(32)) >= \(mostGenerations)) THEN 'two holders of its refresh token' END
            """
    }
}
