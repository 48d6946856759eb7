import Accounts
import Migration

/// Prints the lines of a report, with nothing in them that would do something to a terminal.
enum Report {
    static func say(_ text: String) {
        Terminal.write(
            text.split(separator: "\n", omittingEmptySubsequences: false).map { CommandSupport.visible(String($0)) + "\n" }.joined())
    }
}

/// The words in which an import tells what it would do, and what it has done.
struct ImportReport {
    let pass: ImportPass
    let origin: String
    let rejected: String

    /// Says how many accounts are new, changed, unchanged and refused.
    /// - Parameter isTrial: whether nothing was stored.
    func printCounts(isTrial: Bool) {
        let lines = [
            (pass.outcome.created, isTrial ? "would be new" : "new"), (pass.outcome.updated, isTrial ? "would be changed" : "changed"),
            (pass.outcome.unchanged, "unchanged since the last import"),
            (pass.outcome.madeHere, "made here, and only copied there"),
            (pass.outcome.deletedHere, "deleted here, and not taken again (--restore-deleted takes them)"), (pass.skipped, "left out"),
            (pass.refused, "refused: \(rejected) says why"),
        ]
        Report.say(
            "\(pass.count) \(pass.count == 1 ? "account" : "accounts") in \(origin)\(pass.failure == nil ? "" : ", as far as it can be read"):"
        )
        for (count, words) in lines where count > 0 { Report.say("  \(count) \(words)") }
        guard pass.keptCount > 0 else { return }
        Report.say(
            "Changed at the source and here: \(pass.keptCount) \(pass.keptCount == 1 ? "account" : "accounts"), whose fields stay as they are here:"
        )
        for conflict in pass.outcome.kept {
            Report.say("  \(conflict.accountID): \(conflict.fields.joined(separator: ", "))")
        }
        if pass.keptCount > pass.outcome.kept.count { Report.say("  …") }
    }

    /// Says what the import loses, before it begins.
    func printLosses() {
        for (title, counts) in [("What would be lost", pass.losses.counts), ("What you should look at", pass.losses.notes)]
        where !counts.isEmpty {
            Report.say("\(title), with the number of accounts:")
            for (text, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                Report.say("  \(count) × \(text)")
            }
        }
        if !pass.remarks.isEmpty {
            Report.say("A file of this kind never has:")
            for remark in pass.remarks { Report.say("  - \(remark)") }
        }
    }
}
