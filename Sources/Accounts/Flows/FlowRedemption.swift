import Crypto
import Identity
import JSON
package import Postgres
package import ProjectSettings
import Runtime
import Text

/// The end of a flow: its result is redeemed by exactly one caller, who holds the initiator's session secret.
extension SignInFlows {
    /// returned → redeeming, by the one-time code. Returns the flow and the provider's answer.
    ///
    /// The right code with a wrong session secret counts as a try; the fifth try ends the flow.
    /// - Parameters:
    ///   - page: the address to which the browser was sent back. It must be the flow's own when a page takes the result.
    ///   - isHandler: whether that address is our handler's, as it must be when an SDK takes the result.
    package func redeem(
        flowID: [UInt8], _ code: OneTimeCode, sessionID: String, page: String, isHandler: Bool, in project: ProjectSettings
    ) async throws(AccountError) -> (SignInFlow, answer: [UInt8]) {
        let rows = try await storage.write(
            """
            UPDATE sign_in_flows SET status = CASE WHEN \(Self.sessionFits(sessionID)) THEN 'redeeming'
                    WHEN tries + 1 >= \(SignInFlow.toleratedTries) THEN 'failed' ELSE status END,
                tries = tries + CASE WHEN \(Self.sessionFits(sessionID)) THEN 0 ELSE 1 END
            WHERE project_id = \(project.id) AND flow_id = \(flowID) AND status = 'returned' AND expires_at > \(clock.now())
                AND handle_hash = \(Digest.sha256(code.bytes)) AND CASE WHEN kind = 'web' THEN return_url = \(page) ELSE \(isHandler) END
            RETURNING status, response, \(Self.columns)
            """)
        guard var row = rows.first?.reader(), try status(&row) == "redeeming" else { throw .flowRefused }
        guard let sealed = try? row.next(as: [UInt8].self),
            let answer = try? answerKey(code).open(sealed, context: Self.context(flowID))
        else { throw .sealBroken("sign-in flow") }
        return (try flow(&row), answer)
    }

    /// started → redeeming, by the provider's own `state`. This is for client flows, whose client posts the address to which the provider
    /// sent the browser.
    package func redeem(
        _ state: FlowState, sessionID: String, in project: ProjectSettings
    ) async throws(AccountError) -> SignInFlow {
        guard state.projectID == project.id else { throw .flowRefused }
        let rows = try await storage.write(
            """
            UPDATE sign_in_flows SET status = CASE WHEN \(Self.sessionFits(sessionID)) THEN 'redeeming'
                    WHEN tries + 1 >= \(SignInFlow.toleratedTries) THEN 'failed' ELSE status END,
                tries = tries + CASE WHEN \(Self.sessionFits(sessionID)) THEN 0 ELSE 1 END
            WHERE project_id = \(project.id) AND flow_id = \(state.flowID) AND status = 'started' AND kind = 'client'
                AND expires_at > \(clock.now()) AND state_hash = \(Digest.sha256(state.secret))
            RETURNING status, \(Self.columns)
            """)
        guard var row = rows.first?.reader(), try status(&row) == "redeeming" else { throw .flowRefused }
        return try flow(&row)
    }

    /// redeeming → redeemed. It belongs to the transaction that signs the person in.
    package func redeemed(_ flow: SignInFlow) -> SQL {
        """
        UPDATE sign_in_flows SET status = 'redeemed', response = NULL
        WHERE project_id = \(flow.projectID) AND flow_id = \(flow.id) AND status = 'redeeming'
        """
    }

    /// redeeming → failed: the provider's code has been used up, so the flow cannot be tried again.
    package func recordFailure(of flow: SignInFlow) async throws(AccountError) {
        _ = try await storage.write(
            """
            UPDATE sign_in_flows SET status = 'failed', response = NULL
            WHERE project_id = \(flow.projectID) AND flow_id = \(flow.id) AND status = 'redeeming'
            """)
    }

    private static func sessionFits(_ sessionID: String) -> SQL {
        "session_hash = \(SessionBinding.hash(atRedemption: sessionID))"
    }

    static let columns = SQL(
        unsafe: "project_id, flow_id, provider_id, kind, redirect_uri, return_url, app_state, secrets, "
            + "api_key, app_name, auth_type, event_id, return_app, language")

    func flow(_ row: Row) throws(AccountError) -> SignInFlow {
        var row = row.reader()
        return try flow(&row)
    }

    /// Reads `columns`.
    func flow(_ row: inout RowReader) throws(AccountError) -> SignInFlow {
        do {
            let (projectID, id): (String, [UInt8]) = (try row.next(), try row.next())
            let providerID: String = try row.next()
            let kind = SignInFlow.Kind(rawValue: try row.next())
            let redirectURI: String = try row.next()
            let (returnURL, appState): (String?, String?) = (try row.next(), try row.next())
            let sealed: [UInt8] = try row.next()
            guard let kind,
                let bytes = try? masterKey.flows.open(sealed, context: Self.context(id)),
                let secrets = SignInSecrets(bytes: bytes)
            else { throw AccountError.sealBroken("sign-in flow") }
            return SignInFlow(
                projectID: projectID, id: id, providerID: providerID, kind: kind, redirectURI: redirectURI, returnURL: returnURL,
                appState: appState, sdkRequest: try SDKRequest(&row), secrets: secrets)
        } catch let error as AccountError {
            throw error
        } catch {
            throw .database(.decoding("sign_in_flows"))
        }
    }

    private func status(_ row: inout RowReader) throws(AccountError) -> String {
        do { return try row.next() } catch { throw .database(error) }
    }

    static func context(_ flowID: [UInt8]) -> String { "flow " + Hex.encode(flowID) }

    /// The context of an answer that a provider posted. The same key seals it and the flow's secrets; different contexts keep one from
    /// being used in the column of the other.
    static func postedContext(_ flowID: [UInt8]) -> String { "posted to flow " + Hex.encode(flowID) }

    /// Half of the key is ours; the other half is only in the link.
    func answerKey(_ code: OneTimeCode) -> SealingKeys { masterKey.flowKeys(code.bytes, for: "response") }

    func eventKey(_ ticket: FlowTicket) -> SealingKeys { masterKey.flowKeys(ticket.secret, for: "event") }

    func seal(_ event: [UInt8], for ticket: FlowTicket) -> [UInt8] { eventKey(ticket).seal(event, context: Self.context(ticket.flowID)) }
}

extension SignInSecrets {
    var bytes: [UInt8] {
        let parameters = JSON.Object(customParameters.map { ($0, .string($1)) })
        var secrets: JSON.Object = [
            "codeVerifier": .string(codeVerifier), "nonce": .string(nonce), "customParameters": .object(parameters),
        ]
        secrets["requestTokenSecret"] = requestTokenSecret.map(JSON.string)
        return JSON.object(secrets).bytes()
    }

    init?(bytes: [UInt8]) {
        guard let secrets = try? JSON.parse(bytes).decode(Self.self) else { return nil }
        self = secrets
    }
}
