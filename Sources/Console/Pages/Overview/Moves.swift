import Pages
import ProjectSettings
import Runtime
import Text

/// The people who still come from the Firebase project that they leave, as this process has counted them: the operator sees when all have come.
struct Moves {
    /// The metrics, with the word for each of their outcomes.
    private static let metrics: [(name: String, words: [String: String])] = [
        (
            "gatehouse_migration_exchanges_total",
            [
                "exchanged": "sessionExchanged", "repeated": "sessionRepeated", "refused": "sessionRefused", "limited": "sessionLimited",
                "unavailable": "sessionUnavailable", "misconfigured": "sessionMisconfigured",
            ]
        ),
        (
            "gatehouse_migration_imports_total",
            [
                "imported": "personImported", "unknown": "personUnknown", "deletedHere": "personDeletedHere", "refused": "personRefused",
                "limited": "personLimited", "unavailable": "personUnavailable",
            ]
        ),
    ]

    /// The outcomes that there were, those of one metric together, the most frequent first.
    let rows: [[String: TemplateValue]]

    init(_ metrics: Metrics, in project: ProjectSettings) {
        rows = Self.metrics.flatMap { metric in
            metrics.counts(of: metric.name, by: "outcome", where: ["project": project.id]).compactMap { outcome, count in
                guard count > 0, let word = metric.words[outcome] else { return nil }
                return ["move": .word(word), "moveCount": .text("\(count)")]
            }
        }
    }
}
