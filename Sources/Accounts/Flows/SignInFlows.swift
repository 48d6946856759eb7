import Crypto
package import Identity
import JSON
package import Postgres
package import ProjectSettings
package import Runtime
import Text

/// The flows in the database; see `SignInFlow` for their steps.
package struct SignInFlows: Sendable {
    let storage: Storage
    let masterKey: MasterKey
    let clock: Clock

    package init(database: Database, masterKey: MasterKey, clock: Clock) {
        storage = Storage(database: database)
        self.masterKey = masterKey
        self.clock = clock
    }

    /// A new flow that is not stored yet, since making the authorization URL may still fail.
    package func prepare(_ start: SignInStart, in project: ProjectSettings) -> StartedFlow {
        let flow = SignInFlow(
            projectID: project.storageID, id: Random.bytes(16), providerID: start.providerID, kind: start.kind,
            redirectURI: start.redirectURI, returnURL: start.returnURL, appState: start.appState, sdkRequest: start.sdkRequest,
            secrets: .random(customParameters: start.customParameters))
        let state = FlowState(projectID: project.storageID, flowID: flow.id, secret: Random.bytes(32))
        return StartedFlow(flow: flow, state: state, cookie: start.kind.belongsToBrowser ? "\(project.storageID).\(Random.token())" : nil)
    }

    /// Stores a flow that waits for its provider, or one that failed at its start.
    ///
    /// - Parameters:
    ///   - requestToken: what the provider gave at the start (OAuth 1.0a), to be kept with the flow's other secrets.
    ///   - failure: the event of a start that failed, which the SDK's iframe may fetch; `nil` for a flow that waits.
    package func store(
        _ started: StartedFlow, _ start: SignInStart, requestToken: OAuth1Token? = nil, failure: [UInt8]? = nil
    ) async throws(AccountError) {
        let flow = started.flow
        let now = clock.now()
        let cookieHash = started.cookie.map { Digest.sha256(Array($0.utf8)) }
        let ticket = started.ticket
        let event = failure.flatMap { event in ticket.map { seal(event, for: $0) } }
        let expires = now + (failure == nil ? SignInFlow.timeToReturn : SignInFlow.timeToRedeem)
        var secrets = flow.secrets
        secrets.requestToken = requestToken
        let sealed = masterKey.flows.seal(secrets.bytes, context: Self.context(flow.id))
        let sdkRequest = flow.sdkRequest
        _ = try await storage.write(
            """
            INSERT INTO sign_in_flows (project_id, flow_id, provider_id, kind, status, state_hash, cookie_hash, session_hash, ticket_hash,
                redirect_uri, return_url, app_state, secrets, event, created_at, expires_at,
                api_key, app_name, auth_type, event_id, return_app, language)
            VALUES (\(project: flow.projectID), \(flow.id), \(flow.providerID), \(flow.kind.rawValue), \(failure == nil ? "started" : "failed"),
                \(Digest.sha256(started.state.secret)), \(cookieHash), \(start.sessionHash ?? cookieHash),
                \(ticket.map { Digest.sha256($0.secret) }),
                \(flow.redirectURI), \(flow.returnURL), \(flow.appState), \(sealed), \(event), \(now), \(expires),
                \(sdkRequest?.apiKey), \(sdkRequest?.appName), \(sdkRequest?.authType.rawValue), \(sdkRequest?.eventID), \(sdkRequest?.app),
                \(sdkRequest?.language))
            """)
    }

    /// The flow that `state` names while it still waits for its provider; `nil` otherwise. Changes nothing.
    package func waiting(_ state: FlowState) async throws(AccountError) -> SignInFlow? {
        let rows = try await storage.read(
            """
            SELECT \(Self.columns) FROM sign_in_flows
            WHERE project_id = \(project: state.projectID) AND flow_id = \(state.flowID) AND state_hash = \(Digest.sha256(state.secret))
                AND status = 'started' AND expires_at > \(clock.now())
            """)
        return try rows.first.map(flow)
    }

    /// The same by the browser's cookie, which names the project, for an answer that names no flow.
    package func waiting(flowID: [UInt8], cookie: String) async throws(AccountError) -> SignInFlow? {
        guard let (projectID, _) = ProjectSettings.storageIDAndRest(UTF8Text(cookie)) else { return nil }
        let rows = try await storage.read(
            """
            SELECT \(Self.columns) FROM sign_in_flows
            WHERE project_id = \(project: projectID) AND flow_id = \(flowID) AND cookie_hash = \(Digest.sha256(Array(cookie.utf8)))
                AND status = 'started' AND expires_at > \(clock.now())
            """)
        return try rows.first.map(flow)
    }

    /// The flow that `state` names when its provider has answered already. Changes nothing.
    package func answered(_ state: FlowState) async throws(AccountError) -> SignInFlow? {
        let rows = try await storage.read(
            """
            SELECT \(Self.columns) FROM sign_in_flows
            WHERE project_id = \(project: state.projectID) AND flow_id = \(state.flowID) AND state_hash = \(Digest.sha256(state.secret))
                AND status <> 'started'
            """)
        return try rows.first.map(flow)
    }

    /// Stores an answer that a provider posted until a browser comes with the ticket and the flow's cookie, which a cross-site POST does
    /// not carry.
    package func keepPosted(_ form: [UInt8], for state: FlowState) async throws(AccountError) -> ResumeTicket {
        let ticket = ResumeTicket(for: state)
        let sealed = postedKey(ticket).seal(form, context: Self.context(state.flowID))
        let rows = try await storage.write(
            """
            UPDATE sign_in_flows SET posted = \(sealed)
            WHERE project_id = \(project: state.projectID) AND flow_id = \(state.flowID) AND state_hash = \(Digest.sha256(state.secret))
                AND status = 'started' AND posted IS NULL AND expires_at > \(clock.now()) RETURNING flow_id
            """)
        guard !rows.isEmpty else { throw .flowRefused }
        return ticket
    }

    /// The stored answer, for the browser that both started the flow and posted the answer.
    package func posted(_ ticket: ResumeTicket, cookie: String) async throws(AccountError) -> (SignInFlow, form: [UInt8]) {
        let rows = try await storage.read(
            """
            SELECT posted, \(Self.columns) FROM sign_in_flows
            WHERE project_id = \(project: ticket.projectID) AND flow_id = \(ticket.flowID) AND cookie_hash = \(Digest.sha256(Array(cookie.utf8)))
                AND status = 'started' AND posted IS NOT NULL AND expires_at > \(clock.now())
            """)
        guard var row = rows.first?.reader() else { throw .flowRefused }
        let sealed = try reading { try row.next(as: [UInt8].self) }
        guard let form = try? postedKey(ticket).open(sealed, context: Self.context(ticket.flowID)) else { throw .flowRefused }
        return (try flow(&row), form)
    }

    /// started → returned. The provider's answer can be opened with the one-time code alone.
    ///
    /// - Parameters:
    ///   - answer: what the provider said, for the redemption.
    ///   - event: what the SDK's iframe may fetch by the flow's ticket; `nil` where nothing is fetched.
    package func recordReturn(
        of flow: SignInFlow, _ code: OneTimeCode, cookie: String, answer: [UInt8], event: [UInt8]? = nil
    ) async throws(AccountError) {
        let sealed = answerKey(code).seal(answer, context: Self.context(flow.id))
        let sealedEvent = event.map { seal($0, for: FlowTicket(of: flow, cookie: cookie)) }
        let now = clock.now()
        let rows = try await storage.write(
            """
            UPDATE sign_in_flows SET status = 'returned', handle_hash = \(Digest.sha256(code.bytes)), response = \(sealed), posted = NULL,
                event = \(sealedEvent), expires_at = \(now + SignInFlow.timeToRedeem)
            WHERE project_id = \(project: flow.projectID) AND flow_id = \(flow.id) AND status = 'started' AND expires_at > \(now)
                AND cookie_hash = \(Digest.sha256(Array(cookie.utf8))) RETURNING flow_id
            """)
        guard !rows.isEmpty else { throw .flowRefused }
    }

    /// started → failed: the provider answered with an error. Only the browser that started the flow may report this.
    ///
    /// - Parameter event: the event that the SDK's iframe may fetch.
    package func recordRefusal(of flow: SignInFlow, cookie: String, event: [UInt8]? = nil) async throws(AccountError) {
        let sealedEvent = event.map { seal($0, for: FlowTicket(of: flow, cookie: cookie)) }
        let now = clock.now()
        let rows = try await storage.write(
            """
            UPDATE sign_in_flows SET status = 'failed', posted = NULL, event = \(sealedEvent),
                expires_at = \(now + SignInFlow.timeToRedeem)
            WHERE project_id = \(project: flow.projectID) AND flow_id = \(flow.id) AND status = 'started' AND expires_at > \(now)
                AND cookie_hash = \(Digest.sha256(Array(cookie.utf8))) RETURNING flow_id
            """)
        guard !rows.isEmpty else { throw .flowRefused }
    }
}
