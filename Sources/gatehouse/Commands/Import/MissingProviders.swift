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
        let entries = missing.compactMap(Self.entry)
        guard !entries.isEmpty else { return }
        Report.say(
            "Entries for the project's file, with the client that is registered there already, so that people stay the same:\nproviders:")
        for entry in entries { Report.say(entry) }
    }

    /// `nil` for a provider that this server does not have.
    private static func entry(of provider: Missing) -> String? {
        let id = provider.id
        let isIssuer = id.utf8.starts(with: "oidc.".utf8)
        guard isIssuer || Provider.catalog.contains(where: { $0.id.isExactly(id) }) else { return nil }
        // A hostile name must not become a line of the file.
        guard id.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }) else {
            return nil
        }
        let issuer = isIssuer ? "    issuer: \(value(provider.source?.issuer, else: "https://…"))\n" : ""
        let variable = id.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        return """
              \(id):
            \(issuer)    clientId: \(value(provider.source?.clientID, else: "…"))
                clientSecret: {env: \(String(variable))_SECRET}
            """
    }

    /// In quotes, since JSON's text is YAML's, whatever is in it.
    private static func value(_ text: String?, else unknown: String) -> String { text.map { JSON.string(UTF8Text($0)).text() } ?? unknown }
}
