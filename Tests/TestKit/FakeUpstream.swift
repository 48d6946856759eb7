package import Curl
import HTTP
package import JSON
import Synchronization
import Text

/// Stands for other servers: a table of answers, and a record of the requests.
package final class FakeUpstream: Upstream {
    package typealias Answer = @Sendable (OutboundRequest) async throws(OutboundError) -> OutboundResponse

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [OutboundRequest] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// All requests in their order.
    package var requests: [OutboundRequest] { state.withLock { $0.requests } }

    /// The number of requests to `url`, whatever the method.
    package func count(_ url: String) -> Int { requests.count { $0.url == url } }

    package func answer(_ url: String, _ answer: @escaping Answer) { state.withLock { $0.answers[url] = answer } }

    package func answer(_ url: String, _ json: JSON, status: Int = 200) {
        answer(url) { _ in OutboundResponse(status: status, headers: ["content-type": "application/json"], body: json.bytes()) }
    }

    package func answer(_ url: String, text: String, status: Int = 200, type: String = "text/html") {
        answer(url) { _ in OutboundResponse(status: status, headers: ["content-type": type], body: Array(text.utf8)) }
    }

    package func fail(_ url: String, _ error: OutboundError) { answer(url) { _ throws(OutboundError) in throw error } }

    /// Throws `unreachable` for addresses without an answer.
    package func send(_ request: OutboundRequest) async throws(OutboundError) -> OutboundResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers[request.url]
        }
        guard let answer else { throw .unreachable("no answer is set for \(request.url)") }
        return try await answer(request)
    }
}
