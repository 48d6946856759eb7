package import Accounts
package import Curl
import HTTP
package import Logging
import ProjectSettings
package import Projects
package import Runtime
import Text

/// Tells relying parties, from server to server, that a person has signed out here.
/// <https://openid.net/specs/openid-connect-backchannel-1_0.html>
package struct LogoutDelivery: Transport {
    /// A relying party that does not answer holds one of these places for ten seconds.
    package static let width = 32
    /// So eight relying parties have to fail to answer before the others wait for them.
    package static let widthForRecipient = 4
    /// Bytes of an answer that are read.
    private static let longestAnswer = 4096

    private let upstream: any Upstream
    private let tokens: ClientTokens
    private let projects: ProjectDirectory
    private let delivered: Counter
    private let failed: Counter

    package init(by upstream: any Upstream, tokens: ClientTokens, projects: ProjectDirectory, metrics: Metrics) {
        self.upstream = upstream
        self.tokens = tokens
        self.projects = projects
        func counter(_ outcome: String) -> Counter {
            metrics.counter("gatehouse_logout_tokens_total", "Logout tokens for relying parties, by outcome.", ["outcome": outcome])
        }
        delivered = counter("delivered")
        failed = counter("failed")
    }

    package func send(_ due: LeasedDelivery<OutgoingLogout>) async throws(DeliveryFailure) {
        let request = try request(due)
        let status: Int
        do { status = try await upstream.send(request).status } catch { throw .temporary("\(error)") }
        // 204 is not in the specification, but many libraries answer it.
        guard status == 200 || status == 204 else { throw .temporary("status \(status)") }
    }

    private func request(_ due: LeasedDelivery<OutgoingLogout>) throws(DeliveryFailure) -> OutboundRequest {
        let provider = projects.current.realm(storageID: due.projectID)?.settings.openIDProvider
        // Another process may have a newer configuration.
        guard let uri = provider?.client(id: UTF8Text(due.payload.clientID))?.backChannelLogoutURI else {
            throw .temporary("this process has no address of the client")
        }
        let token: String
        do { token = try tokens.logoutToken(for: due.payload) } catch { throw .temporary("no logout token: \(error)") }
        var request = OutboundRequest(
            .post, uri, headers: ["content-type": "application/x-www-form-urlencoded"],
            body: Array(Form([(name: "logout_token", value: token)]).encoded().utf8))
        request.maxBytes = Self.longestAnswer
        return request
    }

    package func metadata(_ message: OutgoingLogout) -> Logger.Metadata { ["client": "\(message.clientID)"] }

    package func report(_ outcome: DeliveryOutcome, to log: Logger) {
        switch outcome {
        case .delivered:
            delivered.increment()
        case .deferred(let reason):
            log.warning("logout token not delivered, tried again later", metadata: ["reason": "\(reason)"])
        case .givenUp(let reason):
            failed.increment()
            log.error("logout token given up", metadata: ["reason": "\(reason)"])
        }
    }
}
