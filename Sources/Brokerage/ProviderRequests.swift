import Curl
import Runtime
import Synchronization

/// Counts requests to upstream providers, by provider and outcome. Providers come from the configuration and outcomes from this list, so
/// the number of series is bounded. Each loop has one.
final class ProviderRequests: Sendable {
    enum Outcome: String, CaseIterable {
        case answered
        /// Answered with a status of 500 or more.
        case serverError = "server_error"
        /// The connection or TLS failed, the time ran out, or the answer was not valid HTTP.
        case failed
    }

    private struct Key: Hashable {
        let provider: String
        let outcome: Outcome
    }

    private let metrics: Metrics
    private let counters = Mutex<[Key: Counter]>([:])

    init(_ metrics: Metrics) { self.metrics = metrics }

    /// - Parameter provider: the id of a configured provider.
    func count(_ provider: String, _ outcome: Outcome) {
        let key = Key(provider: provider, outcome: outcome)
        counters.withLock { counters in
            if let counter = counters[key] { return counter.increment() }
            // All outcomes are created at once, so that a rate starts at zero.
            for outcome in Outcome.allCases {
                counters[Key(provider: provider, outcome: outcome)] = metrics.counter(
                    "gatehouse_provider_requests_total", "Requests sent to upstream providers, by provider and outcome.",
                    ["provider": provider, "outcome": outcome.rawValue])
            }
            counters[key]?.increment()
        }
    }
}

/// Counts the requests that a loop sends to one provider.
struct CountedUpstream: Upstream {
    let upstream: any Upstream
    let provider: String
    let requests: ProviderRequests

    func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
        do throws(OutboundError) {
            let response = try await upstream.send(request)
            requests.count(provider, response.status >= 500 ? .serverError : .answered)
            return response
        } catch {
            // A request that the caller gave up, or that was never sent, is not a failure of the provider.
            switch error {
            case .cancelled, .refusedHeader: break
            default: requests.count(provider, .failed)
            }
            throw error
        }
    }
}
