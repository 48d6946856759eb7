package import Accounts
import Crypto
package import Curl
package import Logging
import Pages
import ProjectSettings
package import Projects
package import Runtime
import TextMessages

/// Renders text messages by their projects' words, and gives them to the projects' gateways.
package struct TextMessageDelivery: Transport {
    /// A gateway that does not answer holds one of these places for ten seconds.
    package static let width = 32

    private let upstream: any Upstream
    private let projects: ProjectDirectory
    private let clock: Clock
    private let log: Logger
    private let counters: [String: [String: Counter]]

    package init(by upstream: any Upstream, projects: ProjectDirectory, clock: Clock, metrics: Metrics, log: Logger) {
        self.upstream = upstream
        self.projects = projects
        self.clock = clock
        self.log = log
        var counters: [String: [String: Counter]] = [:]
        for name in TextTransports.all.map({ $0.name }) {
            for result in ["sent", "deferred", "failed"] {
                counters[name, default: [:]][result] = metrics.counter(
                    "gatehouse_sms_total", "Attempts to send a text message, by way and result.", ["transport": name, "result": result])
            }
        }
        self.counters = counters
    }

    package func send(_ due: LeasedDelivery<OutgoingTextMessage>) async throws(DeliveryFailure) {
        let payload = due.payload
        guard let project = projects.current.realm(storageID: due.projectID), let transport = project.settings.phone.transport,
            let region = payload.region
        else { throw .temporary("this process has no way to send messages of the project") }
        let message = TextMessage(
            id: Hex.encode(due.id), projectID: project.settings.id, purpose: payload.purpose, to: payload.to, region: region,
            language: payload.language, text: project.templates.textMessage(payload, host: project.settings.messageHost),
            code: payload.code,
            appSignatureHash: payload.appSignatureHash, expires: due.expires)
        do {
            try await transport.send(message, by: upstream, at: clock.now(), log: log)
            count("sent", type(of: transport))
        } catch {
            switch error {
            case .temporary(let reason):
                count("deferred", type(of: transport))
                throw .temporary(reason)
            case .permanent(let reason):
                count("failed", type(of: transport))
                throw .permanent(reason)
            }
        }
    }

    private func count(_ result: String, _ transport: any TextTransport.Type) { counters[transport.name]?[result]?.increment() }

    package func metadata(_ message: OutgoingTextMessage) -> Logger.Metadata {
        ["purpose": "\(message.purpose)", "region": "\(message.region ?? "-")"]
    }

    package func report(_ outcome: DeliveryOutcome, to log: Logger) {
        switch outcome {
        case .delivered: log.info("text message sent")
        case .deferred(let reason): log.warning("text message not taken, tried again later", metadata: ["reason": "\(reason)"])
        case .givenUp(let reason): log.error("text message given up", metadata: ["reason": "\(reason)"])
        }
    }
}

extension ProjectSettings {
    /// The host that browsers may fill a code in for: the first authorized domain that is one host, and not this machine.
    fileprivate var messageHost: String? {
        authorizedDomains.first { !$0.hasPrefix("*") && $0.contains(".") && !$0.contains(":") && $0 != "127.0.0.1" }
    }
}
