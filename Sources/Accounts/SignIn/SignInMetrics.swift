package import Runtime
import Synchronization

/// Counts sign-ins by project, way (a provider's id, or a name of `SignInProvider`) and outcome. Projects and ways come from the
/// configuration and from the code, outcomes from this list, so the number of series is bounded (SEC-20).
package final class SignInMetrics: Sendable {
    package enum Outcome: String, Sendable, CaseIterable {
        case signedIn = "signed_in"
        case created, linked, refused
        case providerUnavailable = "provider_unavailable"
        case needsConfirmation = "needs_confirmation"

        /// Those that signed the person in.
        package static let successes: Set<Outcome> = [.signedIn, .created, .linked]

        /// The outcomes of the ways that need no provider.
        fileprivate static let withoutProvider: [Outcome] = [.signedIn, .created, .linked, .refused]
    }

    /// The label of projects that no file has, which test suites name in development mode.
    private static let otherProjects = "-"

    private struct Series: Hashable {
        let project: String
        let method: String
        let outcome: Outcome
    }

    private struct State {
        var projects: Set<String> = []
        var counters: [Series: Counter] = [:]
    }

    private let metrics: Metrics
    private let state = Mutex(State())

    package init(_ metrics: Metrics) { self.metrics = metrics }

    /// Makes the series of a project that a file has, so that they are there with 0 before the first sign-in: a rate over a series that
    /// begins with 1 does not see that sign-in.
    ///
    /// - Parameters:
    ///   - providers: the ids of its providers.
    ///   - methods: the ways without a provider that are switched on, by their names here.
    package func begin(project: String, providers: [String], methods: [String]) {
        state.withLock { state in
            state.projects.insert(project)
            let series =
                providers.flatMap { provider in Outcome.allCases.map { Series(project: project, method: provider, outcome: $0) } }
                + methods.flatMap { method in Outcome.withoutProvider.map { Series(project: project, method: method, outcome: $0) } }
            for series in series { _ = counter(of: series, in: &state) }
        }
    }

    package func count(_ method: String, _ outcome: Outcome, in project: String) {
        state.withLock { state in
            let project = state.projects.contains(project) ? project : Self.otherProjects
            counter(of: Series(project: project, method: method, outcome: outcome), in: &state).increment()
        }
    }

    private func counter(of series: Series, in state: inout State) -> Counter {
        if let counter = state.counters[series] { return counter }
        let counter = metrics.counter(
            "gatehouse_sign_ins_total", "Sign-ins by project, provider and outcome.",
            ["project": series.project, "provider": series.method, "outcome": series.outcome.rawValue])
        state.counters[series] = counter
        return counter
    }
}
