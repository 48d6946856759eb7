import Accounts
import ProjectSettings
import Runtime
import Text

/// The sign-ins of the 24 hours before a moment, counted from the log of sign-ins for a page.
struct SignInDay {
    static let step: Duration = .seconds(1800)
    static let pieces = 48

    /// The sign-ins by one way.
    struct Provider {
        let id: String
        var succeeded = 0
        /// Of these, the first ones of new accounts.
        var created = 0
        var refused = 0
    }

    let start: Instant
    /// The numbers for each piece of `step`, the oldest first.
    private(set) var succeeded = [Int](repeating: 0, count: pieces)
    private(set) var refused = [Int](repeating: 0, count: pieces)
    /// Those with the most sign-ins first.
    let providers: [Provider]
    /// The reasons of refusals with their numbers, the most frequent first. A refusal of another version may have none.
    let reasons: [(code: String?, count: Int)]

    static func read(_ log: SignInLogReader, in project: ProjectSettings, until end: Instant) async throws(AccountError) -> SignInDay {
        let start = end - step * pieces
        return SignInDay(try await log.counts(from: start, until: end, each: step, in: project.storageID), from: start)
    }

    init(_ counts: [SignInLogReader.Count], from start: Instant) {
        self.start = start
        var providers: [String: Provider] = [:]
        var reasons: [String?: Int] = [:]
        for count in counts {
            let piece = Int((count.start - start) / Self.step)
            guard (0..<Self.pieces).contains(piece) else { continue }
            var provider = providers[count.provider] ?? Provider(id: count.provider)
            switch SignInMetrics.Outcome(exactly: UTF8Text(count.outcome)) {
            case .signedIn, .linked, .created:
                succeeded[piece] += count.count
                provider.succeeded += count.count
                if count.outcome == SignInMetrics.Outcome.created.rawValue { provider.created += count.count }
            case .refused, .providerUnavailable:
                refused[piece] += count.count
                provider.refused += count.count
                reasons[count.code, default: 0] += count.count
            // The person goes on at the page, or another version wrote it.
            case .needsConfirmation, nil: break
            }
            providers[count.provider] = provider
        }
        self.providers = providers.values.sorted { ($1.succeeded + $1.refused, $0.id) < ($0.succeeded + $0.refused, $1.id) }
        self.reasons = reasons.map { (code: $0.key, count: $0.value) }.sorted { ($1.count, $0.code ?? "") < ($0.count, $1.code ?? "") }
    }

    /// Sign-ins a minute in the last piece, with one digit behind the point.
    var ratePerMinute: String {
        let tenths = (succeeded.last ?? 0) * 600 / Int(Self.step.components.seconds)
        return "\(tenths / 10).\(tenths % 10)"
    }
}
