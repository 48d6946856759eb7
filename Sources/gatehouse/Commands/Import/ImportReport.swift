import Accounts
import Migration
import ProjectSettings
import Projects
import Providers
import Text

/// The words in which an import tells what it would do, and what it has done.
struct ImportReport {
    let pass: ImportPass
    let file: String
    let rejected: String

    /// Says how many accounts are new, changed, unchanged and refused.
    /// - Parameter isTrial: whether nothing was stored.
    func printCounts(isTrial: Bool) {
        let lines = [
            (pass.outcome.created, isTrial ? "would be new" : "new"), (pass.outcome.updated, isTrial ? "would be changed" : "changed"),
            (pass.outcome.unchanged, "unchanged since the last import"), (pass.skipped, "left out"),
            (pass.refused, "refused: \(rejected) says why"),
        ]
        say("\(pass.count) accounts in \(file)\(pass.failure == nil ? "" : ", as far as it can be read"):")
        for (count, words) in lines where count > 0 { say("  \(count) \(words)") }
        guard pass.keptCount > 0 else { return }
        say("\(pass.keptCount) accounts were changed at the source and here. These fields stay as they are here:")
        for conflict in pass.outcome.kept { say("  \(conflict.accountID): \(conflict.fields.joined(separator: ", "))") }
        if pass.keptCount > pass.outcome.kept.count { say("  …") }
    }

    /// Says what the import loses, before it begins.
    func printLosses() {
        for (title, counts) in [("What would be lost", pass.losses.counts), ("What you should look at", pass.losses.notes)]
        where !counts.isEmpty {
            say("\(title), with the number of accounts:")
            for (text, count) in counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) { say("  \(count) × \(text)") }
        }
        if !pass.remarks.isEmpty {
            say("A file of this kind never has:")
            for remark in pass.remarks { say("  - \(remark)") }
        }
    }

    /// Names the providers of the identities that the project's file lacks, with entries to paste.
    func printProviders(of project: Project) {
        let missing = pass.providers.filter { project.providers[UTF8Text($0.key)] == nil }.sorted { $0.key < $1.key }
        guard !missing.isEmpty else { return }
        say("The project's file lacks the providers of these identities, so that no person can sign in with them:")
        for (id, count) in missing { say("  \(count) × \(id)") }
        let entries = missing.map(\.key).compactMap(Self.entry)
        guard !entries.isEmpty else { return }
        say("Entries for the project's file, with the client that is registered there already, so that people stay the same:\nproviders:")
        for entry in entries { say(entry) }
    }

    /// `nil` for a provider that this server does not have.
    private static func entry(of id: String) -> String? {
        let isIssuer = id.utf8.starts(with: "oidc.".utf8)
        guard isIssuer || Provider.catalog.contains(where: { $0.id.isExactly(id) }) else { return nil }
        // A hostile name must not become a line of the file.
        guard id.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }) else {
            return nil
        }
        let issuer = isIssuer ? "    issuer: https://…\n" : ""
        return "  \(id):\n\(issuer)    clientId: …\n    clientSecret: {file: ../\(id).secret}"
    }

    private func say(_ text: String) {
        Terminal.write(
            text.split(separator: "\n", omittingEmptySubsequences: false).map { CommandSupport.visible(String($0)) + "\n" }.joined())
    }
}
