import JSON
import Migration
import Projects
import Providers
import Text

/// The providers that a project's file lacks, with entries to paste.
struct MissingProviders {
    private struct Missing {
        let id: String
        /// How many accounts have an identity of it.
        let count: Int
        /// The entry at the source, where it is known.
        let source: FirebaseProvider?
    }

    private let missing: [Missing]

    /// - Parameters:
    ///   - identities: how many accounts have an identity of each provider.
    ///   - survey: of the source, which may have more providers than those.
    init(identities: [String: Int], survey: FirebaseSurvey?, project: Project) {
        let known = Dictionary((survey?.providers ?? []).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        missing = Set(identities.keys).union(known.keys).filter { project.providers[UTF8Text($0)] == nil }.sorted()
            .map { Missing(id: $0, count: identities[$0] ?? 0, source: known[$0]) }
    }

    func report() {
        guard !missing.isEmpty else { return }
        Report.say("The project's file lacks the providers of these identities, so that no person can sign in with them:")
        for provider in missing { Report.say("  \(provider.count) × \(provider.id)") }
        let entries = missing.compactMap { Provider.entry(of: $0.id, knowing: $0.source?.entryValues ?? [:]) }
        guard !entries.isEmpty else { return }
        Report.say(
            "Entries for the project's file, with the client that is registered there already, so that people stay the same:\nproviders:")
        for entry in entries { Report.say(entry) }
    }
}

extension FirebaseProvider {
    /// The known values, by the keys of an entry here.
    fileprivate var entryValues: [String: JSON] {
        var values: [String: JSON] = [:]
        for case (let key, let text?) in [("issuer", issuer), ("clientId", clientID), ("teamId", teamID), ("keyId", keyID)] {
            values[key] = .string(UTF8Text(text))
        }
        if !bundleIDs.isEmpty { values["bundleIds"] = .array(bundleIDs.map { JSON.string(UTF8Text($0)) }) }
        return values
    }
}
