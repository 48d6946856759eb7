package import Accounts
import Crypto
package import Curl
import HTTP
package import Logging
package import ProjectSettings
package import Projects
package import Runtime
import Text
import Webhooks

/// Tells endpoints of the operator's what happened to accounts, by signed calls of Standard Webhooks.
package struct EventDelivery: Transport {
    /// An endpoint that does not answer holds one of these places for fifteen seconds.
    package static let width = 32
    /// So eight endpoints have to fail to answer before the others wait for them.
    package static let widthForRecipient = 4
    /// The longest pause that an endpoint can ask for.
    private static let longestPause: Int64 = 86_400

    private let upstream: any Upstream
    private let accounts: AccountReader
    private let stopped: StoppedEndpoints
    private let projects: ProjectDirectory
    private let clock: Clock
    private let counters: [String: Counter]

    package init(
        by upstream: any Upstream, accounts: AccountReader, stopped: StoppedEndpoints, projects: ProjectDirectory, clock: Clock,
        metrics: Metrics
    ) {
        self.upstream = upstream
        self.accounts = accounts
        self.stopped = stopped
        self.projects = projects
        self.clock = clock
        counters = Dictionary(
            uniqueKeysWithValues: ["delivered", "deferred", "failed"].map { outcome in
                (outcome, metrics.counter("gatehouse_events_total", "Attempts to tell an endpoint of an event.", ["outcome": outcome]))
            })
    }

    package func send(_ due: LeasedDelivery<OutgoingEvent>) async throws(DeliveryFailure) {
        guard let project = projects.current.realm(storageID: due.projectID)?.settings,
            let endpoint = project.events.first(where: { $0.id.isExactly(due.payload.endpoint) })
        else { throw .temporary("this process has no endpoint of this name") }
        let (account, isStopped): (Account?, Bool)
        do throws(AccountError) {
            isStopped = try await stopped.list(in: project).contains(endpoint.id)
            account = try await accounts.account(due.payload.accountID, in: project)
        } catch { throw .temporary(error.logDetail) }
        guard !isStopped else { throw .permanent("the endpoint has answered that it is gone") }
        let body = EventBody(due.payload, of: account, in: project).bytes
        try await Self.send(body, id: Hex.encode(due.id), to: endpoint, by: upstream, at: clock.now())
    }

    /// One attempt. Throws unless the endpoint has taken the event.
    package static func send(
        _ body: [UInt8], id: String, to endpoint: EventEndpoint, by upstream: any Upstream, at now: Instant
    ) async throws(DeliveryFailure) {
        var request = endpoint.webhook.request(id: id, body, at: now)
        request.timeout = .seconds(15)
        request.maxBytes = 64 << 10
        let answer: OutboundResponse
        // An endpoint that does not answer gets nothing more for a minute, so that it takes no places from others.
        do { answer = try await upstream.send(request) } catch { throw .temporary("\(error)", pause: .seconds(60)) }
        let reason = "status \(answer.status)"
        switch answer.status {
        case 200..<300: return
        case 410: throw .gone(gone)
        case 429, 502, 503, 504:
            // Only whole seconds: a date would need the endpoint's clock.
            let asked = answer.headers["retry-after"].flatMap { Int64($0.asString) }
            throw .temporary(reason, pause: asked.map { .seconds(min(max($0, 0), longestPause)) })
        default: throw .temporary(reason)
        }
    }

    package static let gone = "status 410: the endpoint is gone, and is told nothing until `gatehouse events test` reaches it"

    package func metadata(_ event: OutgoingEvent) -> Logger.Metadata {
        ["endpoint": "\(event.endpoint)", "type": "\(event.type.rawValue)"]
    }

    package func report(_ outcome: DeliveryOutcome, to log: Logger) {
        switch outcome {
        case .delivered: counters["delivered"]?.increment()
        case .deferred(let reason):
            counters["deferred"]?.increment()
            log.warning("event not taken, tried again later", metadata: ["reason": "\(reason)"])
        case .givenUp(let reason):
            counters["failed"]?.increment()
            log.error("event given up", metadata: ["reason": "\(reason)"])
        }
    }
}
