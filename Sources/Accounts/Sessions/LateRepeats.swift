import Postgres
import Runtime

/// Distinguishes two holders of a refresh token who take turns from a client whose answers get lost.
///
/// A used token may come again at any time, since its answer may have been lost. But a repeat long after the first use is rare for one
/// client, while two holders who take turns cause one in every round. So late repeats are counted: for the token that was used last, and
/// over the last generations, one bit for each.
enum LateRepeats {
    /// A repeat later than this after the first use is late. An earlier one may come from a second tab, or from a client that asks again.
    static let threshold: Duration = .seconds(60)
    /// This many late repeats of one token mean two holders.
    static let mostOfOneToken = 5
    /// So do this many generations with a late repeat among the last `generations`.
    static let mostGenerations = 3
    static let generations = 10

    /// The part of a refresh that sets the counts in the session's row, and ends the session when it finds two holders.
    static func assignments(for token: RefreshToken, at now: Instant) -> SQL {
        let isFirstUse: SQL = "generation <= \(token.generation)"
        let isLate: SQL = "(generation = \(token.generation + 1) AND rotated_at < \(now - threshold))"
        let hasTwoHolders: SQL = """
            \(isLate) AND (late_repeats + 1 >= \(mostOfOneToken) OR bit_count((late_generations::int | 1)::bit(32)) >= \(mostGenerations))
            """
        return """
            late_repeats = CASE WHEN \(isFirstUse) THEN 0 WHEN \(isLate) THEN late_repeats + 1 ELSE late_repeats END,
            late_generations = CASE WHEN \(isFirstUse) THEN (late_generations::int << 1) & \(1 << generations - 1)
                WHEN \(isLate) THEN late_generations | 1::smallint ELSE late_generations END,
            ended_at = CASE WHEN \(hasTwoHolders) THEN \(now) END,
            end_reason = CASE WHEN \(hasTwoHolders) THEN 'two holders of its refresh token' END
            """
    }
}
