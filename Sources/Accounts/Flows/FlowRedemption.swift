import Crypto
package import Postgres
package import ProjectSettings
import Runtime

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
            UPDATE sign_in_flows SET \(Self.redeeming(by: sessionID))
            WHERE project_id = \(project: project) AND flow_id = \(flowID) AND status = 'returned' AND expires_at > \(clock.now())
                AND handle_hash = \(Digest.sha256(code.bytes)) AND CASE WHEN kind = 'web' THEN return_url = \(page) ELSE \(isHandler) END
            RETURNING status, response, \(Self.columns)
            """)
        guard var row = rows.first?.reader(), try reading({ try row.next(as: String.self) }) == "redeeming" else { throw .flowRefused }
        let sealed = try reading { try row.next(as: [UInt8].self) }
        guard let answer = try? answerKey(code).open(sealed, context: Self.context(flowID)) else { throw .sealBroken("sign-in flow") }
        return (try flow(&row), answer)
    }

    /// started → redeeming, by the provider's own `state`. This is for client flows, whose client posts the address to which the provider
    /// sent the browser.
    ///
    /// - Parameter page: that address without query and fragment. It must be the flow's redirect URI.
    package func redeem(
        _ state: FlowState, sessionID: String, page: String, in project: ProjectSettings
    ) async throws(AccountError) -> SignInFlow {
        guard state.projectID == project.storageID else { throw .flowRefused }
        let rows = try await storage.write(
            """
            UPDATE sign_in_flows SET \(Self.redeeming(by: sessionID))
            WHERE project_id = \(project: project) AND flow_id = \(state.flowID) AND status = 'started' AND kind = 'client'
                AND expires_at > \(clock.now()) AND state_hash = \(Digest.sha256(state.secret)) AND redirect_uri = \(page)
            RETURNING status, \(Self.columns)
            """)
        guard var row = rows.first?.reader(), try reading({ try row.next(as: String.self) }) == "redeeming" else { throw .flowRefused }
        return try flow(&row)
    }

    /// redeeming → redeemed. It belongs to the transaction that signs the person in.
    package func redeemed(_ flow: SignInFlow) -> SQL {
        """
        UPDATE sign_in_flows SET status = 'redeemed', response = NULL
        WHERE project_id = \(project: flow.projectID) AND flow_id = \(flow.id) AND status = 'redeeming'
        """
    }

    /// redeeming → failed: the provider's code has been used up, so the flow cannot be tried again.
    package func recordFailure(of flow: SignInFlow) async throws(AccountError) {
        _ = try await storage.write(
            """
            UPDATE sign_in_flows SET status = 'failed', response = NULL
            WHERE project_id = \(project: flow.projectID) AND flow_id = \(flow.id) AND status = 'redeeming'
            """)
    }

    /// The columns that a redemption sets: with the session secret of the initiator, the next status; with any other one, one more try.
    private static func redeeming(by sessionID: String) -> SQL {
        let fits: SQL = "session_hash = \(SessionBinding.hash(atRedemption: sessionID))"
        return """
            status = CASE WHEN \(fits) THEN 'redeeming' WHEN tries + 1 >= \(SignInFlow.toleratedTries) THEN 'failed' ELSE status END,
            tries = tries + CASE WHEN \(fits) THEN 0 ELSE 1 END
            """
    }
}
