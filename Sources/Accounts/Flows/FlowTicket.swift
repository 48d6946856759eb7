import Crypto
import Postgres
package import ProjectSettings
import Runtime
package import Text

/// The right to fetch a flow's event, once. It is for a page in the same browser that has not seen the result.
///
/// It is derived from the flow's cookie and known from the start, so that the page that opened the popup can wait with it. The cookie
/// cannot be computed from the ticket. The event is stored sealed with a key, half of which is the ticket.
package struct FlowTicket: Sendable, Equatable {
    package let projectID: String
    package let flowID: [UInt8]
    let secret: [UInt8]

    init(of flow: SignInFlow, cookie: String) {
        projectID = flow.projectID
        flowID = flow.id
        secret = HKDF.sha256(secret: Array(cookie.utf8), salt: flow.id, info: "gatehouse flow ticket", length: 32)
    }

    package init?(_ text: UTF8Text) {
        guard let state = FlowState(text) else { return nil }
        projectID = state.projectID
        flowID = state.flowID
        secret = state.secret
    }

    /// The ticket in the form of a `FlowState`.
    package var text: String { FlowState(projectID: projectID, flowID: flowID, secret: secret).text }

    /// Whether the flow is one of the project, or of a tenant of it.
    package func belongs(to project: ProjectSettings) -> Bool {
        ProjectSettings.realm(of: UTF8Text(projectID)).map { $0.project == project.id } ?? false
    }
}

extension SignInFlow {
    /// - Parameter cookie: the flow's own cookie, which the browser sent.
    package func ticket(cookie: String) -> FlowTicket { FlowTicket(of: self, cookie: cookie) }
}

extension StartedFlow {
    /// Only in browsers is there a page that fetches the event: the SDK's iframe.
    package var ticket: FlowTicket? {
        guard flow.kind.isFetched else { return nil }
        return cookie.map(flow.ticket)
    }
}

extension SignInFlows {
    /// The result of fetching by a ticket.
    package enum TakenEvent: Sendable, Equatable {
        /// Nothing yet; the flow has not ended.
        case waiting
        case event([UInt8])
        /// The ticket does not exist, its event was fetched, or its time is over.
        case unknown
    }

    /// Returns the event, once.
    ///
    /// - Parameters:
    ///   - apiKey, appName: those of the app that asks; `nil` when the ticket itself came from that app.
    ///   - origin: the origin of the page that asks, which must be the one that the browser goes back to; `nil` as above.
    package func takeEvent(
        _ ticket: FlowTicket, apiKey: String? = nil, appName: String? = nil, origin: String? = nil
    ) async throws(AccountError) -> TakenEvent {
        let rows = try await storage.read(
            """
            SELECT event IS NOT NULL AND (\(apiKey) IS NULL OR api_key = \(apiKey)) AND (\(appName) IS NULL OR app_name = \(appName))
                AND (\(origin) IS NULL OR starts_with(return_url, \(origin) || '/')), status = 'started'
            FROM sign_in_flows WHERE \(Self.has(ticket, at: clock.now()))
            """)
        guard var row = rows.first?.reader() else { return .unknown }
        let (hasEvent, isStarted): (Bool, Bool) = try reading { (try row.next(), try row.next()) }
        guard hasEvent else { return isStarted ? .waiting : .unknown }
        let taken = try await storage.write(
            """
            UPDATE sign_in_flows SET ticket_hash = NULL WHERE \(Self.has(ticket, at: clock.now())) AND event IS NOT NULL
            RETURNING event
            """)
        guard let row = taken.first else { return .unknown }
        let sealed = try reading { try row.value(as: [UInt8].self) }
        guard let event = try? eventKey(ticket).open(sealed, context: Self.context(ticket.flowID)) else {
            throw .sealBroken("sign-in flow")
        }
        return .event(event)
    }

    private static func has(_ ticket: FlowTicket, at now: Instant) -> SQL {
        """
        project_id = \(project: ticket.projectID) AND flow_id = \(ticket.flowID) AND ticket_hash = \(Digest.sha256(ticket.secret))
            AND expires_at > \(now)
        """
    }
}
